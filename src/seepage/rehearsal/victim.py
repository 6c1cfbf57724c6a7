"""One side as a victim: it holds its own data against claims, and tells in round numbers what they reached."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.random import Generator

from seepage.audit.findings.finding import Finding
from seepage.audit.scoring.guess_checks import check_guess
from seepage.audit.scoring.scoring import GROUPINGS, score_claim
from seepage.audit.scoring.scoring_features import FROM_VALUES
from seepage.audit.scoring.scoring_fractions import EXHAUSTED, HALF, PLAIN, SHARE, TWIN
from seepage.audit.scoring.truth import TrueColumns, Truth
from seepage.audit.stages.attacking import circumstances_of, numbers
from seepage.audit.stages.fingerprints import versions
from seepage.errors import BadGuess, BadMessage
from seepage.guesses import BranchGuess, ClusterGuess, FeatureGuess, FractionGuess, Guess, LabelGuess
from seepage.randomness import stream
from seepage.rehearsal.adversary import Scene, commitment
from seepage.rehearsal.attempts import Attempt
from seepage.rehearsal.claims import Claim, Sealed
from seepage.rehearsal.grants import knowledge_of
from seepage.rehearsal.words import Outcome, Reached, Told
from seepage.scores import Score, advantage
from seepage.scores.label_guesses import CLUSTERED
from seepage.scores.label_twins import OWN_COLUMNS, ROUNDS, UNTRAINED, self_trained
from seepage.scores.metrics import MSE, metric_of
from seepage.shapes import Rows
from seepage.transcript import Agreement
from seepage.views import View

STEP: Final = 0.01
"""What is told of others' data is a multiple of this, or of more where there are few rows."""
PEOPLE: Final = 10
"""So many rows a step stands for, at least."""
LEAST: Final = 20
"""Of fewer rows nothing is told."""
FIGURES: Final = 2
"""Figures of an error of values that are told."""
FINEST: Final = 1e-4
"""Smaller errors of values are told as this."""
MOST: Final = 1_000
LONGEST: Final = 200
"""Steps and notes that a guess may have, and letters in a name of one."""
LARGEST: Final = 1e6
"""Values that nobody can mean, in units of a column's range."""
BEST: Final = "best blind guess"
"""Which one that was is not told: it would say more of the truth than how good it is."""
BLIND: Final[Mapping[type[Any], frozenset[str]]] = {
    LabelGuess: frozenset({CLUSTERED, OWN_COLUMNS, UNTRAINED, *map(self_trained, ROUNDS)}),
    ClusterGuess: frozenset(GROUPINGS),
    FeatureGuess: frozenset(FROM_VALUES),
    FractionGuess: frozenset({TWIN, PLAIN, HALF, SHARE, EXHAUSTED}),
    BranchGuess: frozenset(),
}
"""The blind guesses that there are, by what is guessed: others would be further claims."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What a claim reached: exactly, for the victim's own report, and as its adversary is told."""

    finding: Finding
    told: Told


