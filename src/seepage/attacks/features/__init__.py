"""Attacks that steal feature values."""
