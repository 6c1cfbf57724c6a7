"""Runs that are over: stored, checked, attacked again."""
