"""Defenses against what predictions and released models give away."""
