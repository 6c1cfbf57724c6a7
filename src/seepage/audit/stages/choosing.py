"""The attack that an adversary itself would pick, who cannot look at the truth."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeAlias, cast

import numpy as np

from seepage.attacks import Attack
from seepage.audit.findings.finding import CHOSEN, Finding
from seepage.audit.stages.attacking import Outcome, numbers
from seepage.audit.stages.chaining import guessed_once, handed_over
from seepage.audit.stages.scoring import score_guess
from seepage.audit.stages.truth import Truth
from seepage.errors import FailedAttempt, IncompatibleView
from seepage.guesses import FeatureGuess, Guess, LabelGuess
from seepage.scores.once import Once
from seepage.shapes import Labels, Rows
from seepage.views import Knowledge, View
from seepage.views.joint_columns import lacked_columns

PERFECT: Final = 1.0

Evidence: TypeAlias = tuple[float, float]
"""What speaks for an attack, more is better: what counts first, and what decides between equals."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """One attack that was tried, and what its guess is scored against; no choice looks at that."""

    name: str
    attack: Attack[Any]
    outcome: Outcome
    truth: Truth | None = None

    @property
    def guess(self) -> Guess | None:
        """What it claims; None where it could not be run."""
        return self.outcome.guess

    @property
    def view(self) -> View:
        """What its adversary held."""
        assert self.outcome.view is not None
        return self.outcome.view

    @property
    def quick(self) -> bool:
        """Whether it trains no network, so that trying it out costs next to nothing."""
        return not (self.attack.needs.bottom and hasattr(self.attack, "learner"))


def chosen(candidates: Sequence[Candidate], seed: int, once: Once | None = None) -> list[Finding]:
    """Return what each adversary would have claimed had it picked its attack by its own evidence.

    There is one choice for each adversary and asset, among attacks on training rows
    that need no other training. Labels are checked on rows whose label is known, values on
    rows whose values are known: an attack that learns from them is run again on
    two halves of them, each time asked about the other half. Attacks that train a network come
    last, and none is tried once another was right on every row: nothing can speak more for it.
    Where nothing can be checked (groups without names, shares of a population), or one attack
    alone was tried, nothing is chosen.
    """
    groups: dict[tuple[Any, ...], list[Candidate]] = {}
    for one in candidates:
        finding = one.outcome.finding
        fit = isinstance(one.guess, LabelGuess | FeatureGuess) and one.attack.rows == "train"
        if fit and one.attack.role == "attack" and one.attack.tampering is None:
            groups.setdefault((finding.adversary, finding.asset), []).append(one)
    once = once or Once()
    return [finding for group in groups.values() if len(group) > 1 for finding in _choice(group, seed, once)]


def _choice(group: Sequence[Candidate], seed: int, once: Once) -> Iterator[Finding]:
    known = max((one.view.knowledge for one in group), key=lambda held: len(held.known_rows) + len(held.value_rows))
    evidence: dict[int, Evidence] = {}
    unchecked = 0
    for place in sorted(range(len(group)), key=lambda place: not group[place].quick):
        if not group[place].quick and max(evidence.values(), default=(0.0, 0.0))[0] == PERFECT:
            break
        found = _evidence(group[place], known, seed, once)
        if found is None:
            unchecked += 1
        else:
            evidence[place] = found
    if len(evidence) < 2 and len(group) == len(evidence) + unchecked:
        return
    best = max(evidence, key=lambda place: evidence[place])
    pick, finding = group[best], group[best].outcome.finding
    said = {"evidence": evidence[best][0], "candidates": float(len(group))}
    rescored = _rescored(pick, known, seed, once)
    changes = {
        **rescored,
        "attack": CHOSEN,
        "role": CHOSEN,
        "attack_settings": {"pick": pick.name, **finding.attack_settings},
        "other_metrics": {**rescored.get("other_metrics", finding.other_metrics), **said},
        "bounds": {},
        "pictures": {},
    }
    yield finding.model_copy(update=changes)


def _rescored(pick: Candidate, known: Knowledge, seed: int, once: Once) -> dict[str, Any]:
    """Score a pick that needs no labels beside what who checked it knew; rows it was checked on are no guess."""
    held = pick.view.knowledge
    if (
        len(held.known_rows)
        or not len(known.known_rows)
        or pick.truth is None
        or not isinstance(pick.guess, LabelGuess)
    ):
        return {}
    checked = replace(held, known_rows=known.known_rows, known_labels=known.known_labels)
    score = score_guess(pick.guess, pick.truth, replace(pick.view, knowledge=checked), pick.attack.rows, seed, once)
    return {**numbers(score), "knowledge": checked.summary()}


def _evidence(one: Candidate, known: Knowledge, seed: int, once: Once) -> Evidence | None:
    """Say what speaks for an attack on rows that the adversary can check; None where there are none."""
    if isinstance(one.guess, FeatureGuess):
        return _values_told(one, seed, once)
    held = one.view.knowledge
    if len(held.known_rows):
        return _labels_told(one, seed, once)
    if isinstance(one.guess, LabelGuess) and len(known.known_rows):
        return _right(one.guess, known.known_rows, known.known_labels)
    return None


def _labels_told(one: Candidate, seed: int, once: Once) -> Evidence | None:
    """Run an attack on half of the known labels, and ask it about the other half; and the other way around."""
    held = one.view.knowledge
    fold = _fold_by_class(held.known_labels)
    guesses = []
    for half in (fold, ~fold):
        if not half.any():
            return None
        knowledge = replace(held, known_rows=held.known_rows[half], known_labels=held.known_labels[half])
        guess = _again(one, one.attack, knowledge, seed, once)
        if not isinstance(guess, LabelGuess):
            return None
        guesses.append(_right(guess, held.known_rows[~half], held.known_labels[~half]))
    shares = np.array([(~fold).sum(), fold.sum()]) / len(fold)
    first, second = shares @ np.array(guesses)
    return float(first), float(second)


def _values_told(one: Candidate, seed: int, once: Once) -> Evidence | None:
    """Run an attack on half of the rows whose values are known, and ask it about the other half."""
    held = one.view.knowledge
    count = len(held.value_rows)
    if count < 4 or not any(field.name == "known" for field in fields(cast("Any", one.attack))):
        return None
    errors = []
    for half in (np.arange(count) % 2 == 0, np.arange(count) % 2 == 1):
        values = {party: array[half] for party, array in held.values.items()}
        knowledge = replace(held, value_rows=held.value_rows[half], values=values)
        fewer = replace(one.attack, known=int(half.sum()))  # type: ignore[type-var]
        guess = _again(one, fewer, knowledge, seed, once)
        if not isinstance(guess, FeatureGuess):
            return None
        errors.append(_off(guess, one.view, held.value_rows[~half], ~half))
    return -float(np.mean(errors)), 0.0


def _again(one: Candidate, attack: Attack[Any], knowledge: Knowledge, seed: int, once: Once) -> Guess | None:
    """Run an attack with less knowledge; None where that is too little for it."""
    try:
        view = handed_over(attack, replace(one.view, knowledge=knowledge), seed, once)
        return guessed_once(attack, view, one.name, seed, once).guess
    except (FailedAttempt, IncompatibleView):
        return None


def _fold_by_class(labels: Labels) -> Any:
    """Return which of the known rows are in the first half: every other one of each class.

    >>> _fold_by_class(np.array([0, 0, 0, 0, 1, 1])).tolist()
    [True, False, True, False, True, False]
    """
    fold = np.zeros(len(labels), dtype=np.bool_)
    for label in np.unique(labels):
        fold[np.flatnonzero(labels == label)[::2]] = True
    return fold


def _right(guess: LabelGuess, rows: Rows, labels: Labels) -> Evidence:
    """Return the share of rows whose label is right, and how sure the guess was of the right ones."""
    told = guess.about(rows)
    scores = np.clip(told.scores, 0.0, None)
    sure = scores[np.arange(len(rows)), labels] / np.maximum(scores.sum(axis=1), 1e-12)
    return float(np.mean(told.labels == labels)), float(sure.mean())


def _off(guess: FeatureGuess, view: View, rows: Rows, places: Any) -> float:
    """Return the squared error of guessed values, in units of each column's range, on rows whose values are known."""
    lacked = lacked_columns(view).only(guess.columns)
    held = view.knowledge
    true = np.stack(
        [held.values[party][places, held.others[party].names.index(name)] for party, name in lacked.columns], axis=1
    )
    _, asked, told = np.intersect1d(rows, guess.rows, return_indices=True)
    if not len(asked):
        return math.inf
    guessed = np.stack([guess.of(party, name)[told] for party, name in lacked.columns], axis=1)
    return float(np.nanmean((lacked.units(true.astype(np.float64))[asked] - guessed) ** 2))
