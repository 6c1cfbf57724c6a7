"""Sums of numbers that cannot be read."""

from seepage.crypto.make import check_key, make_adder, make_sealer
from seepage.crypto.scheme import Adder, Encryption, Sealer, Vector

__all__ = ["Adder", "Encryption", "Sealer", "Vector", "check_key", "make_adder", "make_sealer"]
