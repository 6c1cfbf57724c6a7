"""From what every tree says to the confidences of a forest."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from seepage.shapes import Matrix

Release: TypeAlias = Literal["votes", "ratios"]


def vote_shares(said: Sequence[Matrix]) -> Matrix:
    """Return the share of trees that vote for each class; a tree votes for its most frequent class.

    Ties go to the class listed first.

    >>> vote_shares([np.array([[0.6, 0.4]]), np.array([[0.1, 0.9]]), np.array([[0.2, 0.8]])])
    array([[0.33333333, 0.66666667]])
    """
    votes = np.zeros(said[0].shape)
    rows = np.arange(len(votes))
    for tree in said:
        votes[rows, tree.argmax(axis=1)] += 1
    return votes / len(said)


def mean_ratios(said: Sequence[Matrix]) -> Matrix:
    """Return the mean of the class ratios that the trees give."""
    return np.asarray(np.mean(said, axis=0))


def combined(said: Sequence[Matrix], release: Release) -> Matrix:
    """Return the confidences of a forest as it releases them."""
    return vote_shares(said) if release == "votes" else mean_ratios(said)
