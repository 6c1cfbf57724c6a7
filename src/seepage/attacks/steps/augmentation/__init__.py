"""How an adversary makes its own part say more of a property."""
