"""Independent streams of chance, named by what they are for."""

import hashlib
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.shapes import Rows

LARGEST_SEED: Final = 2**63 - 1


def stream(seed: int, *purpose: str, secret: str = "") -> Generator:
    """Return the generator of one purpose under one seed.

    Streams with different names are independent, so that drawing more in one
    place (another party, another attack) never changes what happens elsewhere.

    Parameters
    ----------
    secret
        What somebody would have to know to draw the same. Parties key their
        chance with the checksum of the whole table, labels included: no
        adversary has that, so an attack that knows the seed still cannot draw
        a defense's noise again and subtract it.

    >>> stream(0, "split").integers(100) == stream(0, "split").integers(100)
    np.True_
    >>> stream(0, "split").integers(2**40) == stream(0, "partition").integers(2**40)
    np.False_
    """
    named = "\x00".join((secret, str(seed), *purpose)).encode()
    return np.random.default_rng(int.from_bytes(hashlib.sha256(named).digest()))


def fresh_seed(rng: Generator) -> int:
    """Draw a seed for a library that wants a number instead of a generator."""
    return int(rng.integers(LARGEST_SEED))


def small_seed(rng: Generator) -> int:
    """Draw a seed for a library that takes 32 bits only (scikit-learn)."""
    return int(rng.integers(2**32 - 1))


def some_of(places: Rows, most: int, rng: Generator) -> Rows:
    """Draw so many places at most, in their order; where there are no more than that, nothing is drawn.

    >>> some_of(np.array([3, 5, 8]), 3, np.random.default_rng(0))
    array([3, 5, 8])
    """
    return places if len(places) <= most else np.sort(rng.choice(places, most, replace=False))