def scored(scene: Scene, attempt: Attempt, outcome: Outcome, sealed: Sealed, terms: Agreement, secret: str) -> Scored:
    """Open a claim and score it; what is no claim, or not the one that was sealed, costs itself alone.

    Parameters
    ----------
    secret
        The victim's own, by which what is told is blurred: the same claim always alike.
    """
    told = Told(turn=scene.turn.number, attempt=attempt.number)
    if commitment(scene, attempt, sealed) != outcome.commitment:
        raise BadMessage(f"'{attempt.adversary}' opened another claim than the one that it had sealed.")
    view = _public_view(scene, attempt, terms)
    try:
        claim = Claim.from_bytes(sealed.data)
        _check(claim, attempt, view, scene.party)
        score = score_claim(claim.guess, claim.twins, _truth(scene, attempt), view, attempt.attack.rows)
        score = score if scene.plan.scores else _unranked(score)
        threat = attempt.threat(scene.plan)
        finding = Finding(
            **circumstances_of(scene.surroundings(attempt), attempt.attack, attempt.choice.name, threat).facts(),
            **numbers(score),
            bounds=dict(score.bounds),
            pictures=dict(score.pictures),
            knowledge=view.knowledge.summary(),
            seconds=outcome.seconds,
            versions=versions(),
        )
        blur = stream(0, "told", f"{scene.turn.number}", f"{attempt.number}", sealed.digest, secret=secret)
        reached = rounded(score, len(_rows(attempt, view)), _cells(claim.guess, attempt, view), blur)
    except Exception as error:  # whatever somebody claims costs that claim alone
        reason = f"'{attempt.adversary}' claimed something that cannot be scored ({type(error).__name__})."
        return Scored(scene.silent(attempt, "failed", reason), told.model_copy(update={"reason": reason}))
    few = {"reason": f"So few people ({len(_rows(attempt, view))}) are scored that nothing is told."}
    return Scored(finding, told.model_copy(update={"reached": reached} if reached is not None else few))


def rounded(score: Score, rows: int, cells: int, blur: Generator) -> Reached | None:
    """Return what an adversary is told of its own success: too little to tell one person from another.

    Numbers are blurred by up to a step before they are rounded, so that no row tips one over for certain. Where few
    rows are scored nothing is told.

    >>> exact = Score(metric="top1", value=0.8712, blind=0.6049, blind_kind="majority class", ceiling=1.0,
    ...               ceiling_kind="full knowledge")
    >>> abs(rounded(exact, 100_000, 100_000, np.random.default_rng(0)).value - 0.8712) < 0.02
    True
    >>> rounded(exact, 12, 12, np.random.default_rng(0)) is None
    True
    """
    if rows < LEAST:
        return None

    def told(number: float) -> float:
        if score.metric == MSE.name:
            return float(f"{max(FINEST, number * (1 + blur.uniform(-0.05, 0.05))):.{FIGURES}g}")
        return blurred(number, rows, blur)

    return Reached(
        metric=score.metric,
        value=told(score.value),
        blind=told(score.blind),
        ceiling=score.ceiling if math.isfinite(score.ceiling) else None,
        ceiling_kind=score.ceiling_kind,
        cells=cells,
        ranking=rounded(score.ranking, rows, cells, blur) if score.ranking is not None else None,
    )


def blurred(share: float, rows: int, blur: Generator) -> float:
    """Return a share of some rows in round numbers; one row more or less hardly changes what comes out.

    >>> blurred(0.5, 100_000, np.random.default_rng(0)) in {0.49, 0.5, 0.51}
    True
    """
    step = max(STEP, PEOPLE / max(rows, 1))
    shifted = share + blur.uniform(-step, step)
    return min(1.0, max(0.0, round(round(shifted / step) * step, 6)))


def together(reached: list[Reached]) -> Reached:
    """Put together what several victims say of one claim, each of its own columns; one victim's word is as it is."""
    if len(reached) == 1:
        return reached[0]
    weights = np.array([max(one.cells, 1) for one in reached], dtype=np.float64)

    def mean(values: list[float]) -> float:
        return float(f"{float(weights @ np.array(values) / weights.sum()):.{FIGURES}g}")

    return reached[0].model_copy(
        update={
            "value": mean([one.value for one in reached]),
            "blind": mean([one.blind for one in reached]),
            "cells": int(weights.sum()),
            "ranking": None,
        }
    )


def as_told(reached: Reached) -> dict[str, Any]:
    """Return what a finding of an adversary holds of what its victim told."""
    fields = reached.model_dump(exclude={"cells", "ranking"})
    known = reached.ceiling is not None
    gained = (
        advantage(reached.value, reached.blind, reached.ceiling, metric_of(reached.metric).narrow)
        if known and reached.ceiling is not None
        else None
    )
    ranking = as_told(reached.ranking) if reached.ranking is not None else None
    if ranking is not None:
        ranking.pop("ranking")
    return {**fields, "blind_kind": BEST, "advantage": gained, "ranking": ranking}


