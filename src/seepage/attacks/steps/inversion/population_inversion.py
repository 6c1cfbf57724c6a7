"""Inputs of a network whose outputs are known, with the population that they come from learned on the way."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.inversion.bottom_outputs import PIN, BottomOutputs, PinnedSystems
from seepage.shapes import Array, Floats

NOISES: Final = np.logspace(0, -6, 7)
"""How far outputs may be off, squared, as a share of their mean square: less and less, so that no start is a trap."""
STEPS: Final = 2
"""Gauss-Newton steps at each noise."""
UNSURE: Final = 1e-4
"""The same for the spread of what is left open, which learning needs to be more than nothing."""
ROUNDS: Final = 14
"""How often the population is learned again at most."""
PLAIN_ROUNDS: Final = 3
"""After as many, each round goes as far again as it led: expectation and maximization creep towards their end."""
SETTLED: Final = 1.5e-3
"""A population has settled whose means one round moves by less, as a root mean square."""
RESTARTS: Final = 2
"""How often to start elsewhere where outputs stay unexplained; what explains them best is kept."""
EXPLAINED: Final = 0.01
"""How far off outputs may be, as a share of their root mean square, to count as explained."""
FEW_OUTPUTS: Final = 4
"""With more columns to an output than this, and no row known, embeddings do not tell what the population is like."""
SURE: Final = 1.5
"""Behind a ReLU, an output further above 0 than this many deviations of the noise says that its unit was open."""
LOST: Final = 0.06
"""Outputs that stay further off than this show that the population is wrong, or the network: the first idea is kept."""
MOST_LEARNED: Final = 400
"""Rows from which the population is learned at most, and fewer where there are many columns: see `MOST_VALUES`."""
MOST_VALUES: Final = 12_800
"""Values that the population is learned from."""
GROUP_NOISE: Final = 1e-4
"""How far the indicators of one attribute may be from adding up to one, squared."""
BELIEF: Final = 1.0
"""How many rows the first idea of the population is worth."""
LEAST_VARIANCE: Final = 1e-6
PINNINGS: Final = 2
"""How often values that a step takes out of their range are held at its end, before what is left is cut off."""
WIDE: Final = 128
"""With more columns than this, they are taken to vary independently of each other: systems stay small."""
MOST_HELD: Final = 4_000_000
"""How many numbers are held at a time."""


@dataclass(frozen=True, eq=False)
class SentRows:
    """Some rows: what was sent of them, and what else is known.

    Parameters
    ----------
    outputs
        Rows by outputs.
    beside
        Rows by own columns, scaled: they may go with the unknown ones.
    held
        Rows by columns in units: values that are known, and not a number elsewhere.
    """

    outputs: Floats
    beside: Floats
    held: Floats

    def __len__(self) -> int:
        return len(self.outputs)

    def some(self, rows: "Array | slice") -> "SentRows":
        """Return some of them."""
        return SentRows(self.outputs[rows], self.beside[rows], self.held[rows])

    def beside_others(self, others: "SentRows") -> "SentRows":
        """Return these rows and then others."""
        return SentRows(
            np.concatenate((self.outputs, others.outputs)),
            np.concatenate((self.beside, others.beside)),
            np.concatenate((self.held, others.held)),
        )


@dataclass(frozen=True, eq=False)
class Population:
    """How values are spread before outputs are looked at: around means that follow own columns.

    Parameters
    ----------
    middle
        What is guessed of a row of which nothing is known.
    weights
        One line for all rows and one for each own column, by columns: what is added to the middle.
    covariance
        How rows differ from their means.
    noise
        How far outputs were off when this was learned, squared, as a share of
        their mean square: what cannot be explained is taken for noise on the way.
    """

    middle: Floats
    weights: Floats
    covariance: Floats
    noise: float = 0.0

    def means(self, beside: Floats) -> Floats:
        """Return the mean of every row."""
        return np.asarray(self.middle + _with_ones(beside) @ self.weights)

    def beyond(self, before: "Population") -> "Population":
        r"""Go as far again as it went from another one: :math:`2B - B'` and :math:`S S'^{-1} S`, positive as *S* is."""
        if len(self.middle) > WIDE:
            covariance = np.diag(np.diag(self.covariance) ** 2 / np.diag(before.covariance))
        else:
            covariance = self.covariance @ np.linalg.solve(before.covariance, self.covariance)
        return replace(self, weights=2 * self.weights - before.weights, covariance=(covariance + covariance.T) / 2)

    @property
    def precision(self) -> Floats:
        """The inverse of the covariance; of many columns, one number for each."""
        if len(self.middle) > WIDE:
            return np.asarray(1 / (np.diag(self.covariance) + LEAST_VARIANCE))
        return np.asarray(np.linalg.inv(self.covariance + LEAST_VARIANCE * np.eye(len(self.middle))), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Inverted:
    """Values in units, how far their outputs are from those that were sent, and how much was left open in sum."""

    units: Floats
    errors: Floats
    spread: Floats


@dataclass(frozen=True, eq=False)
class PopulationInversion:
    r"""Find the inputs behind outputs, and with all of them the population that they come from.

    A row's outputs leave many inputs possible. Which of them is likely shows in
    the rows together: on each, other units of the network are at work, so that
    each pins down other directions. With :math:`u_i \sim N(c + B o_i, S)` for
    own columns :math:`o_i`, expectation and maximization take turns:

    .. math:: u_i = \arg\min_{0 \le u \le 1} \frac{\lVert f(u) - e_i \rVert^2}{\sigma^2}
        + (u - c - B o_i)^\top S^{-1} (u - c - B o_i),

    by Gauss-Newton steps while :math:`\sigma` falls, then *B* and *S* from all
    :math:`u_i` and from what outputs leave open around them. An output of 0
    behind a ReLU says that what came before was not positive, and no more.

    Parameters
    ----------
    bottom
        The network *f*.
    middle, variances
        The first idea of every column: its mean and its variance.
    groups
        Columns that are indicators of one attribute, which add up to one.
    """

    bottom: BottomOutputs
    middle: Floats
    variances: Floats
    groups: Sequence[Array] = field(default_factory=tuple)

    def inverted(self, rows: SentRows, known: tuple[Floats, Floats], rng: Generator) -> Inverted:
        """Learn the population from some rows, and find the inputs of all.

        Parameters
        ----------
        known
            Values of rows that are known, and own columns of these rows; both may be empty.
        """
        scale = float(np.mean(rows.outputs**2)) or 1.0
        count = min(MOST_LEARNED, 1 + MOST_VALUES // len(self.middle))
        some = rows.some(np.sort(rng.permutation(len(rows))[:count]))
        first = self._believed(known, rows.beside.shape[1])
        few = not len(known[0]) and FEW_OUTPUTS * rows.outputs.shape[1] < len(self.middle)
        best, least = self._settled(some, known, scale, first, rounds=1 if few else ROUNDS)
        heard = float(np.sqrt(self.bottom.noise / scale))
        for _ in range(RESTARTS):
            if few or least < EXPLAINED + heard or least > LOST + 2 * heard:
                break
            away = rng.normal(size=len(self.middle)) * np.sqrt(self.variances) / 2
            elsewhere = replace(first, middle=np.clip(self.middle + away, 0.0, 1.0))
            population, error = self._settled(some, known, scale, elsewhere)
            best, least = (population, error) if error < least else (best, least)
        if few or least > LOST + 2 * heard:
            best = replace(first, noise=least**2)
        return self._given(rows, best, scale)

    def _settled(
        self, rows: SentRows, known: tuple[Floats, Floats], scale: float, first: Population, rounds: int = ROUNDS
    ) -> tuple[Population, float]:
        """Let expectation and maximization take turns; return the population, and how far off outputs are with it."""
        population = learned = first
        for turn in range(rounds):
            found = self._given(rows, population, scale)
            noise = float(np.mean(found.errors**2) / scale)
            learned = replace(self._learned(found.units, found.spread, rows.beside, known), noise=noise)
            moved = learned.means(rows.beside) - population.means(rows.beside)
            if np.sqrt(np.mean(moved**2)) < SETTLED:
                break
            population = learned if turn < PLAIN_ROUNDS else learned.beyond(population)
        return learned, float(np.sqrt(learned.noise))

    def _believed(self, known: tuple[Floats, Floats], beside: int) -> Population:
        """Return what is believed before any output is looked at."""
        columns = len(self.middle)
        if len(known[0]):
            return self._learned(np.zeros((0, columns)), np.zeros((columns, columns)), np.zeros((0, beside)), known)
        return Population(self.middle, np.zeros((beside + 1, columns)), np.diag(self.variances))

    def _learned(self, units: Floats, spread: Floats, beside: Floats, known: tuple[Floats, Floats]) -> Population:
        """Maximize: fit means and covariance to values, known ones among them, the first idea counting as rows."""
        units, beside = np.concatenate((units, known[0])), np.concatenate((beside, known[1]))
        inputs = _with_ones(beside)
        penalty = BELIEF * np.eye(inputs.shape[1])
        weights: Floats = np.asarray(
            np.linalg.solve(inputs.T @ inputs + penalty, inputs.T @ (units - self.middle)), dtype=np.float64
        )
        off = units - self.middle - inputs @ weights
        covariance = (off.T @ off + spread + BELIEF * np.diag(self.variances)) / (len(units) + BELIEF)
        return Population(self.middle, weights, covariance)

    def _given(self, rows: SentRows, population: Population, scale: float) -> Inverted:
        """Expect: find the inputs of all rows under one population, some at a time."""
        columns, outputs = len(self.middle), rows.outputs.shape[1]
        each = columns * (outputs + len(self.groups) + (columns if columns <= WIDE else 1))
        at_once = max(1, MOST_HELD // each)
        parts = [
            self._part(rows.some(slice(start, start + at_once)), population, scale)
            for start in range(0, len(rows), at_once)
        ]
        return Inverted(
            np.concatenate([part.units for part in parts]),
            np.concatenate([part.errors for part in parts]),
            np.sum([part.spread for part in parts], axis=0),
        )

    def _part(self, rows: SentRows, population: Population, scale: float) -> Inverted:
        precision = population.precision
        known = ~np.isnan(rows.held)
        means = np.where(known, rows.held, population.means(rows.beside))
        units = np.clip(means, 0.0, 1.0, where=~known, out=means.copy())
        best, least = units, np.full(len(rows), np.inf)
        noises = np.maximum(NOISES, max(population.noise, self.bottom.noise / scale))
        for noise in np.repeat(noises, STEPS):
            errors, slopes = self._off(units, rows.outputs)
            away = _times(precision, means - units)
            cost = (errors**2).sum(axis=1) / (noises[-1] * scale) + ((means - units) * away).sum(axis=1)
            best, least = np.where((cost < least)[:, None], units, best), np.minimum(cost, least)
            system = self._system(slopes, precision, PIN * known, noise * scale)
            pull = away + self._pull(slopes, errors, units, noise * scale)
            units = np.where(known, units, np.clip(_stepped(system, pull, units), 0.0, 1.0))
        errors, slopes = self._off(best, rows.outputs)
        return Inverted(
            best, errors, self._system(slopes, precision, PIN * known, max(UNSURE, noises[-1]) * scale).spread()
        )

    def _off(self, units: Floats, outputs: Floats) -> tuple[Floats, Floats]:
        """Return what outputs lack, and their derivatives; where both sides are behind a closed ReLU, nothing."""
        values, slopes = self.bottom.at(units)
        outputs = self.bottom.unclipped(outputs, values)
        if not self.bottom.rectified:
            return outputs - values, slopes
        open_ = (outputs > SURE * np.sqrt(self.bottom.noise)) | (values > 0)
        return np.where(open_, outputs - values, 0.0), slopes * open_[:, :, None]

    @property
    def _sums(self) -> Floats:
        sums = np.zeros((len(self.groups), len(self.middle)))
        for place, group in enumerate(self.groups):
            sums[place, group] = 1.0
        return sums

    def _pull(self, slopes: Floats, errors: Floats, units: Floats, noise: float) -> Floats:
        sums = self._sums
        return np.asarray(np.einsum("nod,no->nd", slopes, errors) / noise + (1 - units @ sums.T) @ sums / GROUP_NOISE)

    def _system(self, slopes: Floats, precision: Floats, pins: Floats, noise: float) -> PinnedSystems:
        sums = np.broadcast_to(self._sums / np.sqrt(GROUP_NOISE), (len(slopes), len(self.groups), slopes.shape[2]))
        return PinnedSystems(precision, pins, np.concatenate((slopes / np.sqrt(noise), sums), axis=1))


def _stepped(system: PinnedSystems, pull: Floats, units: Floats) -> Floats:
    """Take a step; values that leave their range are held at its end, and the others step again."""
    new = units + system.over(pull)
    held = np.zeros(units.shape, dtype=np.bool_)
    for _ in range(PINNINGS):
        beyond = ((new < 0) | (new > 1)) & (system.pins == 0)
        rows = np.flatnonzero((beyond & ~held).any(axis=1))
        if not len(rows):
            break
        held |= beyond
        end = np.where(new[rows] > 0.5, 1.0, 0.0)
        sides = pull[rows] + PIN * held[rows] * (end - units[rows])
        new[rows] = units[rows] + system.pinned(held[rows], rows).over(sides)
    return new


def _times(precision: Floats, vectors: Floats) -> Floats:
    return np.asarray(vectors @ precision if precision.ndim == 2 else vectors * precision)


def _with_ones(columns: Floats) -> Floats:
    return np.hstack((np.ones((len(columns), 1)), columns))
