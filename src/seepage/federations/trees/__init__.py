"""What the tree federations have in common: parties, levels, messages."""