def _unranked(score: Score) -> Score:
    """Leave out how well people are ranked: names alone rank nobody."""
    return replace(score, ranking=None, other={name: value for name, value in score.other.items() if "auc" not in name})


def _public_view(scene: Scene, attempt: Attempt, terms: Agreement) -> View:
    """Return what the victim itself knows of what its adversary held."""
    own = {scene.party: scene.tellings[scene.party]}
    knowledge = knowledge_of(scene.plan, scene.turn.seed, attempt, own, scene.before, scene.part.rows, scene.test, None)
    return View(terms, knowledge)


def _truth(scene: Scene, attempt: Attempt) -> Truth:
    part = scene.part
    labels = part.labels if part.labels is not None else np.zeros(len(part.features), dtype=np.int64)
    has = part.properties.get(attempt.asked) if attempt.asked is not None else None
    return Truth(
        labels,
        {part.party: TrueColumns(part.names, part.features)},
        has=has,
        before=scene.before if has is not None else None,
    )


def _check(claim: Claim, attempt: Attempt, view: View, victim: str) -> None:
    """Refuse a claim, or a blind guess beside it, that cannot be scored."""
    twins = [*claim.twins.scored.items(), *claim.twins.beside.items()]
    if not {how for how, _ in twins} <= BLIND[type(claim.guess)]:
        raise BadGuess("its blind guesses are none that there are")
    allowed: Any = (LabelGuess, ClusterGuess) if isinstance(claim.guess, LabelGuess) else type(claim.guess)
    for guess in (claim.guess, *(one for _, one in twins)):
        _check_plain(guess)
        check_guess(guess, attempt.attack, view)
        if not isinstance(guess, allowed):
            raise BadGuess("its blind guesses are of another kind")
        if isinstance(guess, FeatureGuess) and any(party != victim for party, _ in guess.columns):
            raise BadGuess("it speaks of columns of others")
    rows = _rows(attempt, view)
    if isinstance(claim.guess, LabelGuess | ClusterGuess | FeatureGuess):
        asked = np.setdiff1d(rows, np.union1d(view.knowledge.known_rows, view.knowledge.value_rows))
        if 2 * np.isin(asked, claim.guess.rows).sum() < len(asked):
            raise BadGuess("it speaks of fewer than half of the rows")


def _check_plain(guess: Guess) -> None:
    """Refuse what a guess cannot be made of, whoever wrote its bytes."""
    for name in ("steps", "notes", "others", "pictures"):
        held = getattr(guess, name, {})
        if not isinstance(held, dict) or len(held) > MOST or not all(_is_name(key) for key in held):
            raise BadGuess(f"its {name} have no names")
    for groups in [guess.clusters, *guess.steps.values()] if isinstance(guess, ClusterGuess) else []:
        if len(groups) and not (groups.min() >= 0 and groups.max() < max(len(groups), MOST)):
            raise BadGuess("its groups are numbered beyond the rows")
    if isinstance(guess, FeatureGuess) and guess.units.size and np.abs(guess.units).max() > LARGEST:
        raise BadGuess("its values are beyond every range")


def _is_name(key: object) -> bool:
    return isinstance(key, str) and len(key) <= LONGEST


def _rows(attempt: Attempt, view: View) -> Rows:
    return view.knowledge.train if attempt.attack.rows == "train" else view.knowledge.new


def _cells(guess: Guess, attempt: Attempt, view: View) -> int:
    """Return how many rows were scored, or for values how many cells."""
    columns = sum(len(public.names) for public in view.knowledge.others.values())
    return len(_rows(attempt, view)) * (columns if isinstance(guess, FeatureGuess) else 1)
