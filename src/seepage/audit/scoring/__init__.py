"""Guesses held against the truth."""
