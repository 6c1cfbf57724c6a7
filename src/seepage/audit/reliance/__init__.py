"""What an adversary's bottom model knows, and how much the joint model relies on it."""
