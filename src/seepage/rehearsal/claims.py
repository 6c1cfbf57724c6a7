"""What an adversary claims, and could have claimed blindly: sealed by a digest first, opened to its victim later."""

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

import numpy as np

from seepage.errors import BadGuess
from seepage.guesses import (
    BranchGuess,
    ClusterGuess,
    FeatureGuess,
    FractionGuess,
    Guess,
    LabelGuess,
    guess_from_bytes,
    guess_to_bytes,
)
from seepage.scores.twins import Twins

MARK: Final = b"seepage claim 1\0"
NONCE: Final = 32
_LENGTH: Final = 8
DIGITS: Final = 2
"""Decimals of values and shares that are claimed, unless it was agreed that scores are told."""


@dataclass(frozen=True, eq=False)
class Claim:
    """A guess, and beside it what its adversary could have said without any message."""

    guess: Guess
    twins: Twins

    def rewritten(self, rewrite: Callable[[Guess], Guess]) -> "Claim":
        """Return the claim with each of its guesses rewritten."""
        scored, beside = (
            {how: rewrite(one) for how, one in told.items()} for told in (self.twins.scored, self.twins.beside)
        )
        return Claim(rewrite(self.guess), Twins(scored, beside))

    def to_bytes(self) -> bytes:
        """Write the claim; the same claim is the same bytes."""
        parts = [guess_to_bytes(one) for one in (self.guess, *self.twins.scored.values(), *self.twins.beside.values())]
        names = {"scored": list(self.twins.scored), "beside": list(self.twins.beside), "sizes": list(map(len, parts))}
        header = json.dumps(names).encode()
        return len(header).to_bytes(_LENGTH, "little") + header + b"".join(parts)

    @classmethod
    def from_bytes(cls, content: bytes) -> "Claim":
        """Read a claim that somebody else wrote, or refuse what is none.

        >>> Claim.from_bytes(b"nothing")
        Traceback (most recent call last):
            ...
        seepage.errors.BadGuess: What came is no claim that can be read.
        """
        begin = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
        try:
            header = json.loads(content[_LENGTH:begin])
            scored, beside, sizes = ([*header[name]] for name in ("scored", "beside", "sizes"))
            if len(sizes) != 1 + len(scored) + len(beside) or begin + sum(sizes) != len(content) or min(sizes) < 0:
                raise ValueError("sizes that do not fit")
            ends = np.cumsum([begin, *sizes]).tolist()
            guess, *rest = (guess_from_bytes(content[one:other]) for one, other in pairwise(ends))
            told = dict(zip(map(str, scored), rest, strict=False))
            return cls(guess, Twins(told, dict(zip(map(str, beside), rest[len(scored) :], strict=True))))
        except (BadGuess, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            raise BadGuess("What came is no claim that can be read.") from error


@dataclass(frozen=True)
class Sealed:
    """A claim in bytes, and what ties it down: a digest that can be shown before the claim itself."""

    data: bytes = field(repr=False)
    nonce: bytes = field(repr=False, default_factory=lambda: secrets.token_bytes(NONCE))

    @property
    def digest(self) -> str:
        """A digest of what is claimed alone."""
        return hashlib.sha256(self.data).hexdigest()

    def commitment(self, *about: object) -> str:
        """Return a digest of the claim and of what it is about; without the nonce nobody can try out what it says.

        >>> sealed = Sealed(b"all are 1")
        >>> sealed.commitment("shop", 3) == sealed.commitment("shop", 3), sealed.commitment("shop", 4) == Sealed(
        ...     b"all are 1").commitment("shop", 4)
        (True, False)
        """
        named = json.dumps([str(one) for one in about]).encode()
        digest = hashlib.sha256(MARK)
        for part in (named, self.nonce, self.data):
            digest.update(len(part).to_bytes(_LENGTH, "little") + part)
        return digest.hexdigest()


def hardened(guess: Guess) -> Guess:
    """Leave of a guess what it names: a label a row, values and shares to two digits; how sure it is is left out.

    >>> hardened(LabelGuess(np.array([4]), np.array([[0.2, 0.8]]))).scores
    array([[0., 1.]])
    """
    if isinstance(guess, LabelGuess):
        named = np.zeros(guess.scores.shape)
        named[np.arange(len(named)), guess.scores.argmax(axis=1)] = 1.0
        return replace(guess, scores=named, notes={})
    if isinstance(guess, FeatureGuess):
        return replace(guess, units=np.round(guess.units, DIGITS))
    if isinstance(guess, FractionGuess):
        others = {name: round(share, DIGITS) for name, share in guess.others.items()}
        return FractionGuess(round(guess.fraction, DIGITS), others, guess.notes)
    assert isinstance(guess, ClusterGuess | BranchGuess)
    return guess
