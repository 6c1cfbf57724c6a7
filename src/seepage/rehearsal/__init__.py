"""Two or more parties on hosts of their own: train for real, attack what was seen, let the victim score."""
