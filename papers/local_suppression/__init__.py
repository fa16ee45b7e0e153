"""Liu, Feng, Zhu: disassociation with local suppression, Symmetry 2022. Figures 6 to 8."""
