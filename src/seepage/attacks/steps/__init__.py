"""What several attacks do on their way; a step imports no attack."""
