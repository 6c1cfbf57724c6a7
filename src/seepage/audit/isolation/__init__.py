"""Attacks in processes of their own, which are given a view and nothing else."""
