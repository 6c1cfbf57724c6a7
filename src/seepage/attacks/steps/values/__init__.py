"""Columns told by a few rows on which they are known."""
