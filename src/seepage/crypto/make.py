"""Both sides of a scheme, by its name."""

from importlib.util import find_spec
from typing import Any, Final

from seepage.checks import check_choice
from seepage.crypto.clear import ClearAdder, ClearSealer
from seepage.crypto.homomorphic import HomomorphicAdder, HomomorphicSealer, capacity, generate_key, read_key
from seepage.crypto.packing import Packing, check_terms
from seepage.crypto.scheme import Adder, Encryption, Sealer
from seepage.shapes import Array

SECURE_BITS: Final = 2048
"""Keys shorter than this are for trying things out."""


def make_sealer(
    encryption: Encryption, *, key_bits: int, slots: int, largest: int, rows: int, insecure_key: bool = False
) -> Sealer:
    """Return the active party's side, with a fresh key.

    Parameters
    ----------
    encryption
        The scheme.
    key_bits
        Length of the key; without effect in the clear.
    slots
        How many integers each row has.
    largest
        The largest absolute value of any of them.
    rows
        How many rows are added up at most.
    insecure_key
        Allow keys too short to protect anything, for tests.

    Examples
    --------
    >>> sealer = make_sealer("none", key_bits=2048, slots=2, largest=1000, rows=100)
    >>> sealer.public.size
    0
    """
    check_key(encryption, key_bits, insecure_key=insecure_key)
    check_terms(slots, largest, rows)
    if encryption == "none":
        return ClearSealer(slots=slots, largest=largest)
    kit = generate_key(encryption, key_bits)
    return HomomorphicSealer(kit=kit, packing=Packing(slots=slots, largest=largest, rows=rows, capacity=capacity(kit)))


def make_adder(encryption: Encryption, public: Array, *, slots: int, largest: int, rows: int) -> Adder[Any]:
    """Return a passive party's side, from what the sealer made public; the other terms are those of the sealer."""
    check_choice(Encryption, encryption=encryption)
    if encryption == "none":
        return ClearAdder(slots=slots, largest=largest, rows=rows)
    kit = read_key(public)
    return HomomorphicAdder(kit=kit, packing=Packing(slots=slots, largest=largest, rows=rows, capacity=capacity(kit)))


def check_key(encryption: str, key_bits: int, *, insecure_key: bool = False) -> None:
    """Refuse keys that cannot be made or protect nothing.

    >>> check_key("paillier", 1024)
    Traceback (most recent call last):
        ...
    ValueError: key_bits must be 2048 or more, got 1024; --insecure-key allows 1024, for tests
    """
    check_choice(Encryption, encryption=encryption)
    if encryption == "none":
        return
    if find_spec("heu") is None:
        raise ValueError(f"encryption {encryption} needs the library HEU: pip install 'seepage[he]'")
    if key_bits % 64 or not 1024 <= key_bits <= 8192:
        raise ValueError(f"key_bits must be a multiple of 64 from 1024 to 8192, got {key_bits}")
    if key_bits < SECURE_BITS and not insecure_key:
        raise ValueError(
            f"key_bits must be {SECURE_BITS} or more, got {key_bits}; --insecure-key allows {key_bits}, for tests"
        )
