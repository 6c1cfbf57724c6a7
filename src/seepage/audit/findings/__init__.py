"""What was found: one row for one seed, means over seeds, limits, and the folder they lie in."""
