"""What a malicious party does to its own part in training."""
