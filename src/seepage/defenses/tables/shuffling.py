"""Rows out of step."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from seepage.checks import check_between
from seepage.hooks import Defense, Hook, Seam
from seepage.partition import OwnPart
from seepage.shapes import Rows


@dataclass(frozen=True, kw_only=True)
class Shuffling(Defense):
    r"""Before training, permute a share of the victim's rows among themselves, out of step with all others.

    "Shuffle the training data" (D4 of paper 000, §VII-D). Of its *n* training
    rows the victim draws :math:`\mathrm{round}(s \, n)` at random and permutes
    them: where the others speak of one of these people, it puts in all of its own
    columns of another. No row leaves and none is doubled; labels, other parties'
    columns and rows outside training stay where they are.

    The victim is each party that holds the attribute of an audited property.
    Where no property is named, every passive party shuffles its own rows; the
    active party has the labels, which nobody moves.

    It promises nothing. What is to be hidden is how *many* have the property,
    and a permutation changes no count. It blurs which row goes with which, at
    the cost of a model trained on mismatched rows.

    Parameters
    ----------
    share
        :math:`s`, from 0 to 1; paper 000 tries 0.1, 0.2 and 0.5.

    Notes
    -----
    Of the rows drawn one stays where it was, on average, as in any permutation
    drawn at random. The authors' code shuffles within a batch by a function that
    doubles rows and loses others; about half are left. This is a permutation.
    """

    acts_on = frozenset({Seam.TABLE})

    share: float = 0.2

    def __post_init__(self) -> None:
        check_between(0, 1, share=self.share)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: draw once which rows change places."""
        victim = bool(own_part.properties) if own_part.asked else own_part.labels is None
        if not victim:
            return Hook()
        train = np.arange(len(own_part.features)) if own_part.train is None else own_part.train
        places, people = exchanged(train, self.share, rng)

        def out_of_step(part: OwnPart) -> OwnPart:
            features = part.features.copy()
            features[places] = part.features[people]
            return replace(part, features=features)

        return Hook(table=out_of_step)


def exchanged(rows: Rows, share: float, rng: Generator) -> tuple[Rows, Rows]:
    """Draw a share of some rows, and who comes to stand in the place of each.

    >>> places, people = exchanged(np.arange(10, 20), 0.4, np.random.default_rng(0))
    >>> places, people
    (array([12, 14, 16, 17]), array([12, 16, 14, 17]))
    """
    places = np.sort(rng.permutation(rows)[: round(share * len(rows))])
    return places, rng.permutation(places)
