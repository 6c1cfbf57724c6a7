"""Which defense, or pair of defenses, keeps leaks below limits at the least cost."""
