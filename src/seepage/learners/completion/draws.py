"""Which rows meet in which batch, and how much of itself each keeps: all chance of MixMatch, drawn ahead."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.learners.completion.mixmatch import MixMatch, shares
from seepage.shapes import NO_ROWS, Array, Rows


@dataclass(frozen=True, eq=False)
class Draws:
    """The draws of one epoch, iteration by iteration.

    Parameters
    ----------
    known, unlabelled
        The labeled and the unlabeled rows of each batch, by their places in the lists of such rows.
    partners
        The shuffle W of Algorithm 4: row i of a batch, labeled rows first, is mixed with row ``partners[i]`` of it.
    share
        λ' of Algorithm 5 for each row of a batch: how much of itself it keeps.
    """

    known: Rows
    unlabelled: Rows
    partners: Rows
    share: Array

    def part(self, iterations: slice) -> "Draws":
        """Return the draws of some iterations only."""
        arrays = (self.known, self.unlabelled, self.partners, self.share)
        return Draws(*(array[iterations] for array in arrays))


class Drawing:
    """Draws epochs without end: each list of rows is gone through in a new order every time around.

    Parameters
    ----------
    known, unlabelled
        How many labeled and unlabeled rows there are; fewer than a batch come up more than once in it.
    settings
        How large batches and epochs are, and how much is mixed.
    rng
        Where chance comes from.

    Examples
    --------
    Three labeled rows in three batches of two: each comes up twice.

    >>> draws = Drawing(3, 100, MixMatch(batch=2, iterations=3), np.random.default_rng(0)).epoch()
    >>> np.bincount(draws.known.ravel())
    array([2, 2, 2])
    >>> draws.partners.shape, bool(draws.share.min() >= 0.5)
    ((3, 4), True)
    """

    def __init__(self, known: int, unlabelled: int, settings: MixMatch, rng: Generator) -> None:
        self._known, self._unlabelled = _Deck(known, rng), _Deck(unlabelled, rng)
        self._settings, self._rng = settings, rng

    def epoch(self) -> Draws:
        """Draw all iterations of the next epoch."""
        size = (self._settings.iterations, self._settings.batch)
        whole = (size[0], 2 * size[1])
        return Draws(
            self._known.deal(size),
            self._unlabelled.deal(size),
            self._rng.permuted(np.broadcast_to(np.arange(whole[1]), whole), axis=1),
            shares(self._settings.alpha, whole, self._rng),
        )


class _Deck:
    """Places of a list, dealt from a shuffled deck; when it is used up, another is shuffled."""

    def __init__(self, size: int, rng: Generator) -> None:
        self._size, self._rng, self._left = size, rng, NO_ROWS

    def deal(self, size: tuple[int, int]) -> Rows:
        missing = max(0, size[0] * size[1] - len(self._left))
        decks = [self._rng.permutation(self._size) for _ in range(-(-missing // self._size))]
        dealt, self._left = np.split(np.concatenate((self._left, *decks)), [size[0] * size[1]])
        return dealt.reshape(size)
