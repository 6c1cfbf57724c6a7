"""Okamoto-Uchiyama and Paillier, by HEU.

All sums are asked of one call, `batch_select_sum`, which takes lists of positions: bins, groups and cumulative sums are
all lists. HEU also has a call made for histograms. It is about a tenth faster, stops at 128 bins, and cannot sum over
nothing.

Sums are *re-randomized* before they are sent: an encryption of 0 is added to each. Without it, a sum is the product of
the very ciphertexts that the active party made, and so a fingerprint of the *set* of rows in it. The active party could
try which of its rows, or pairs of rows, multiply to what came back, and learn who shares a bin, although in the first
round all rows of a class have the same gradient and the opened sum names nobody. That it holds the key does not make up
for this: the key opens sums, the fingerprint names rows. The same step hides that a group is empty until it is opened.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from seepage.crypto.heu_library import load_heu
from seepage.crypto.packing import Packing
from seepage.crypto.positions import check_blocks, check_codes, check_positions, check_starts
from seepage.shapes import Array, Integers

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


@dataclass(frozen=True)
class Ciphertexts:
    """Sealed rows or sums: HEU's array with piece after piece, and how many rows or sums that is.

    The array is None where there are none: HEU crashes on arrays without elements.
    """

    array: Any
    length: int


@dataclass(frozen=True, kw_only=True)
class HomomorphicSealer:
    """Holds the private key: made by `make_sealer`."""

    kit: Any
    packing: Packing

    @property
    def public(self) -> Array:
        """The public key, as bytes."""
        return np.frombuffer(self.kit.public_key().serialize(), dtype=np.uint8)

    def seal(self, values: Integers) -> Array:
        """Encrypt every row."""
        if not len(values):
            return Envelope(0, 1, b"").write()
        plaintexts = self.kit.array(self.packing.pack(values), self.kit.bigint_encoder())
        return Envelope(len(values), 1, self.kit.encryptor().encrypt(plaintexts).serialize()).write()

    def open(self, sealed: Array) -> Integers:
        """Decrypt every sum."""
        envelope = Envelope.read(sealed)
        if envelope.fold not in (1, self.packing.fold):
            raise ValueError(f"expected {self.packing.fold} sums in a ciphertext, got {envelope.fold}")
        if envelope.vectors == 0:
            return np.zeros((0, self.packing.slots), dtype=np.int64)
        packed = self.kit.decryptor().decrypt(envelope.load(self.packing.pieces)).to_numpy(self.kit.bigint_encoder())
        if envelope.fold == 1:
            return self.packing.unpack(packed)
        return self.packing.unfold(packed, envelope.fold)[: envelope.vectors]

    def count(self, sealed: Array) -> int:
        """Return how many ciphertexts cross the link."""
        return Envelope.read(sealed).ciphertexts(self.packing.pieces)


@dataclass(frozen=True, kw_only=True)
class HomomorphicAdder:
    """Holds the public key only: made by `make_adder`."""

    kit: Any
    packing: Packing

    def receive(self, sealed: Array) -> Ciphertexts:
        """Read ciphertexts."""
        envelope = Envelope.read(sealed)
        if envelope.fold != 1:
            raise ValueError("these are sums on their way back, several in a ciphertext, and cannot be added")
        return Ciphertexts(envelope.load(self.packing.pieces), envelope.vectors)

    def bin_sums(self, vector: Ciphertexts, rows: Integers, starts: Integers, codes: Array, bins: int) -> Ciphertexts:
        """Sort each part by bin, column after column, and add groups of neighbors; any number of bins will do."""
        check_positions(rows, vector.length)
        check_starts(starts, rows.size)
        check_codes(codes, vector.length, bins)
        orders, sizes = [], []
        for low, high in pairwise(starts.tolist()):
            members = rows[low:high]
            for column in codes[members].T:
                orders.append(members[np.argsort(column, kind="stable")])
                sizes.append(np.bincount(column, minlength=bins))
        ends = np.cumsum(np.concatenate([*sizes, []]).astype(np.int64))
        return self.group_sums(vector, np.concatenate([*orders, []]).astype(np.int64), np.concatenate(([0], ends)))

    def group_sums(self, vector: Ciphertexts, order: Array, starts: Integers) -> Ciphertexts:
        """Add up each group of rows."""
        check_positions(order, vector.length)
        check_starts(starts, order.size)
        bounds = starts.tolist()
        groups: list[list[int]] = []
        for piece in range(self.packing.pieces):
            positions = (order + piece * vector.length).tolist()
            groups += [positions[low:high] for low, high in pairwise(bounds)]
        return Ciphertexts(self._sums(vector.array, groups), starts.size - 1)

    def take(self, vector: Ciphertexts, positions: Integers) -> Ciphertexts:
        """Pick some sums."""
        check_positions(positions, vector.length)
        all_pieces = positions + vector.length * np.arange(self.packing.pieces)[:, None]
        return Ciphertexts(vector.array[all_pieces.ravel().tolist()] if positions.size else None, positions.size)

    def running(self, sums: Ciphertexts, starts: Integers) -> Ciphertexts:
        """Return cumulative sums, by adding to each what lies 1, 2, 4, 8, ... places before it in its block."""
        check_blocks(starts, sums.length)
        sizes = np.diff(starts, append=sums.length)
        place = np.arange(sums.length)
        inside = place - np.repeat(starts, sizes)
        step = 1
        while step < sizes.max(initial=0):
            pairs = np.stack([place, place - step], axis=1)
            wanted = np.stack([inside >= 0, inside >= step], axis=1)
            sums = self.group_sums(sums, pairs[wanted], np.concatenate([[0], np.cumsum(wanted.sum(axis=1))]))
            step *= 2
        return sums

    def send(self, sums: Ciphertexts) -> Array:
        """Put as many sums into each ciphertext as fit, and re-randomize: there are fewer to carry, and fewer to open.

        Multiplying by a power of two moves a sum to its own place; the rest is addition [1]_. Opening costs several
        times as much as that under Paillier and somewhat more under Okamoto-Uchiyama.

        References
        ----------
        .. [1] W. Chen et al., "SecureBoost+: A High Performance Gradient Boosting Tree Framework for Large Scale
           Vertical Federated Learning", arXiv:2110.10927, on compressing ciphertexts.
        """
        if sums.length == 0:
            return Envelope(0, 1, b"").write()
        fold = self.packing.fold if sums.length > 1 else 1
        array = self._folded(sums, fold) if fold > 1 else sums.array
        fresh = self.kit.evaluator().add(array, self._zeros(array.size))
        return Envelope(sums.length, fold, fresh.serialize()).write()

    def _folded(self, sums: Ciphertexts, fold: int) -> Any:
        """Return ciphertext j with sums j, j + height, j + 2 · height, ..., the first in its lowest bits."""
        height = -(-sums.length // fold)
        evaluator = self.kit.evaluator()
        shift = self._all(1 << (self.packing.width * self.packing.slots), height)
        layers = [np.arange(low, min(low + height, sums.length)) for low in range(0, sums.length, height)]
        total = self._padded(sums, layers[-1], height)
        for layer in reversed(layers[:-1]):
            total = evaluator.add(evaluator.mul(total, shift), sums.array[layer.tolist()])
        return total

    def _padded(self, sums: Ciphertexts, positions: Integers, height: int) -> Any:
        """Return some sums, and zeros up to this many."""
        groups = [[position] for position in positions.tolist()] + [[]] * (height - positions.size)
        return self._sums(sums.array, groups)

    def _sums(self, array: Any, groups: list[list[int]]) -> Any:
        """Return one sum for each list of positions."""
        if not groups:
            return None
        return self._zeros(len(groups)) if array is None else self.kit.evaluator().batch_select_sum(array, groups)

    def _zeros(self, height: int) -> Any:
        """Return this many fresh encryptions of 0."""
        return self.kit.encryptor().encrypt(self._all(0, height))

    def _all(self, number: int, height: int) -> Any:
        """Return this many plaintexts with the same number."""
        return self.kit.array(np.array([number] * height, dtype=object), self.kit.bigint_encoder())


def generate_key(encryption: str, key_bits: int) -> Any:
    """Return HEU's kit with a fresh pair of keys, drawn from the system's own randomness."""
    heu = load_heu()
    return heu.numpy.setup(heu.schema(encryption), key_bits)


def read_key(public: Array) -> Any:
    """Return HEU's kit for those who have only the public key."""
    heu = load_heu()
    try:
        return heu.numpy.setup(heu.phe.PublicKey.load_from(public.tobytes()))
    except RuntimeError:
        raise ValueError("these bytes are no public key: HEU cannot read them") from None


def capacity(kit: Any) -> int:
    """Return how many bits a plaintext may have, sign included: the same for all keys of one size.

    HEU's own bound differs by a bit from key to key (683 or 684 bits for Okamoto-Uchiyama at 2048). Rounded down to a
    multiple of 32 this is at least one bit below it.
    """
    return (int(kit.public_key().plaintext_bound()).bit_length() - 1) // 32 * 32
