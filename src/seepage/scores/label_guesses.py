"""Guessed labels against the truth, and against what the adversary could have said without any message."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from seepage.errors import IncompatibleView
from seepage.guesses import ClusterGuess, Guess, LabelGuess
from seepage.learners.completion.mixmatch import MixMatch
from seepage.randomness import stream
from seepage.scores.clusters import blind_clusters
from seepage.scores.label_twins import blind_labels, informed_labels
from seepage.scores.labels import named_clusters, score_labels, top1
from seepage.scores.remembered import Remembered, content_key
from seepage.scores.score import Score
from seepage.scores.twins import Twins
from seepage.shapes import Labels, Matrix, Rows
from seepage.views import View

NEW = "_new"
"""What names of numbers about rows outside training end with."""
ALL_LABELS = "top1_all_labels"
"""What own columns tell of training rows once all labels are known; the upper bound of Figure 2 of paper 001."""
CLUSTERED = "k-means on own columns, best matching"
APART = "not known: own columns and labels lie on two hosts"
Informed: TypeAlias = Callable[[], Sequence[LabelGuess]]
"""Returns what own columns and the labels of all training rows tell of everybody, in several ways."""


def score_label_guess(
    guess: LabelGuess,
    truth: Labels,
    view: View,
    rows: str,
    seed: int,
    answers: Remembered,
    learner: MixMatch | None = None,
) -> Score:
    """Score labels of training rows, those that were known beforehand left out, and of new rows beside.

    An attack on new rows alone is scored there. Rows that the guess says nothing about count as wrong.
    Blind guess, ceiling and scored rows follow from what the adversary knows; an attack has no say in them.
    """
    twins = label_twins(guess, view, rows, seed, answers, learner)
    return score_labels_beside(guess, twins, truth, view, rows, partial(_informed, truth, view, answers))


def label_twins(
    guess: LabelGuess, view: View, rows: str, seed: int, answers: Remembered, learner: MixMatch | None = None
) -> Twins:
    """Return what the adversary could have said of the rows that are scored before the federation started."""
    blind = partial(_blind, view, seed=seed, answers=answers, learner=learner)
    scored = _scored(view, rows)
    return Twins(blind(scored), blind(view.knowledge.new) if _speaks_of_new(guess, view, rows) else {})


def score_labels_beside(
    guess: LabelGuess, twins: Twins, truth: Labels, view: View, rows: str, informed: Informed | None
) -> Score:
    """Score labels where the blind guesses are known.

    Parameters
    ----------
    view
        Nothing is read of it but who knows which labels, and which rows take part.
    informed
        What own columns tell with all labels: the ceiling for rows outside training. None where nobody has both.
    """
    inside = _scored(view, rows)
    if rows != "train":
        return _outside(guess, twins.scored, truth, view, informed)
    blind = _named(twins.scored, truth, inside, view)
    score = score_labels(guess, truth, inside, view.agreement.classes, blind=blind)
    if not _speaks_of_new(guess, view, rows):
        return score
    beside = _outside(guess, twins.beside, truth, view, informed)
    told = {"top1": beside.value, "blind": beside.blind, "ceiling": beside.ceiling, **beside.other}
    told = {f"{name}{NEW}": value for name, value in told.items() if name not in guess.notes}
    if informed is not None and (ways := informed()):
        told[ALL_LABELS] = max(top1(truth[inside], one.about(inside).labels) for one in ways)
    if beside.ranking is not None:
        told |= {f"auc_blind{NEW}": beside.ranking.blind, f"auc_ceiling{NEW}": beside.ranking.ceiling}
    return replace(
        score, other={**score.other, **{name: value for name, value in told.items() if math.isfinite(value)}}
    )


def _scored(view: View, rows: str) -> Rows:
    """Return the rows that are scored; refuse where none is left."""
    knowledge = view.knowledge
    scored = np.setdiff1d(knowledge.train, knowledge.known_rows) if rows == "train" else knowledge.new
    if not len(scored):
        raise IncompatibleView(
            "No row is left whose label could be guessed: all are known beforehand, or none took no part in training.\n"
            "Grant fewer labels, or keep some rows out of training."
        )
    return scored


def _speaks_of_new(guess: LabelGuess, view: View, rows: str) -> bool:
    return rows == "train" and bool(np.isin(guess.rows, view.knowledge.new).any())


def _outside(
    guess: LabelGuess, blind: Mapping[str, Guess], truth: Labels, view: View, informed: Informed | None
) -> Score:
    """Score rows outside training: there, own columns are all that anybody on this side can read."""
    new, classes = view.knowledge.new, view.agreement.classes
    named = _named(blind, truth, new, view)
    if informed is None:
        score = score_labels(guess, truth, new, classes, blind=named)
        return replace(_unbounded(score), ranking=score.ranking and _unbounded(score.ranking))
    ways = [one.about(new).scores for one in informed()]
    return score_labels(guess, truth, new, classes, blind=named, informed=ways)


def _unbounded(score: Score) -> Score:
    return replace(score, ceiling=math.nan, ceiling_kind=APART)


def _informed(truth: Labels, view: View, answers: Remembered) -> list[LabelGuess]:
    """Return what own columns and the labels of all training rows tell of everybody, in several ways."""
    return answers.of(informed_key(view), lambda: informed_labels(view, truth, answers))


def informed_key(view: View) -> Hashable:
    """Return under which name it is kept what all labels tell an adversary, the same for all attacks on one run."""
    return ("informed labels", view.adversaries)


def _blind(view: View, rows: Rows, *, seed: int, answers: Remembered, learner: MixMatch | None) -> Mapping[str, Guess]:
    """Return what the adversary could have said of some rows before the federation started."""
    known = view.knowledge.known_rows
    key = ("blind labels", view.adversaries, rows.tobytes(), known.tobytes(), learner)

    def work_out() -> Mapping[str, Guess]:
        if len(known):
            told = blind_labels(view, rows, answers, learner)
            return {how: LabelGuess(rows, scores) for how, scores in told.items()}
        content = content_key("clusters", seed, view.agreement.classes, rows, view.knowledge.features)
        clusters = answers.in_any_run(content, lambda: blind_clusters(view, rows, stream(seed, "blind")))
        return {} if clusters is None else {CLUSTERED: clusters}

    return answers.of(key, work_out)


def _named(blind: Mapping[str, Guess], truth: Labels, rows: Rows, view: View) -> dict[str, Matrix]:
    """Return the scores of blind guesses about some rows; groups are named by the truth itself in the best way."""
    scores = {how: one.about(rows).scores for how, one in blind.items() if isinstance(one, LabelGuess)}
    groups = {how: one for how, one in blind.items() if isinstance(one, ClusterGuess)}
    classes = view.agreement.classes
    return scores | {how: named_clusters(truth[one.rows], one.clusters, classes) for how, one in groups.items()}
