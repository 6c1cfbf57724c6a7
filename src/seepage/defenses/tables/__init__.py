"""Defenses that change which rows, or which of a row's columns, take part in training."""
