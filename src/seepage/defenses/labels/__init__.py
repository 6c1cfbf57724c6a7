"""Defenses that train on something else than labels."""
