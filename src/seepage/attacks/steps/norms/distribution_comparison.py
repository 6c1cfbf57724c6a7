"""Compare how norms are spread with populations whose fraction is known: Algorithm 1 of paper 000."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.norms.norm_divergences import divergence_notes, norm_spread
from seepage.checks import check_choice, check_counts, check_least
from seepage.errors import IncompatibleView
from seepage.guesses import FractionGuess, NormHistograms
from seepage.randomness import small_seed
from seepage.shapes import Array, Counts, Mask, Matrix
from seepage.views.auxiliary import KnownRows
from seepage.views.intermediate_results import IntermediateResults

Regressor: TypeAlias = Literal["xgboost", "tree", "linear", "svr"]
Norm: TypeAlias = Literal["l1", "l2", "linf"]
FRACTIONS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The populations of Figure 2 of paper 000."""


def fitted_regressor(
    vectors: Matrix, fractions: Array, regressor: Regressor, rng: Generator
) -> Callable[[Matrix], Array]:
    """Fit a regressor and return what it says of other populations, clipped to [0, 1].

    ``xgboost`` has the settings of paper 000: squared error, 100 rounds, rate 0.1,
    depth 6, exact splits. ``tree`` and ``linear`` are scikit-learn's defaults. For
    ``svr`` every entry of the vector and the fraction are standardized first, and its
    tolerance is 0.01 of that: left at 0.1 of a fraction it would swallow what is
    to be measured. Vectors are put into units of their own spread, since norms of
    gradients can be so small that a tree takes them for constant.

    >>> rng = np.random.default_rng(0)
    >>> fractions = np.linspace(0, 1, 21)
    >>> said = fitted_regressor(fractions[:, None], fractions, "linear", rng)
    >>> said(np.array([[0.25], [1.5]])).round(2)
    array([0.25, 1.  ])
    """
    unit = float(vectors.std()) or 1.0
    fitted = _unfitted(regressor, small_seed(rng)).fit(vectors / unit, fractions)
    return lambda others: np.clip(np.asarray(fitted.predict(others / unit), dtype=np.float64), 0.0, 1.0)


def _unfitted(regressor: Regressor, seed: int) -> Any:  # regressors of three libraries
    if regressor == "xgboost":
        from xgboost import XGBRegressor

        return XGBRegressor(
            objective="reg:squarederror",
            n_estimators=100,
            learning_rate=0.1,
            max_depth=6,
            tree_method="exact",
            n_jobs=1,
            random_state=seed,
        )
    if regressor == "tree":
        from sklearn.tree import DecisionTreeRegressor

        return DecisionTreeRegressor(random_state=seed)
    if regressor == "linear":
        from sklearn.linear_model import LinearRegression

        return LinearRegression()
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    return TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR(epsilon=0.01)), transformer=StandardScaler())


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
        check_counts(**{f"comparison.{name}": getattr(self, name) for name in ("populations", "population", "queries")})
        if not 0 < self.step <= 100 or abs(100 / self.step - round(100 / self.step)) > 1e-9:
            raise ValueError(
                f"comparison.step is in percent and must divide 100, as 1, 2.5 or 10 do, got {self.step:g}"
            )
        check_least(2, **{"comparison.quantiles": self.quantiles})
        check_choice(Norm, **{"comparison.norm": self.norm})
        check_choice(Regressor, **{"comparison.regressor": self.regressor})

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


def compared_results(
    results: IntermediateResults, known: KnownRows, comparison: Comparison, rng: Generator
) -> FractionGuess:
    """Estimate the fraction from each kind of intermediate results and average: Algorithm 1 of paper 000.

    Queries are drawn from all training rows, auxiliary ones included, but not
    from rows for which people stand in whom nobody else knows: those are no part of
    the population. Beside stand the estimate of each kind alone, the divergences
    of Table II (of VO where it is known, of AO otherwise), and for each kind how norms are
    spread at five fractions.
    """
    places = results.at(known.rows)
    asked = np.ones(len(results.rows), dtype=bool)
    asked[places] = known.aligned
    norms = {kind: _finite(kind, comparison.norms(matrix)) for kind, matrix in results.of.items()}
    found = {
        str(kind): comparison.estimate(values[places], known.has, values[asked], rng) for kind, values in norms.items()
    }
    return FractionGuess(
        float(np.mean(list(found.values()))),
        others=found,
        notes=divergence_notes(norms["VO" if "VO" in norms else "AO"][places], known.has, rng),
        pictures={str(kind): _picture(values[places], known.has) for kind, values in norms.items()},
    )


def _finite(kind: str, norms: Array) -> Array:
    if not np.isfinite(norms).all():
        raise IncompatibleView(
            f"Some norms of {kind} are no numbers, since training ran away. Lower its learning rate."
        )
    return norms


def _picture(norms: Array, has: Mask) -> NormHistograms:
    spread = norm_spread(norms, has)
    return NormHistograms(spread.edges, {fraction: spread.at(fraction) for fraction in FRACTIONS})
