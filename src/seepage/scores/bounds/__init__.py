"""How much could leak at most, whatever the attack."""

from seepage.scores.bounds.mutual_information import mutual_information_bound

__all__ = ["mutual_information_bound"]
