"""Compare how norms are spread with populations whose fraction is known: Algorithm 1 of paper 000."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.norms.fraction_regression import Regressor, fitted_regressor
from seepage.shapes import Array, Counts, Mask, Matrix

Norm: TypeAlias = Literal["l1", "l2", "linf"]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    r"""How populations of known fractions are made, and what learns the fraction from the spread of their norms.

    Parameters
    ----------
    populations
        How many populations are made from auxiliary rows (R).
    population
        How many rows each has (M).
    step
        Fractions of populations lie on a grid of so many percent (q), which must divide 100.
    queries
        How many populations are drawn from the training rows; their answers are averaged (Q).
    norm
        ``l1`` (mean absolute value, so that width does not matter), ``l2`` (Euclidean) or ``linf`` (largest).
    regressor
        ``xgboost``, ``tree``, ``linear`` or ``svr``.
    quantiles
        Into so many equal slices the sorted norms of a population are cut, each
        standing for its mean. None takes the sorted norms themselves, as does any
        number from `population` on.

    Examples
    --------
    Rows whose norm *is* the property, a fifth of them with it:

    >>> rng = np.random.default_rng(0)
    >>> has = np.arange(1000) % 5 == 0
    >>> norms = has.astype(float)
    >>> known = np.concatenate((np.flatnonzero(has)[:50], np.flatnonzero(~has)[:50]))
    >>> round(Comparison().estimate(norms[known], has[known], norms, rng), 2)
    0.2

    Notes
    -----
    The paper writes the norms down in the order of drawing; its code sorts them,
    without which no entry of the vector would mean anything. It feeds all M of
    them. Means of 100 slices lose nothing that we could measure and are about 15
    times as fast (docs/attacks/distribution-comparison.md has the numbers); single points of
    the distribution, as quantiles usually are, would lose what lies between two of them.
    """

    populations: int = 200
    population: int = 2000
    step: float = 1.0
    queries: int = 100
    norm: Norm = "l1"
    regressor: Regressor = "xgboost"
    quantiles: int | None = 100

    def __post_init__(self) -> None:
        for name in ("populations", "population", "queries"):
            if getattr(self, name) < 1:
                raise ValueError(f"comparison.{name} must be 1 or more, got {getattr(self, name)}")
        if not 0 < self.step <= 100 or abs(100 / self.step - round(100 / self.step)) > 1e-9:
            raise ValueError(
                f"comparison.step is in percent and must divide 100, as 1, 2.5 or 10 do, got {self.step:g}"
            )
        if self.quantiles is not None and self.quantiles < 2:
            raise ValueError(f"comparison.quantiles must be 2 or more, got {self.quantiles}")
        for name, known in (("norm", get_args(Norm)), ("regressor", get_args(Regressor))):
            if getattr(self, name) not in known:
                raise ValueError(f"comparison.{name} must be one of {', '.join(known)}, got '{getattr(self, name)}'")

    @property
    def grid(self) -> Array:
        """The fractions that populations may have: {0, q %, …, 100 %}."""
        return np.linspace(0, 1, round(100 / self.step) + 1)

    def norms(self, results: Matrix) -> Array:
        """Return the norm of each row.

        >>> Comparison().norms(np.array([[3.0, -4.0], [0.0, 1.0]]))
        array([3.5, 0.5])
        """
        wide = np.abs(results, dtype=np.float64)
        if self.norm == "l1":
            return np.asarray(wide.mean(axis=1))
        return np.asarray(np.linalg.norm(wide, axis=1) if self.norm == "l2" else wide.max(axis=1, initial=0.0))

    def estimate(self, known: Array, has: Mask, asked: Array, rng: Generator) -> float:
        """Estimate which fraction of the asked rows has the property, from norms of known rows: Algorithm 1.

        In which order rows stand makes no difference.
        """
        if has.all() or not has.any() or not len(asked):
            raise ValueError(
                f"known rows of both sides and asked ones are needed, got {has.sum()} with the property, "
                f"{(~has).sum()} without and {len(asked)} asked"
            )
        counts = np.rint(rng.choice(self.grid, self.populations) * self.population).astype(np.int64)  # line 4
        made = self.vectors(mixed(np.sort(known[has]), np.sort(known[~has]), counts, self.population, rng))
        said = fitted_regressor(made, counts / self.population, self.regressor, rng)  # line 9
        everybody = np.full(self.queries, self.population)
        queries = self.vectors(mixed(np.sort(asked), asked[:0], everybody, self.population, rng))
        return float(said(queries).mean())  # lines 11–15

    def vectors(self, drawn: Matrix) -> Matrix:
        """Return the distribution vector of each population: its sorted norms, or their means slice by slice.

        >>> Comparison(quantiles=2).vectors(np.array([[0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]]))
        array([[0.25, 1.  ]])
        """
        ordered = np.sort(drawn, axis=1)
        size = ordered.shape[1]
        if self.quantiles is None or self.quantiles >= size:
            return ordered
        ends = np.arange(self.quantiles + 1) * size // self.quantiles
        return np.asarray(np.add.reduceat(ordered, ends[:-1], axis=1) / np.diff(ends))


def mixed(with_it: Array, without: Array, counts: Counts, size: int, rng: Generator) -> Matrix:
    """Draw populations of a size, each with so many of those that have the property: lines 5 and 6 of Algorithm 1.

    Nobody is drawn twice into a population, unless it asks for more than a side has.

    >>> mixed(np.ones(3), np.zeros(9), np.array([0, 2, 4]), 4, np.random.default_rng(0)).sum(axis=1)
    array([0., 2., 4.])
    """
    drawn = np.empty((len(counts), size))
    for population, count in zip(drawn, counts, strict=True):
        for side, place in ((with_it, population[:count]), (without, population[count:])):
            place[:] = side[rng.choice(len(side), len(place), replace=len(place) > len(side), shuffle=False)]
    return drawn
