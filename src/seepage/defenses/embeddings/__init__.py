"""Defenses that rewrite the embeddings which passive parties send."""
