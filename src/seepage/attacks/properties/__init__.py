"""Attacks on how many have a property."""
