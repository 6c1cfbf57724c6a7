"""Ciphertexts as bytes that can cross a link."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from seepage.crypto.heu_library import load_heu
from seepage.shapes import Array

HEADER: Final = 16
"""Bytes ahead of the ciphertexts: how many vectors they hold and how many share a ciphertext, both little-endian."""


@dataclass(frozen=True)
class Envelope:
    """Vectors of ciphertexts on their way.

    Parameters
    ----------
    vectors
        How many rows or sums it holds.
    fold
        How many of them share one ciphertext.
    octets
        The ciphertexts as HEU writes them.
    """

    vectors: int
    fold: int
    octets: bytes

    @classmethod
    def read(cls, sealed: Array) -> "Envelope":
        """Read what `write` made."""
        if sealed.dtype != np.uint8 or sealed.ndim != 1 or sealed.size < HEADER:
            raise ValueError(f"ciphertexts must be a vector of bytes, got {sealed.dtype} {sealed.shape}")
        vectors, fold = (int(number) for number in np.frombuffer(sealed[:HEADER].tobytes(), dtype="<i8"))
        if vectors < 0 or fold < 1:
            raise ValueError(f"these bytes are no ciphertexts: they claim {vectors} vectors, {fold} in each")
        return cls(vectors, fold, sealed[HEADER:].tobytes())

    def write(self) -> Array:
        """Return everything as one vector of bytes."""
        header = np.array([self.vectors, self.fold], dtype="<i8").tobytes()
        return np.frombuffer(header + self.octets, dtype=np.uint8)

    def ciphertexts(self, pieces: int) -> int:
        """Return how many ciphertexts it holds, given how many a row takes."""
        return -(-self.vectors // self.fold) * pieces

    def load(self, pieces: int) -> Any:
        """Return the ciphertexts as HEU's array; None for no vectors, as HEU has no working array without elements."""
        if self.vectors == 0:
            return None
        try:
            loaded = load_heu().numpy.CiphertextArray.load_from(self.octets)
        except RuntimeError:
            raise ValueError("these bytes are no ciphertexts: HEU cannot read them") from None
        if loaded.size != self.ciphertexts(pieces):
            raise ValueError(f"expected {self.ciphertexts(pieces)} ciphertexts, got {loaded.size}")
        return loaded
