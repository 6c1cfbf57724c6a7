"""Attacks that steal labels."""
