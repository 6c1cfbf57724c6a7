"""What could be split in the nodes of a level, and which sums tell what it is worth."""

from dataclasses import dataclass
from typing import Generic

import numpy as np

from seepage.crypto import Adder, Vector
from seepage.shapes import Integers, Integers32, Mask, Rows, Singles


@dataclass(frozen=True, eq=False)
class Candidates:
    """Possible splits, node after node: known to the owner of the columns alone.

    Parameters
    ----------
    nodes
        Where the candidates of each node begin, and their number.
    columns, thresholds
        Rows with a value at or below the threshold go left.
    missing_left
        Where rows without a value go.
    """

    nodes: Integers
    columns: Integers32
    thresholds: Singles
    missing_left: Mask

    def only(self, kept: Integers) -> "Candidates":
        """Keep some candidates, given by their places in ascending order."""
        nodes = np.searchsorted(kept, self.nodes)
        return Candidates(nodes, self.columns[kept], self.thresholds[kept], self.missing_left[kept])


@dataclass(frozen=True, eq=False)
class Recipe:
    """How what goes left is made of sums by run or bin, with additions alone.

    Lay out the sums in the order of `layout`, take running sums that begin anew
    at each of `blocks`, and pick `chosen`. A column with missing values is laid
    out twice, the second time with its missing rows first: running sums then
    tell what goes left when those go left too.

    Parameters
    ----------
    layout
        Empty where every sum is used once, in its place.
    """

    layout: Integers
    blocks: Integers
    chosen: Integers


@dataclass(frozen=True, eq=False)
class Level:
    """Nodes to be split together, as positions among the training rows.

    Parameters
    ----------
    nodes
        Their heap numbers.
    rows
        The rows of all nodes, node after node.
    starts
        Where each node begins in `rows`, and their number.
    """

    nodes: tuple[int, ...]
    rows: Rows
    starts: Integers

    def of(self, place: int) -> Rows:
        """Return the rows of one node."""
        return self.rows[self.starts[place] : self.starts[place + 1]]


@dataclass(frozen=True, eq=False)
class Answer(Generic[Vector]):
    """What the owner of columns says about the candidates of a level.

    Parameters
    ----------
    candidates
        How many candidates each node has.
    given
        The nodes whose sums are there, in this order; those of any other node
        are what is left of its parent when its sibling is taken away.
    sums
        The sums left of each candidate, node after node.
    usable
        Which candidates of all nodes leave enough rows on both sides; empty
        when all do.
    """

    candidates: Integers
    given: tuple[int, ...]
    sums: Vector
    usable: Mask


def left_of(recipe: Recipe, sums: Vector, adder: Adder[Vector]) -> Vector:
    """Return what goes left of every candidate, by additions alone."""
    laid = adder.take(sums, recipe.layout) if len(recipe.layout) else sums
    return adder.take(adder.running(laid, recipe.blocks), recipe.chosen)
