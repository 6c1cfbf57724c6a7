"""What defenses are made of: randomized answers, noisy labels, how much a node tells."""
