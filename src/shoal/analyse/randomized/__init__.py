"""What randomized rows tell when chance is undone: estimates with their errors."""
