"""What a guess must be before it is scored, whoever made it."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from seepage.attacks.attack import Asset, Attack
from seepage.errors import BadGuess
from seepage.guesses import BranchGuess, ClusterGuess, FeatureGuess, FractionGuess, Guess, LabelGuess
from seepage.shapes import Array
from seepage.views import View

FITTING: Final[Mapping[Asset, tuple[type[Any], ...]]] = {
    "labels": (LabelGuess, ClusterGuess),
    "features": (FeatureGuess, BranchGuess),
    "properties": (FractionGuess,),
}
"""What an attack may return, by what it steals."""
LARGEST: Final = 1e100
"""Of larger values, in units of a column's range, there are no squared errors."""


def check_guess(guess: object, attack: Attack[Any], view: View) -> Guess:
    """Return a guess that can be scored, or say in one sentence what is wrong with it.

    It must be of the kind that belongs to what the attack steals, be made of numbers, name each row once, and name
    rows, columns and classes that there are: a score of anything else would mean nothing.

    Examples
    --------
    >>> from seepage.attacks.labels.gradient_sign import GradientSign
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> agreement = Agreement(
    ...     federation="summed-network", parties=("bank", "shop"), active="bank", classes=2, top_model=False, outputs=2
    ... )
    >>> view = View(agreement, Knowledge(threat=ThreatModel(adversaries=("shop",)), train=np.arange(3)))
    >>> check_guess(LabelGuess(np.array([1, 7]), np.zeros((2, 2))), GradientSign(), view)
    Traceback (most recent call last):
        ...
    seepage.errors.BadGuess: gradient-sign guessed something that cannot be scored: row 7 does not exist.
    """
    try:
        _check(guess, attack, view)
    except BadGuess as error:
        raise BadGuess(f"{attack.name} guessed something that cannot be scored: {error}") from error
    return guess  # type: ignore[return-value]


def _check(guess: object, attack: Attack[Any], view: View) -> None:
    fitting = FITTING[attack.steals]
    if not isinstance(guess, fitting):
        names = " or a ".join(kind.__name__ for kind in fitting)
        raise BadGuess(f"a {type(guess).__name__}, where one that steals {attack.steals} must return a {names}.")
    if isinstance(guess, FractionGuess):
        _demand_finite([guess.fraction, *guess.others.values()], "a fraction")
    else:
        _check_rows(guess.rows, view)
    if isinstance(guess, LabelGuess):
        _check_labels(guess, view.agreement.classes)
    elif isinstance(guess, ClusterGuess):
        for clusters in (guess.clusters, *guess.steps.values()):
            _demand_array(clusters, "iu", (len(guess.rows),), "the clusters")
    elif isinstance(guess, FeatureGuess):
        _check_columns(guess.columns, view)
        _demand_array(guess.units, "f", (len(guess.rows), len(guess.columns)), "the values")
        _demand(float(np.abs(guess.units).max(initial=0.0)) < LARGEST, "the values lie beyond every range.")
    elif isinstance(guess, BranchGuess):
        _check_branches(guess, view)
    if not isinstance(guess, ClusterGuess):
        _demand_finite(guess.notes.values(), "a note", infinite=True)


def _demand(holds: bool, fault: str) -> None:
    if not holds:
        raise BadGuess(fault)


def _demand_array(array: Array, kinds: str, shape: tuple[int, ...], what: str) -> None:
    _demand(isinstance(array, np.ndarray), f"{what} are a {type(array).__name__}, not an array.")
    words = {"iu": "whole numbers", "f": "real numbers", "b": "yes or no", "fiu": "numbers"}[kinds]
    _demand(array.dtype.kind in kinds, f"{what} are of type {array.dtype}, not {words}.")
    _demand(array.shape == shape, f"{what} have the shape {array.shape}, where {shape} is expected.")
    _demand(array.dtype.kind != "f" or bool(np.isfinite(array).all()), f"{what} hold values that are no numbers.")


def _demand_finite(values: Iterable[object], what: str, *, infinite: bool = False) -> None:
    for value in values:
        number = isinstance(value, int | float | np.integer | np.floating)
        _demand(number and (infinite or bool(np.isfinite(value))), f"{what} is {value!r}, which is no number.")  # type: ignore[call-overload]


def _check_rows(rows: Array, view: View) -> None:
    _demand(isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype.kind in "iu", "its rows are no row numbers.")
    once, counts = np.unique(rows, return_counts=True)
    repeated, strangers = once[counts > 1], np.setdiff1d(once, np.union1d(view.knowledge.train, view.knowledge.new))
    _demand(not len(repeated), f"row {repeated[:1].sum()} is named more than once.")
    _demand(not len(strangers), f"row {strangers[:1].sum()} does not exist.")


def _check_labels(guess: LabelGuess, classes: int) -> None:
    count = len(guess.rows)
    _demand_array(guess.scores, "fiu", (count, classes), "the scores")
    _demand_array(guess.abstained, "b", (count,), "the abstentions")
    for name, labels in guess.steps.items():
        _demand_array(labels, "iu", (count,), f"the labels of step {name}")
        _demand(not count or (labels.min() >= -1 and labels.max() < classes), f"step {name} names a class too many.")


def _check_columns(columns: Iterable[tuple[str, str]], view: View) -> None:
    known = {(party, name) for party, public in view.knowledge.others.items() for name in public.names}
    seen: set[tuple[str, str]] = set()
    for column in columns:
        _demand(column in known, f"no other party has a column {column}.")
        _demand(column not in seen, f"column {column} is named more than once.")
        seen.add(column)


def _check_branches(guess: BranchGuess, view: View) -> None:
    branches = guess.branches
    leaves, nodes = branches.paths.shape if branches.paths.ndim == 2 else (0, 0)
    _check_columns(branches.targets, view)
    _demand(len(branches.columns) == nodes, f"{len(branches.columns)} columns are named for {nodes} nodes.")
    _demand_array(branches.paths, "iu", (leaves, nodes), "the paths")
    for values in (branches.thresholds, branches.units):
        _demand(values.shape == (nodes,) and not np.isnan(values).any(), "a threshold is no number.")
    _demand_array(branches.missing_left, "b", (nodes,), "the sides of missing values")
    _demand_array(guess.leaf, "iu", (len(guess.rows),), "the leaves")
    _demand(not len(guess.leaf) or (guess.leaf.min() >= 0 and guess.leaf.max() < leaves), "a leaf does not exist.")
    for mask in (guess.candidates, guess.reachable):
        _demand_array(mask, "b", (len(guess.rows), leaves), "the leaves to choose from")
