"""One side as a victim: it holds its own data against claims, and tells in round numbers what they reached."""

import math
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from seepage.audit.findings.finding import Finding
from seepage.audit.scoring.guess_checks import check_guess
from seepage.audit.scoring.scoring import score_claim
from seepage.audit.scoring.truth import TrueColumns, Truth
from seepage.audit.stages.attacking import circumstances_of, numbers
from seepage.audit.stages.fingerprints import versions
from seepage.errors import AuditError, BadGuess, BadMessage
from seepage.guesses import BranchGuess, ClusterGuess, FeatureGuess, FractionGuess, Guess, LabelGuess
from seepage.rehearsal.adversary import Scene, commitment
from seepage.rehearsal.attempts import Attempt
from seepage.rehearsal.claims import Claim, Sealed
from seepage.rehearsal.grants import knowledge_of
from seepage.rehearsal.words import Outcome, Reached, Told
from seepage.scores import Score, advantage
from seepage.scores.metrics import MSE, metric_of
from seepage.shapes import Rows
from seepage.transcript import Agreement
from seepage.views import View

STEP: Final = 0.01
"""What is told of others' data is a multiple of this, or of more where there are few rows."""
PEOPLE: Final = 10
"""So many rows make a difference in what is told, at least: one person's label never does."""
FIGURES: Final = 2
"""Figures of an error of values that are told."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What a claim reached: exactly, for the victim's own report, and as its adversary is told."""

    finding: Finding
    told: Told


def scored(scene: Scene, attempt: Attempt, outcome: Outcome, sealed: Sealed, terms: Agreement) -> Scored:
    """Open a claim and score it; what is no claim, or not the one that was sealed, costs itself alone."""
    told = Told(turn=scene.turn.number, attempt=attempt.number)
    if commitment(scene, attempt, sealed) != outcome.commitment:
        raise BadMessage(f"'{attempt.adversary}' opened another claim than the one that it had sealed.")
    view = _public_view(scene, attempt, terms)
    try:
        claim = Claim.from_bytes(sealed.data)
        _check(claim, attempt, view, scene.party)
        score = score_claim(claim.guess, claim.twins, _truth(scene, attempt), view, attempt.attack.rows)
        score = score if scene.plan.scores else _unranked(score)
    except (AuditError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        reason = f"'{attempt.adversary}' claimed something that cannot be scored ({type(error).__name__})."
        return Scored(scene.silent(attempt, "failed", reason), told.model_copy(update={"reason": reason}))
    finding = Finding(
        **circumstances_of(
            scene.surroundings(attempt), attempt.attack, attempt.choice.name, attempt.threat(scene.plan)
        ).facts(),
        **numbers(score),
        bounds=dict(score.bounds),
        pictures=dict(score.pictures),
        knowledge=view.knowledge.summary(),
        seconds=outcome.seconds,
        versions=versions(),
    )
    rows = _counted(claim.guess, attempt, view)
    return Scored(finding, told.model_copy(update={"reached": rounded(score, rows)}))


def rounded(score: Score, rows: int) -> Reached:
    """Return what an adversary is told of its own success: too little to tell one person from another.

    >>> exact = Score(metric="top1", value=0.8712, blind=0.6049, blind_kind="majority class", ceiling=1.0,
    ...               ceiling_kind="full knowledge")
    >>> rounded(exact, 100_000).value, rounded(exact, 200).value
    (0.87, 0.85)
    """
    if score.metric == MSE.name:
        value, blind = (float(f"{number:.{FIGURES}g}") for number in (score.value, score.blind))
    else:
        step = max(STEP, PEOPLE / max(rows, 1))
        value, blind = (min(1.0, round(round(number / step) * step, 6)) for number in (score.value, score.blind))
    return Reached(
        metric=score.metric,
        value=value,
        blind=blind,
        blind_kind=score.blind_kind,
        ceiling=score.ceiling if math.isfinite(score.ceiling) else None,
        ceiling_kind=score.ceiling_kind,
        cells=rows,
        ranking=rounded(score.ranking, rows) if score.ranking is not None else None,
    )


def together(reached: list[Reached]) -> Reached:
    """Put together what several victims say of one claim, each of its own columns; one victim's word is as it is."""
    if len(reached) == 1:
        return reached[0]
    weights = np.array([max(one.cells, 1) for one in reached], dtype=np.float64)
    kinds = {one.blind_kind for one in reached}

    def mean(values: list[float]) -> float:
        return float(f"{float(weights @ np.array(values) / weights.sum()):.{FIGURES}g}")

    return reached[0].model_copy(
        update={
            "value": mean([one.value for one in reached]),
            "blind": mean([one.blind for one in reached]),
            "blind_kind": kinds.pop() if len(kinds) == 1 else "the best for each party",
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
    return {**fields, "advantage": gained, "ranking": ranking}


def _unranked(score: Score) -> Score:
    """Leave out how well people are ranked: names alone rank nobody."""
    return replace(score, ranking=None, other={name: value for name, value in score.other.items() if "auc" not in name})


def _public_view(scene: Scene, attempt: Attempt, terms: Agreement) -> View:
    """Return what the victim itself knows of what its adversary held."""
    own = {scene.party: scene.tellings[scene.party]}
    knowledge = knowledge_of(scene.plan, scene.turn.seed, attempt, own, scene.part.rows, scene.test, None)
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
    for guess in (claim.guess, *claim.twins.scored.values(), *claim.twins.beside.values()):
        check_guess(guess, attempt.attack, view)
        if isinstance(guess, FeatureGuess) and any(party != victim for party, _ in guess.columns):
            raise BadGuess("it speaks of columns of others")
    kinds = {type(one) for one in (*claim.twins.scored.values(), *claim.twins.beside.values())}
    allowed: dict[type[Any], set[type[Any]]] = {
        LabelGuess: {LabelGuess, ClusterGuess},
        ClusterGuess: {ClusterGuess},
        FeatureGuess: {FeatureGuess},
        FractionGuess: {FractionGuess},
        BranchGuess: set(),
    }
    if not kinds <= allowed[type(claim.guess)]:
        raise BadGuess("its blind guesses are of another kind")


def _counted(guess: Guess, attempt: Attempt, view: View) -> int:
    """Return how many rows were scored, or for values how many cells."""
    knowledge = view.knowledge
    rows: Rows = knowledge.train if attempt.attack.rows == "train" else knowledge.new
    if isinstance(guess, FeatureGuess):
        return len(rows) * sum(len(public.names) for public in knowledge.others.values())
    return len(rows)
