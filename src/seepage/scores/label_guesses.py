"""Guessed labels against the truth, and against what the adversary could have said without any message."""

from collections.abc import Hashable, Mapping
from dataclasses import replace

import numpy as np

from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.learners.completion.mixmatch import MixMatch
from seepage.randomness import stream
from seepage.scores.clusters import blind_clusters
from seepage.scores.label_twins import blind_labels, informed_labels
from seepage.scores.labels import named_clusters, score_labels, top1
from seepage.scores.remembered import Remembered, content_key
from seepage.scores.score import Score
from seepage.shapes import Labels, Matrix, Rows
from seepage.views import View

NEW = "_new"
"""What names of numbers about rows outside training end with."""
ALL_LABELS = "top1_all_labels"
"""What own columns tell of training rows once all labels are known; the upper bound of Figure 2 of paper 001."""
CLUSTERED = "k-means on own columns, best matching"


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
    knowledge = view.knowledge
    inside = np.setdiff1d(knowledge.train, knowledge.known_rows)
    if not len(inside if rows == "train" else knowledge.new):
        raise IncompatibleView(
            "No row is left whose label could be guessed: all are known beforehand, or none took no part in training.\n"
            "Grant fewer labels, or keep some rows out of training."
        )
    if rows != "train":
        return _outside(guess, truth, view, seed, answers, learner)
    blind = _blind(truth, view, inside, seed, answers, learner)
    score = score_labels(guess, truth, inside, view.agreement.classes, blind=blind)
    if not np.isin(guess.rows, knowledge.new).any():
        return score
    beside = _outside(guess, truth, view, seed, answers, learner)
    told = {"top1": beside.value, "blind": beside.blind, "ceiling": beside.ceiling, **beside.other}
    told = {f"{name}{NEW}": value for name, value in told.items() if name not in guess.notes}
    informed = [top1(truth[inside], one.about(inside).labels) for one in _informed(truth, view, answers)]
    told |= {ALL_LABELS: max(informed)} if informed else {}
    if beside.ranking is not None:
        told |= {f"auc_blind{NEW}": beside.ranking.blind, f"auc_ceiling{NEW}": beside.ranking.ceiling}
    return replace(score, other={**score.other, **told})


def _outside(
    guess: LabelGuess, truth: Labels, view: View, seed: int, answers: Remembered, learner: MixMatch | None
) -> Score:
    """Score rows outside training: there, own columns are all that anybody on this side can read."""
    new = view.knowledge.new
    blind = _blind(truth, view, new, seed, answers, learner)
    informed = [one.about(new).scores for one in _informed(truth, view, answers)]
    return score_labels(guess, truth, new, view.agreement.classes, blind=blind, informed=informed)


def _informed(truth: Labels, view: View, answers: Remembered) -> list[LabelGuess]:
    """Return what own columns and the labels of all training rows tell of everybody, in several ways."""
    return answers.of(informed_key(view), lambda: informed_labels(view, truth, answers))


def informed_key(view: View) -> Hashable:
    """Return under which name it is kept what all labels tell an adversary, the same for all attacks on one run."""
    return ("informed labels", view.adversaries)


def _blind(
    truth: Labels, view: View, rows: Rows, seed: int, answers: Remembered, learner: MixMatch | None
) -> Mapping[str, Matrix]:
    """Return what the adversary could have said of some rows before the federation started."""
    known = view.knowledge.known_rows
    key = ("blind labels", view.adversaries, rows.tobytes(), known.tobytes(), learner)

    def work_out() -> Mapping[str, Matrix]:
        if len(known):
            return blind_labels(view, rows, answers, learner)
        content = content_key("clusters", seed, view.agreement.classes, rows, view.knowledge.features)
        clusters = answers.in_any_run(content, lambda: blind_clusters(view, rows, stream(seed, "blind")))
        if clusters is None:
            return {}
        return {CLUSTERED: named_clusters(truth[rows], clusters.clusters, view.agreement.classes)}

    return answers.of(key, work_out)
