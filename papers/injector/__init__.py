"""Li, Li: Injector and Anatomy, 2008. Figures 3 to 8."""
