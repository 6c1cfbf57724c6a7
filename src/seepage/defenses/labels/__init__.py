"""Defenses that train on something else than the true labels."""
