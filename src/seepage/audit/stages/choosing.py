"""The attack that an adversary itself would pick, who cannot look at the truth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, cast

import numpy as np

from seepage.attacks import Attack
from seepage.audit.findings.finding import CHOSEN, Finding
from seepage.audit.scoring.scoring import score_guess
from seepage.audit.scoring.truth import Truth
from seepage.audit.stages.attacking import Outcome, numbers
from seepage.audit.stages.chaining import Memory, handed_over
from seepage.audit.stages.work import Evidence, Record
from seepage.errors import FailedAttempt, IncompatibleView
from seepage.guesses import FeatureGuess, Guess, LabelGuess
from seepage.shapes import NO_ROWS, Labels, Mask, Rows
from seepage.views import Knowledge, View
from seepage.views.joint_columns import lacked_columns

PERFECT: Final = 1.0
WORST: Final = float(np.finfo(np.float64).max)
"""How far off a guess is that says nothing."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """One attack of an adversary, and what its guess is scored against; no choice looks at that.

    `outcome` is None for one that is not tried now: what speaks for it is known already.
    """

    name: str
    attack: Attack[Any]
    knowledge: Knowledge
    outcome: Outcome | None = None
    truth: Truth | None = None
    key: str | None = None

    @property
    def guess(self) -> Guess | None:
        """What it claims; None where it was not run."""
        return self.outcome.guess if self.outcome is not None else None

    @property
    def view(self) -> View:
        """What its adversary held."""
        assert self.outcome is not None
        assert self.outcome.view is not None
        return self.outcome.view

    @property
    def cost(self) -> int:
        """What checking it takes: a look at what it said (0), running it again (1), training networks again (2)."""
        if self.attack.needs.bottom and hasattr(self.attack, "learner"):
            return 2
        return 1 if self.attack.needs.labels_per_class or self.attack.needs.known_values else 0


def weighed(candidates: Sequence[Candidate], seed: int, memory: Memory) -> Iterator[tuple[str, Evidence]]:
    """Yield what speaks for each attack of each adversary on each asset, by the candidate's key.

    Labels are checked on rows whose label is known, values on rows whose values are known: an attack that
    learns from them is run again on two halves of them, each time asked about the other half. What costs
    more comes later, and is spared once another was right on every row: nothing can speak more for it.
    Of an attack that failed nothing is said, so that it is checked once it succeeds.
    """
    groups: dict[tuple[Any, ...], list[Candidate]] = {}
    for one in candidates:
        if one.key is not None:
            groups.setdefault((one.knowledge.threat.adversaries, one.attack.steals), []).append(one)
    for group in groups.values():
        known = max((one.knowledge for one in group), key=lambda held: held.threat.labels_per_class)
        perfect: Candidate | None = None
        for one in sorted(group, key=lambda one: one.cost):
            if one.outcome is None or one.outcome.finding.status == "failed" or one.key is None:
                continue
            if perfect is not None and perfect.cost < one.cost and isinstance(one.guess, LabelGuess | FeatureGuess):
                yield one.key, Evidence(state="spared", cost=one.cost, spared_by=perfect.key)
                continue
            evidence = _evidence(one, known, seed, memory)
            perfect = perfect or (one if evidence.first == PERFECT else None)
            yield one.key, evidence


def grounded(records: Mapping[str, Record]) -> dict[str, Record]:
    """Leave out evidence that rests on other evidence which is not there: its attack has to be checked after all."""
    return {
        key: record
        for key, record in records.items()
        if record.evidence is None or record.evidence.spared_by is None or record.evidence.spared_by in records
    }


def picked(tried: Sequence[tuple[Finding, Evidence]]) -> Iterator[Finding]:
    """Yield what each adversary would have claimed had it picked its attack by its own evidence.

    There is one choice for each adversary and asset. Where nothing can be checked (groups without names, shares
    of a population), or one attack alone was tried, nothing is chosen. What costs more to check has no say once
    another was right on every row, whether or not it was checked.
    """
    groups: dict[tuple[Any, ...], list[tuple[Finding, Evidence]]] = {}
    for finding, evidence in tried:
        if finding.status == "ok" and evidence.state != "unfit":
            groups.setdefault((finding.adversary, finding.asset), []).append((finding, evidence))
    for group in groups.values():
        checked: list[tuple[Finding, Evidence]] = []
        silenced = 0  # the same whether they were spared, or checked while another attack was not there yet
        for finding, evidence in sorted(group, key=lambda one: one[1].cost):
            if any(other.first == PERFECT and other.cost < evidence.cost for _, other in checked):
                silenced += 1
            elif evidence.state == "checked":
                checked.append((finding, evidence))
        if checked and len(checked) + silenced > 1:
            yield _claimed(*max(checked, key=lambda one: (one[1].first, one[1].second)), len(group))


def _claimed(finding: Finding, evidence: Evidence, candidates: int) -> Finding:
    """Return the finding of who picked this attack."""
    said = {"evidence": evidence.first, "candidates": float(candidates)}
    rescored = dict(Finding.model_validate({**finding.model_dump(), **evidence.beside})) if evidence.beside else {}
    changes = {
        **{name: rescored[name] for name in evidence.beside},
        "attack": CHOSEN,
        "role": CHOSEN,
        "attack_settings": {"pick": finding.attack, **finding.attack_settings},
        "other_metrics": {**evidence.beside.get("other_metrics", finding.other_metrics), **said},
        "bounds": {},
        "pictures": {},
    }
    return finding.model_copy(update=changes)


def _evidence(one: Candidate, known: Knowledge, seed: int, memory: Memory) -> Evidence:
    """Say what speaks for an attack on rows that the adversary can check."""
    found, fit = None, LabelGuess | FeatureGuess
    if isinstance(one.guess, FeatureGuess):
        found = _values_told(one, seed, memory)
    elif isinstance(one.guess, LabelGuess) and len(one.knowledge.known_rows):
        found = _labels_told(one, seed, memory)
    elif isinstance(one.guess, LabelGuess) and len(known.known_rows):
        found = _right(one.guess, known.known_rows, known.known_labels)
    if found is None:
        return Evidence(state="unchecked" if isinstance(one.guess, fit) else "unfit", cost=one.cost)
    first, second = found
    return Evidence(
        state="checked", first=first, second=second, cost=one.cost, beside=_beside(one, known, seed, memory)
    )


def _beside(one: Candidate, known: Knowledge, seed: int, memory: Memory) -> Mapping[str, Any]:
    """Score an attack that needs no labels beside what who checked it knew; rows it was checked on are no guess."""
    held = one.view.knowledge
    if len(held.known_rows) or not len(known.known_rows) or one.truth is None or not isinstance(one.guess, LabelGuess):
        return {}
    checked = replace(held, known_rows=known.known_rows, known_labels=known.known_labels)
    view = replace(one.view, knowledge=checked)
    score = score_guess(one.guess, one.truth, view, one.attack.rows, seed, memory.answers)
    told = numbers(score)
    return {**told, "ranking": told["ranking"] and told["ranking"].model_dump(), "knowledge": checked.summary()}


def _labels_told(one: Candidate, seed: int, memory: Memory) -> tuple[float, float] | None:
    """Run an attack on half of the known labels, and ask it about the other half; and the other way around."""
    held = one.view.knowledge
    fold = _fold_by_class(held.known_labels)
    if fold.all():
        return None
    guesses = []
    for half in (fold, ~fold):
        knowledge = replace(held, known_rows=held.known_rows[half], known_labels=held.known_labels[half])
        guess = _again(one, getattr(one.attack, "checked_as", one.attack), knowledge, seed, memory)
        if not isinstance(guess, LabelGuess):
            return None
        guesses.append(_right(guess, held.known_rows[~half], held.known_labels[~half]))
    shares = np.array([(~fold).sum(), fold.sum()]) / len(fold)
    first, second = shares @ np.array(guesses)
    return float(first), float(second)


def _values_told(one: Candidate, seed: int, memory: Memory) -> tuple[float, float] | None:
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
        guess = _again(one, fewer, knowledge, seed, memory)
        if not isinstance(guess, FeatureGuess):
            return None
        errors.append(_off(guess, one.view, held.value_rows[~half], ~half))
    return -float(np.mean(errors)), 0.0


def _again(one: Candidate, attack: Attack[Any], knowledge: Knowledge, seed: int, memory: Memory) -> Guess | None:
    """Run an attack with less knowledge on training rows alone; None where that is too little for it."""
    try:
        held = handed_over(attack, replace(one.view, knowledge=knowledge), seed, memory)
        asked = replace(held, knowledge=replace(held.knowledge, new=NO_ROWS))
        return memory.guessed(attack, asked, one.name, seed).guess
    except (FailedAttempt, IncompatibleView):
        return None


def _fold_by_class(labels: Labels) -> Mask:
    """Return which of the known rows are in the first half: every other one of each class.

    >>> _fold_by_class(np.array([0, 0, 0, 0, 1, 1])).tolist()
    [True, False, True, False, True, False]
    """
    fold = np.zeros(len(labels), dtype=np.bool_)
    for label in np.unique(labels):
        fold[np.flatnonzero(labels == label)[::2]] = True
    return fold


def _right(guess: LabelGuess, rows: Rows, labels: Labels) -> tuple[float, float]:
    """Return the share of rows whose label is right, and how sure the guess was of the right ones."""
    told = guess.about(rows)
    scores = np.clip(told.scores, 0.0, None)
    sure = scores[np.arange(len(rows)), labels] / np.maximum(scores.sum(axis=1), 1e-12)
    return float(np.mean(told.labels == labels)), float(sure.mean())


def _off(guess: FeatureGuess, view: View, rows: Rows, places: Mask) -> float:
    """Return the squared error of guessed values, in units of each column's range, on rows whose values are known."""
    lacked = lacked_columns(view).only(guess.columns)
    held = view.knowledge
    true = np.stack(
        [held.values[party][places, held.others[party].names.index(name)] for party, name in lacked.columns], axis=1
    )
    _, asked, told = np.intersect1d(rows, guess.rows, return_indices=True)
    if not len(asked):
        return WORST
    guessed = np.stack([guess.of(party, name)[told] for party, name in lacked.columns], axis=1)
    return float(np.nanmean((lacked.units(true.astype(np.float64))[asked] - guessed) ** 2))
