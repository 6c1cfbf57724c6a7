"""Defenses that keep the rows of a tree's nodes from telling labels."""
