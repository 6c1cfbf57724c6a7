"""What sides of splits prove about values, once it is known which column a split is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from seepage.shapes import Floats, Matrix, Sides


@dataclass(frozen=True)
class NamedSplit:
    """A split of which the column is certain, and between which values its threshold lies.

    Parameters
    ----------
    split
        Its place among the splits.
    column
        Its place among the columns of its owner.
    left, right
        The largest known value that went left, and the smallest that went right.
    """

    split: int
    column: int
    left: float
    right: float


def named_splits(sides: Sides, values: Matrix) -> list[NamedSplit]:
    """Find the column of every split that known rows decide about.

    What goes left is at or below a threshold, what goes right above it. So if of
    all columns of the owner only one has its known values in that order, the
    split is about that one: no chance is involved. Where a split fits none of
    the columns, these are not the values that the trees were grown on (a defense
    has changed them); then nothing is certain and no split is named.

    Parameters
    ----------
    sides
        Known rows by splits of one party: 1 left, −1 right, 0 neither.
    values
        Known rows by columns of that party; a gap fits everything.

    Examples
    --------
    Four known rows, two columns; the split parts them as the first does, between 2 and 5:

    >>> named_splits(np.array([[1], [1], [-1], [-1]], dtype=np.int8), np.array([[1, 7], [2, 3], [5, 4], [9, 9.0]]))
    [NamedSplit(split=0, column=0, left=2.0, right=5.0)]
    """
    found = []
    for split in range(sides.shape[1]):
        went_left, went_right = values[sides[:, split] == 1], values[sides[:, split] == -1]
        if not (len(went_left) and len(went_right)):
            continue
        left, right = np.fmax.reduce(went_left, axis=0), np.fmin.reduce(went_right, axis=0)
        fitting = np.flatnonzero(~(left >= right))  # a side of gaps alone fits
        if not len(fitting):
            return []
        column = fitting[0]
        if len(fitting) == 1 and left[column] < right[column]:
            found.append(NamedSplit(split, int(column), float(left[column]), float(right[column])))
    return found


@dataclass(eq=False)
class Bounds:
    """Between which units the values of every row must lie, rows by columns; narrowed in place."""

    low: Floats
    high: Floats

    @classmethod
    def open(cls, rows: int, columns: int) -> "Bounds":
        """Allow the whole range of every column."""
        return cls(np.zeros((rows, columns)), np.ones((rows, columns)))

    def narrow(self, sides: Sides, column: int, left: float, right: float, *, indicator: bool) -> None:
        """Take in on which side of a named split each row lies.

        An indicator is at most `left` or at least `right`. Other columns part somewhere
        between the two: halfway, where the error is least at worst.
        """
        ends = (left, right) if indicator else ((left + right) / 2,) * 2
        below, above = sides == 1, sides == -1
        self.high[below, column] = np.minimum(self.high[below, column], ends[0])
        self.low[above, column] = np.maximum(self.low[above, column], ends[1])

    def within(self, told: Matrix) -> Matrix:
        """Move what is told to the nearest allowed value; where halfway points cross, between them."""
        crossed = self.low > self.high
        middle = (self.low + self.high) / 2
        return np.clip(told, np.where(crossed, middle, self.low), np.where(crossed, middle, self.high))


def one_of_each(told: Matrix, bounds: Bounds, groups: Sequence[Sequence[int]]) -> Matrix:
    """Let the indicators of one attribute sum to 1, as near to what was told as that allows.

    An indicator that is proven to be 1 leaves nothing to the others; one that is
    proven to be 0 leaves its share to them.

    Examples
    --------
    >>> told, bounds = np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]]), Bounds.open(2, 3)
    >>> bounds.high[0, 0] = 0.0
    >>> bounds.low[1, 2] = 1.0
    >>> one_of_each(told, bounds, [(0, 1, 2)])
    array([[0.  , 0.55, 0.45], [0.  , 0.  , 1.  ]])
    """
    told = told.copy()
    for group in map(list, groups):
        weighed = np.where(bounds.high[:, group] <= 0, -np.inf, told[:, group])
        weighed = np.where(bounds.low[:, group] >= 1, np.inf, weighed)
        told[:, group] = _onto_simplex(np.clip(weighed, -len(group) - 1, len(group) + 1))
    return told


def summing_to_one(told: Matrix, groups: Sequence[Sequence[int]]) -> Matrix:
    """Let the indicators of one attribute sum to 1 where nothing is proven about them.

    >>> summing_to_one(np.array([[0.5, 0.3, 0.0]]), [(0, 1)])
    array([[0.6, 0.4, 0. ]])
    """
    return one_of_each(told, Bounds.open(*told.shape), groups)


def indicator_groups(attributes: Sequence[str], all_attributes: Mapping[str, int], units: Matrix) -> list[list[int]]:
    """Return the places of indicators of which exactly one is set: whole attributes, 0 or 1 on every known row.

    >>> units = np.array([[0.2, 1.0, 0.0], [0.4, 0.0, 1.0]])
    >>> indicator_groups(["age", "job", "job"], {"age": 1, "job": 2}, units)
    [[1, 2]]
    """
    groups = []
    for attribute in dict.fromkeys(attributes):
        places = [place for place, name in enumerate(attributes) if name == attribute]
        chosen = units[:, places]
        whole = 1 < len(places) == all_attributes[attribute]
        if whole and np.isin(chosen, (0.0, 1.0)).all() and (chosen.sum(axis=1) == 1).all():
            groups.append(places)
    return groups


def _onto_simplex(points: Matrix) -> Matrix:
    """Return the nearest points whose parts are 0 or more and sum to 1."""
    falling = -np.sort(-points, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1) / np.arange(1, points.shape[1] + 1)
    last = np.count_nonzero(falling > excess, axis=1) - 1
    return np.asarray(np.maximum(points - excess[np.arange(len(points)), last][:, None], 0.0))
