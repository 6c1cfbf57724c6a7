"""What carries work out."""
