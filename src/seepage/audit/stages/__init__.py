"""What is done for one training: prepare, train, release, attack, score."""
