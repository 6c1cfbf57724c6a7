"""Names that were noised before they were given away, and own columns that foretell them: joined by Bayes' rule."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.learners.column_classifiers import Lines, Trees, told
from seepage.randomness import small_seed, some_of
from seepage.shapes import Array, Labels, Mask, Matrix, Rows

FOLDS: Final = 3
"""Of no row the own columns are asked by a classifier that was told its name."""
LEARNED_ROWS: Final = 6000
"""How many rows each classifier learns from at most."""
TREES: Final = 30
LEAST_IN_LEAF: Final = 8
STRENGTH: Final = 0.1
"""The inverse of the penalty on coefficients of standardized columns: names are wrong for some rows."""
SUREST: Final = 0.1
"""The share of rows, those that columns are surest of, which tells how often names are right."""
FEWEST: Final = 30
"""How many rows tell that at least."""
ODD: Final = 0.1
"""The share of known rows that may be odd, so that one of them does not name a group."""
FAINT: Final = 1e-3
"""What columns leave to a class at least."""

Classifiers: TypeAlias = Literal["lines", "both"]
"""What learns names: logistic regression, or that and trees, which take most of the time."""


@dataclass(frozen=True, eq=False)
class NoisyNames:
    r"""What messages say of the class of every row, and what own columns of other rows with such names say of it.

    A name :math:`d` is the label :math:`y`, or any other class by chance, and messages :math:`g` tell the name. Where
    neither that chance nor the messages look at own columns :math:`x`,

    .. math:: p(y \mid x, g) \propto p(y \mid x) \sum_d P(d \mid y) \, p(g \mid d), \qquad
              P(d \mid y) = \begin{cases} a & d = y \\ (1 - a) / (K - 1) & d \ne y. \end{cases}

    :math:`p(g \mid d)` is what was read off messages over the shares of the names, and
    :math:`p(d \mid x) = \sum_y P(d \mid y) \, p(y \mid x)`, which can be learned from the names, is solved for
    :math:`p(y \mid x)`. With :math:`a = 1` this is a product of two opinions that err independently; with
    :math:`a = 1 / K` names say nothing.

    Parameters
    ----------
    read
        The confidence in each name that was read off messages: rows by classes; alike where none speaks of a row.
    foretold
        The confidence of own columns in each name, by classifiers that were not told the row's own.
    kept
        a: how often names are right.
    """

    read: Array
    foretold: Array
    kept: float

    @property
    def by_columns(self) -> Array:
        """What own columns say of labels: rows by classes.

        >>> NoisyNames(np.eye(2), np.array([[0.7, 0.3], [0.5, 0.5]]), kept=0.75).by_columns.round(3)
        array([[0.9, 0.1],
               [0.5, 0.5]])
        """
        wrong = self._wrong(self.kept)
        return _even(np.maximum(self.foretold - wrong, FAINT * (self.kept - wrong)))

    @property
    def joined(self) -> Array:
        """What own columns and messages say together: rows by classes.

        >>> NoisyNames(np.eye(2), np.array([[0.7, 0.3], [0.5, 0.5]]), kept=0.75).joined.round(3)
        array([[0.964, 0.036],
               [0.25 , 0.75 ]])
        """
        told = self.read / np.maximum(self.read.mean(axis=0), FAINT)
        kept = min(1.0, self.kept / float(self.read.max(axis=1).mean()))  # what was misread is in `read` already
        wrong = self._wrong(kept)
        return _even(self.by_columns * (wrong * told.sum(axis=1, keepdims=True) + (kept - wrong) * told))

    def renamed(self, order: Labels) -> "NoisyNames":
        """Return the same where the first class is called as `order` says, and so on."""
        back = np.argsort(order)
        return NoisyNames(self.read[:, back], self.foretold[:, back], self.kept)

    def named_by(self, known: Rows, labels: Labels) -> "NoisyNames":
        """Name groups so that known labels are as likely as can be.

        >>> names = NoisyNames(np.eye(2), np.array([[0.7, 0.3], [0.5, 0.5]]), kept=0.75)
        >>> names.named_by(np.array([0]), np.array([1])).joined.round(3)
        array([[0.036, 0.964],
               [0.75 , 0.25 ]])
        """
        from scipy.optimize import linear_sum_assignment

        classes, said = self.read.shape[1], self.joined
        often = said[known] / np.maximum(said.mean(axis=0), FAINT)
        likely = np.zeros((classes, classes))
        np.add.at(likely.T, labels, np.log((1 - ODD) * often + ODD))
        group, name = linear_sum_assignment(-likely)
        return self.renamed(name[np.argsort(group)])

    def _wrong(self, kept: float) -> float:
        return float((1.0 - kept) / (self.read.shape[1] - 1))


def noisy_names(
    read: Array, heard: Mask, columns: Matrix, rng: Generator, models: Classifiers = "both"
) -> NoisyNames | None:
    """Let own columns foretell names; None where they cannot, since they do no better than the share of each name.

    How often names are right is told by the rows that columns are surest of, as often as these are foretold right,
    less a standard error: however sure columns may be of a label, names that were replaced they cannot foretell.

    Parameters
    ----------
    read
        The confidence in each name that was read off messages: rows by classes.
    heard
        Which rows a message speaks of.
    columns
        Own columns of all rows.

    Examples
    --------
    Names are wrong for three rows in ten, but columns go with the true label:

    >>> rng = np.random.default_rng(0)
    >>> truth = np.arange(2000) % 2
    >>> names = np.where(rng.random(2000) < 0.3, 1 - truth, truth)
    >>> columns = truth[:, None] + rng.normal(scale=0.5, size=(2000, 1))
    >>> found = noisy_names(np.eye(2)[names], np.ones(2000, bool), columns, rng)

    True
    >>> bool(np.mean(names == truth) < 0.72), bool(np.mean(found.joined.argmax(axis=1) == truth) > 0.82)
    (True, True)
    >>> noisy_names(np.eye(2)[names], np.ones(2000, bool), rng.normal(size=(2000, 1)), rng) is None
    True
    """
    classes = read.shape[1]
    names, sure, rows = read.argmax(axis=1), read.max(axis=1), np.flatnonzero(heard)
    foretold = _foretold(names, sure, heard, columns, classes, models, rng)
    by_share = (np.bincount(names[rows], minlength=classes) / len(rows))[names[rows]]
    if np.log((foretold[rows, names[rows]] + by_share) / 2).mean() <= np.log(by_share).mean():
        return None
    surest = rows[np.argsort(-foretold[rows].max(axis=1), kind="stable")[: max(FEWEST, round(SUREST * len(rows)))]]
    often = float(np.mean(foretold[surest].argmax(axis=1) == names[surest]))
    kept = often - np.sqrt(max(often * (1 - often), 0.01) / len(surest))
    silent = np.full_like(read, 1 / classes)
    return NoisyNames(np.where(heard[:, None], read, silent), foretold, max(float(kept), 1.1 / classes))


def _foretold(
    names: Labels, sure: Array, heard: Mask, columns: Matrix, classes: int, kinds: Classifiers, rng: Generator
) -> Array:
    """Return the mean of what classifiers say of all rows, none of which told them its own name."""
    folds = rng.integers(FOLDS, size=len(names))
    lines, trees = Lines(STRENGTH), Trees(small_seed(rng), TREES, LEAST_IN_LEAF)
    models = (lines,) if kinds == "lines" else (trees, lines)
    said = np.zeros((len(names), classes))
    for fold in range(FOLDS):
        places, asked = some_of(np.flatnonzero(heard & (folds != fold)), LEARNED_ROWS, rng), folds == fold
        for model in models:
            said[asked] += told(model, columns[places], names[places], sure[places], columns[asked], classes)
    return said / len(models)


def _even(said: Array) -> Array:
    return np.asarray(said / said.sum(axis=1, keepdims=True))
