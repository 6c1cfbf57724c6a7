"""The kinds of guesses: labels, groups, values, paths, fractions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from seepage.shapes import Array, Integers, Labels, Mask, Matrix, Rows, Sides
from seepage.trees.paths import asked_intervals


@dataclass(frozen=True, eq=False)
class LabelGuess:
    """Scores for every class of some rows; the highest is the guessed label.

    Rows that an attack abstains from count as wrong.

    Parameters
    ----------
    steps
        What the attack would have guessed at earlier steps, by name: one label for
        each row, −1 where there is none. They are scored beside.
    notes
        What the attack can say of itself without knowing the truth.

    Examples
    --------
    >>> scores = np.array([[0.2, 0.8], [0.5, 0.5]])
    >>> LabelGuess(rows=np.array([5, 9]), scores=scores, abstained=np.array([False, True])).labels
    array([ 1, -1])
    """

    rows: Rows
    scores: Matrix
    abstained: Mask = field(default_factory=lambda: np.zeros(0, dtype=bool))
    steps: Mapping[str, Labels] = field(default_factory=dict)
    notes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.abstained.size == 0:
            object.__setattr__(self, "abstained", np.zeros(len(self.rows), dtype=bool))
        if not len(self.rows) == len(self.scores) == len(self.abstained):
            raise ValueError(
                f"a guess needs one line for each row, got {len(self.rows)} rows, "
                f"{len(self.scores)} lines of scores and {len(self.abstained)} abstentions"
            )
        for labels in self.steps.values():
            if len(labels) != len(self.rows):
                raise ValueError(
                    f"what stands beside needs one line for each row, got {len(labels)} for {len(self.rows)}"
                )

    @property
    def labels(self) -> Labels:
        """The guessed class of every row; −1 where the attack abstains."""
        return np.where(self.abstained, -1, self.scores.argmax(axis=1)).astype(np.int64)

    def about(self, rows: Rows) -> "LabelGuess":
        """Return what the guess says about these rows, and about no others; it abstains from rows that it leaves out.

        >>> guess = LabelGuess(np.array([4, 7]), np.array([[0.1, 0.9], [0.8, 0.2]]))
        >>> guess.about(np.array([7, 9])).labels
        array([ 0, -1])
        """
        if np.array_equal(self.rows, rows):
            return self
        if not len(self.rows):
            return LabelGuess(rows, np.zeros((len(rows), self.scores.shape[1])), np.ones(len(rows), dtype=bool))
        order = np.argsort(self.rows)
        place = order[np.searchsorted(self.rows[order], rows).clip(max=len(order) - 1)]
        silent = self.rows[place] != rows
        return LabelGuess(
            rows=rows,
            scores=np.where(silent[:, None], 0.0, self.scores[place]),
            abstained=silent | self.abstained[place],
            steps={name: np.where(silent, -1, labels[place]) for name, labels in self.steps.items()},
            notes=self.notes,
        )


@dataclass(frozen=True, eq=False)
class ClusterGuess:
    """Which rows belong together; the numbers of the clusters mean nothing.

    Parameters
    ----------
    steps
        Other clusterings of the same rows that were made on the way, by name;
        they are scored beside.
    """

    rows: Rows
    clusters: Labels
    steps: Mapping[str, Labels] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for clusters in (self.clusters, *self.steps.values()):
            if len(clusters) != len(self.rows):
                raise ValueError(f"a guess needs one cluster for each row, got {len(clusters)} for {len(self.rows)}")


@dataclass(frozen=True, eq=False)
class FeatureGuess:
    """Values of columns that the adversary does not hold.

    Parameters
    ----------
    columns
        The party and the encoded column of every guessed column.
    units
        Rows by columns: 0 is the least value of the column's range, 1 the largest.
    notes
        What the attack can say of itself without knowing the truth, such as its
        error on confidences.
    chosen
        Whether these columns alone were asked for. Otherwise every column that
        the adversary lacks is scored, with ½ where nothing is guessed.

    Examples
    --------
    >>> FeatureGuess(rows=np.array([5]), columns=(("shop", "visits"),), units=np.array([[0.2]])).of("shop", "visits")
    array([0.2])
    """

    rows: Rows
    columns: tuple[tuple[str, str], ...]
    units: Matrix
    notes: Mapping[str, float] = field(default_factory=dict)
    chosen: bool = False

    def __post_init__(self) -> None:
        if not np.isfinite(self.units).all():
            raise ValueError("a guess must be made of numbers, but some of its values are none")
        shape = self.units.shape
        if shape != (len(self.rows), len(self.columns)):
            raise ValueError(
                f"a guess needs {len(self.rows)} rows by {len(self.columns)} columns, got an array of {shape}"
            )

    def of(self, party: str, column: str) -> Array:
        """Return what is guessed of one column."""
        return np.asarray(self.units[:, self.columns.index((party, column))])


@dataclass(frozen=True, eq=False)
class Branches:
    """The splits of a tree that the adversary cannot follow, and which way each leaf lies.

    Parameters
    ----------
    columns
        The party and the encoded column of every such node.
    thresholds
        Encoded values at or below go left.
    units
        The same thresholds in units: 0 is the least value of the column's range, 1 the largest.
    missing_left
        Whether a missing value goes left.
    paths
        Leaves by nodes: 1 where the path to the leaf goes left at the node, −1
        where it goes right, 0 where the node is not on it.
    """

    columns: tuple[tuple[str, str], ...]
    thresholds: Matrix
    units: Matrix
    missing_left: Mask
    paths: Sides

    @property
    def targets(self) -> tuple[tuple[str, str], ...]:
        """Every column that is split somewhere, once."""
        return tuple(dict.fromkeys(self.columns))

    @property
    def places(self) -> Integers:
        """Which of `targets` each node splits."""
        place = {column: number for number, column in enumerate(self.targets)}
        return np.array([place[column] for column in self.columns], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class BranchGuess:
    """The path that each row took down a tree, and with it an interval for every column on that path.

    Parameters
    ----------
    leaf
        The guessed leaf of each row, by its place among the leaves.
    candidates
        Rows by leaves: those that own columns and the prediction allow.
    reachable
        Rows by leaves: those that own columns allow.
    notes
        What the attack can say of itself without knowing the truth.
    """

    rows: Rows
    branches: Branches
    leaf: Labels
    candidates: Mask
    reachable: Mask
    notes: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = (len(self.rows), len(self.branches.paths))
        if len(self.leaf) != len(self.rows) or self.candidates.shape != shape or self.reachable.shape != shape:
            raise ValueError(f"a guess needs a leaf for each of {shape[0]} rows, and {shape[1]} leaves to choose from")

    @property
    def intervals(self) -> tuple[Matrix, Matrix]:
        """What each row's path implies of each of the `targets`: above the first, at most the second.

        Rows by columns, in units. Where the path asks nothing of a side, the
        end of the range stands there: 0 or 1. A path that only a row without
        the value can take has its first end at or above the second.

        >>> branches = Branches((("shop", "visits"),) * 2, np.array([5.0, 2.0]), np.array([0.5, 0.2]),
        ...                     np.zeros(2, bool), np.array([[1, 1], [1, -1], [-1, 0]], dtype=np.int8))
        >>> every = np.ones((3, 3), dtype=bool)
        >>> low, high = BranchGuess(np.arange(3), branches, np.arange(3), every, every).intervals
        >>> low.ravel(), high.ravel()
        (array([0. , 0.2, 0.5]), array([0.2, 0.5, 1. ]))
        """
        branches = self.branches
        low, high = asked_intervals(branches.paths, branches.places, branches.units)
        low, high = np.where(np.isinf(low), 0.0, low), np.where(np.isinf(high), 1.0, high)
        return low[self.leaf], high[self.leaf]


@dataclass(frozen=True, eq=False)
class NormHistograms:
    """How the norms of one kind of intermediate results are spread, in populations of known fractions.

    Counts of people in bins; they name nobody.

    Parameters
    ----------
    edges
        The ends of the bins, one more than there are bins.
    shares
        Fraction of rows with the property → share of a population in each bin.
    """

    edges: Array
    shares: Mapping[float, Array]


@dataclass(frozen=True, eq=False)
class FractionGuess:
    """Which fraction of the training rows has a property.

    Parameters
    ----------
    fraction
        Between 0 and 1.
    others
        What other ways to count would have said, by name; they are scored beside.
    notes
        What the attack can say of itself without knowing the truth.
    pictures
        Kind of intermediate result → how norms are spread.

    Examples
    --------
    >>> FractionGuess(1.2)
    Traceback (most recent call last):
        ...
    ValueError: a fraction must lie between 0 and 1, got 1.2
    """

    fraction: float
    others: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, float] = field(default_factory=dict)
    pictures: Mapping[str, NormHistograms] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for fraction in (self.fraction, *self.others.values()):
            if not 0 <= fraction <= 1:
                raise ValueError(f"a fraction must lie between 0 and 1, got {fraction}")


Guess: TypeAlias = LabelGuess | ClusterGuess | FeatureGuess | BranchGuess | FractionGuess
