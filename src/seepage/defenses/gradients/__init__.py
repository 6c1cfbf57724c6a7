"""Defenses that rewrite the gradients which the active party sends back."""
