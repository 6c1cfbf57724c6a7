"""Predictions that are tried out before anyone sees them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.checks import check_not_negative
from seepage.guesses import BranchGuess, FeatureGuess
from seepage.hooks import Defense, Hook, Seam, Verification
from seepage.messages import ModelKind
from seepage.partition import OwnPart
from seepage.shapes import Array, Matrix

PUBLISHED: Final[Mapping[ModelKind, str]] = {
    ModelKind.LINEAR: "equality-solving",
    ModelKind.NETWORK: "generative-regression",
    ModelKind.TREE: "path-restriction",
    ModelKind.FOREST: "generative-regression",
}
"""The attack of paper 002 on each kind of released model."""


@dataclass(frozen=True, kw_only=True)
class OutputVerification(Defense):
    r"""Mimic an attack before predictions are released, and withhold those that would give too much away.

    "Post-processing for verification" of paper 002, §VII. Where nobody can look
    (the paper thinks of secure hardware), predictions are computed and the
    attack is run on them and the released model. Each party that is attacked
    compares the guess about its own columns with what it holds. A prediction is
    released only when no party objects.

    A party objects to a row when its error is below `limit`: for guessed values
    the mean squared error over the party's guessed columns, in units of their
    ranges; for a guessed path down a tree the share of the party's own branches
    on it that are wrong.

    It protects from the attack that was mimicked, and from no other. That a
    prediction was withheld is itself a hint.

    Parameters
    ----------
    limit
        The error below which a prediction is withheld. 0 withholds nothing.
    mimic
        The name of an attack on features; None takes that of paper 002 on the
        kind of model that is released: ``equality-solving`` on a linear one,
        ``path-restriction`` on a tree, ``generative-regression`` on networks and forests.
    """

    acts_on = frozenset({Seam.VERIFICATION})

    limit: float = 0.01
    mimic: str | None = None

    def __post_init__(self) -> None:
        check_not_negative(limit=self.limit)

    def mimicked(self, model: ModelKind | None) -> str | None:
        """Return the name of the attack to mimic on a kind of released model; None where there is none."""
        return self.mimic or (PUBLISHED.get(model) if model is not None else None)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the party remembers its own columns."""
        del rng

        def check(verification: Verification) -> Verification:
            guess = verification.guess
            wrong = value_errors(own_part, guess) if isinstance(guess, FeatureGuess) else branch_errors(own_part, guess)
            return replace(verification, allowed=verification.allowed & ~(wrong < self.limit))

        return Hook(verification=check)


def value_errors(part: OwnPart, guess: FeatureGuess) -> Array:
    """Return the mean squared error of each row over a party's guessed columns; infinite where there is nothing to err.

    Values that are missing from the party's columns do not count.

    >>> shop = OwnPart("shop", ("visits",), np.array([[2.0], [4.0]]), ("visits",), np.array([0]),
    ...                limits=np.array([[0.0, 4.0]]))
    >>> value_errors(shop, FeatureGuess(np.array([0, 1]), (("shop", "visits"),), np.array([[0.5], [0.5]])))
    array([0.  , 0.25])
    """
    places = np.array([part.names.index(name) for _, name in guess.columns], dtype=np.int64)
    low, width = part.public.ranges[places].T
    true = (_values(part, guess, places) - low) / width
    return _means((true - guess.units) ** 2, ~np.isnan(true))


def branch_errors(part: OwnPart, guess: BranchGuess) -> Array:
    """Return the share of a party's branches on each guessed path that are wrong; infinite where the path has none."""
    branches = guess.branches
    places = np.array([part.names.index(name) for _, name in branches.columns], dtype=np.int64)
    values = np.asarray(_values(part, guess, places), dtype=np.float32)
    left = (values <= np.asarray(branches.thresholds, dtype=np.float32)) | (np.isnan(values) & branches.missing_left)
    guessed = branches.paths[guess.leaf]
    return _means((guessed > 0) != left, guessed != 0)


def _values(part: OwnPart, guess: FeatureGuess | BranchGuess, places: Array) -> Matrix:
    return np.asarray(part.features[np.ix_(guess.rows, places)])


def _means(errors: Array, counted: Array) -> Array:
    """Return the mean of those errors of each row that count; infinite where none does."""
    number = counted.sum(axis=1)
    total = np.where(counted, errors, 0.0).sum(axis=1)
    return np.where(number > 0, total / np.maximum(number, 1), np.inf)
