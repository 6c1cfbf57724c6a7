"""Populations compared by the norms of their intermediate results."""
