"""What the messages of tree federations say about rows."""
