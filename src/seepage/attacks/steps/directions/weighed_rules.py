"""Many ways to tell classes apart by directions, weighed by what an adversary can check itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.steps.directions.direction_space import direction_space, direction_spaces
from seepage.attacks.steps.directions.lines import line_space
from seepage.attacks.steps.directions.side_by_side import SideBySide, Space
from seepage.attacks.steps.directions.strengths import strength_space
from seepage.attacks.steps.directions.sums import sum_space
from seepage.learners.linear_rules import Beginning, LinearRule, probed, refined, size
from seepage.shapes import Array, Labels, Mask, Matrix, Rows

RuleKind: TypeAlias = Literal["probe", "mixture", "auto"]
Told: TypeAlias = tuple[Rows, Labels]
"""Places of known rows, and their labels."""
POWERS: Final = (0.5, 1.0)
"""Gradients are divided by their length, or by its root: weak ones may be mere noise, or as good as strong ones."""
COMPONENTS: Final = 32
"""How many components to look at, besides two for each class."""
ROUNDS: Final = (1, 3, 60)
"""After how many rounds of self-training a rule is looked at; the last is where it settles."""
LEARNED_ROWS: Final = 8000
"""How many rows are learned from; what is learned is then said of all."""
TAUGHT_ROWS: Final = 3000
"""How many named rows own columns learn from."""
TOLD_AT_ONCE: Final = 1 << 17
FOLDS: Final = 4
SURE: Final = 0.9
"""Who foretells known labels with more confidence than this, in the mean, needs no second opinion."""
MISTAKES: Final = 0.02
"""The share of mistakes that every rule is expected to make however sure it is."""


@dataclass(frozen=True, eq=False)
class WeighedRules:
    """Confidences of many rules, weighed.

    Parameters
    ----------
    spaces, rules
        The places that each rule reads, and the rule.
    weights
        Positive, adding up to 1.
    held_out
        What they say of each known row when its label is held out: known rows by classes.
    """

    spaces: tuple[Space, ...]
    rules: tuple[tuple[LinearRule, ...], ...]
    weights: Array
    held_out: Array

    def beyond_doubt(self, labels: Labels) -> bool:
        """Whether known labels were foretold with confidence, so that nothing is left to ask."""
        return bool(self.held_out[np.arange(len(labels)), labels].mean() > SURE)

    def confidences(self, values: Matrix, inputs: Matrix) -> Array:
        """Return the confidence in each class: rows by classes. Many rows are told part by part, in less memory."""
        starts = range(0, max(1, len(values)), TOLD_AT_ONCE)
        parts = [slice(start, start + TOLD_AT_ONCE) for start in starts]
        return np.concatenate([self._confidences(values[part], inputs[part]) for part in parts])

    def _confidences(self, values: Matrix, inputs: Matrix) -> Array:
        total = np.zeros((len(values), len(self.rules[0][0].bias)))
        for space, rules, weights in zip(self.spaces, self.rules, self.weights, strict=True):
            points = np.hstack((space.coordinates(values), inputs))
            for rule, weight in zip(rules, weights, strict=True):
                total += weight * rule.confidences(points)
        return total


def weighed_rules(
    values: Matrix, inputs: Matrix, known: Rows, labels: Labels, classes: int, kind: RuleKind, rng: Generator
) -> WeighedRules:
    r"""Learn rules from the known places, and weigh each by how likely it makes known labels that it was not told.

    .. math:: w_r \propto \prod_{i \text{ known}} p_r^{(-i)}(y_i)

    Up to four folds, with one label of each class in turn held out. Rules that
    cannot be told apart by so few rows are averaged; one that self-training has
    led astray loses its weight. Once known labels are foretold beyond doubt, no further
    rules are tried. The last to be tried read what noise leaves: the mean over epochs, how strong a row is in each
    direction, and on which line it is pulled.

    Parameters
    ----------
    values
        Gradients: rows by epochs by numbers.
    inputs
        What else is known of each row, such as own columns; may have no columns.
    known, labels
        Places of rows whose label is known.
    """
    learned = _learned(values, known, rng)
    places, sample = np.searchsorted(learned, known), values[learned]
    heard: Mask = np.asarray(sample.any(axis=(1, 2)))
    widths = sorted({2 * classes, COMPONENTS})
    found = WeighedRules((), (), np.zeros((0, 0)), np.full((len(labels), classes), 1 / classes))
    said: list[Array] = []
    by_direction = [partial(direction_spaces, power=power, components=widths) for power in POWERS]
    ways: tuple[Callable[[Matrix], tuple[Space, ...]], ...] = (*by_direction, partial(_under_noise, classes=classes))
    for more in ways:
        spaces, rules = found.spaces, found.rules
        for space in more(sample[heard]):
            rows = PlacedRows(space.coordinates(sample), inputs[learned], heard)
            learned_rules, foretold = _rules_and_foretold(rows, places, labels, classes, kind)
            spaces, rules = (*spaces, space), (*rules, learned_rules)
            said.append(foretold)
        found = _weighed(spaces, rules, np.stack(said), labels)
        if found.beyond_doubt(labels):
            break
    return found


def _under_noise(values: Matrix, classes: int) -> tuple[Space, ...]:
    """Find spaces that show through noise: drawn anew, along own lines, or of a power that goes with the class."""
    sums, strengths = sum_space(values, 2 * classes), strength_space(values)
    main, lines = direction_space(values, POWERS[0], COMPONENTS), line_space(values, COMPONENTS)
    return sums, strengths, SideBySide.of((main, lines, strengths), values)


def _weighed(
    spaces: tuple[Space, ...], rules: tuple[tuple[LinearRule, ...], ...], checked: Array, labels: Labels
) -> WeighedRules:
    """Weigh rules by what they foretold: spaces by rules by known rows by classes."""
    true = checked[:, :, np.arange(len(labels)), labels]
    each = np.log((1 - MISTAKES) * true + MISTAKES / checked.shape[3])
    evidence = each.sum(axis=2)
    weights = np.exp(evidence - evidence.max())
    others = evidence[:, :, None] - each  # no label has a say in how its own row is foretold
    shares = np.exp(others - others.max(axis=(0, 1)))
    held_out = np.einsum("srk,srkc->kc", shares / shares.sum(axis=(0, 1)), checked)
    return WeighedRules(spaces, rules, weights / weights.sum(), held_out)


@dataclass(frozen=True, eq=False)
class PlacedRows:
    """Where rows lie by their directions, what else is known of them, and which of them were ever heard."""

    points: Matrix
    inputs: Matrix
    heard: Mask

    @property
    def all(self) -> Matrix:
        """What rules read: points and inputs side by side."""
        return np.hstack((self.points, self.inputs))


def held_out_folds(labels: Labels) -> Labels:
    """Deal the known rows of each class to folds, in turn.

    >>> held_out_folds(np.array([0, 0, 1, 0, 1]))
    array([0, 1, 0, 2, 1])
    """
    folds = np.zeros(len(labels), dtype=np.int64)
    for name in np.unique(labels):
        places = np.flatnonzero(labels == name)
        folds[places] = np.arange(len(places)) % FOLDS
    return folds


def _rules_and_foretold(
    rows: PlacedRows, known: Rows, labels: Labels, classes: int, kind: RuleKind
) -> tuple[tuple[LinearRule, ...], Array]:
    """Learn rules, and say what each foretells of known rows whose label it was not told: rules by rows by classes.

    All classes are as likely where there is one label of each class at most, so that nothing can be held out.
    """
    folds = held_out_folds(labels)
    outs = [folds == fold for fold in np.unique(folds) if not (folds == fold).all()]
    told = [(known, labels), *((known[~out], labels[~out]) for out in outs)]
    rules, *checked = _rules(rows, told, classes, kind)
    said = np.full((len(rules), len(known), classes), 1 / classes)
    for out, others in zip(outs, checked, strict=True):
        said[:, out] = np.stack([rule.confidences(rows.all[known[out]]) for rule in others])
    return rules, said


def _rules(rows: PlacedRows, told: Sequence[Told], classes: int, kind: RuleKind) -> list[tuple[LinearRule, ...]]:
    """Learn from directions; then, where all rules are wanted and there are other columns, from both side by side."""
    blank = rows.inputs.shape[1]
    by_direction = _learned_rules(rows.points, rows.heard, told, classes, kind)
    found = [tuple(rule.widened(blank) for rule in rules) for rules in by_direction]
    if kind != "auto" or not blank:
        return found
    scales = np.repeat([size(rows.points), size(rows.inputs)], [rows.points.shape[1], blank])
    both = _learned_rules(rows.all / scales, rows.heard, told, classes, kind)
    return [
        (
            *first,
            *(LinearRule(rule.weights / scales[:, None], rule.bias) for rule in second),
            _by_columns(rows, plain[-1], classes),
        )
        for plain, first, second in zip(by_direction, found, both, strict=True)
    ]


def _learned_rules(
    points: Matrix, heard: Mask, told: Sequence[Told], classes: int, kind: RuleKind
) -> list[tuple[LinearRule, ...]]:
    """Fit logistic regression to known rows, and refine it with all rows that were heard."""
    usual = size(points[heard])  # silent ones stand at 0, where silence is
    starts = [probed(points[known], labels, classes, usual) for known, labels in told]
    if kind == "probe":
        return [(start,) for start in starts]
    beginnings = []
    for start, (known, labels) in zip(starts, told, strict=True):
        speaking = heard[known]
        inside = np.cumsum(heard)[known[speaking]] - 1
        beginnings.append(Beginning(inside, labels[speaking], start))
    mixtures = refined(points[heard], beginnings, ROUNDS)
    if kind == "mixture":
        return [rules[-1:] for rules in mixtures]
    return [(start, *rules) for start, rules in zip(starts, mixtures, strict=True)]


def _by_columns(rows: PlacedRows, mixture: LinearRule, classes: int) -> LinearRule:
    """Let other columns speak alone, as they go with classes that directions have named."""
    taken = np.flatnonzero(rows.heard)[:TAUGHT_ROWS]
    inputs, claimed = rows.inputs[taken], mixture.confidences(rows.points[taken])
    rule = probed(inputs, claimed.argmax(axis=1), classes, size(inputs))
    return LinearRule(np.vstack((np.zeros_like(mixture.weights), rule.weights)), rule.bias)


def _learned(values: Matrix, known: Rows, rng: Generator) -> Rows:
    if len(values) <= LEARNED_ROWS:
        return np.arange(len(values))
    return np.union1d(rng.choice(len(values), LEARNED_ROWS, replace=False), known)
