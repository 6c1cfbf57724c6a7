"""What an adversary could say of labels without any federation, and with all labels known."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import Generator

from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.learners.clustering import without_gaps
from seepage.learners.column_classifiers import best_told
from seepage.learners.completion.completing import digest, untrained_labels
from seepage.learners.completion.mixmatch import MixMatch
from seepage.learners.linear_rules import Beginning, condensed, probed, refined, size
from seepage.learners.logistic import probe, probe_words
from seepage.messages import Kind
from seepage.scores.remembered import Remembered, content_key
from seepage.shapes import Labels, Matrix, Rows
from seepage.views import View
from seepage.views.labelled_rows import LabelledRows, granted_labels
from seepage.views.own_bottoms import OwnBottoms, own_bottoms

if TYPE_CHECKING:
    from torch import nn

OWN_COLUMNS: Final = "own columns with the same labels"
UNTRAINED: Final = "untrained bottom model with the same labels"
SELF_TRAINED: Final = "rounds on own columns with the same labels"
ROUNDS: Final = (1, 3, 60)
"""After how many rounds of self-training a mixture on own columns is looked at."""
LONG: Final = 100
"""More epochs than this teach a network nothing more; a federation that passes over all rows at once has many."""
ENOUGH: Final = 10_000
"""From so many rows logistic regression has learned what it can."""


def self_trained(rounds: int) -> str:
    """Return how the guess is called that learns from rows without a label for some rounds."""
    return f"self-trained {rounds} {SELF_TRAINED}"


def blind_labels(view: View, asked: Rows, answers: Remembered, learner: MixMatch | None = None) -> dict[str, Matrix]:
    """Return what the known labels alone tell of some rows, by how it is learned; nothing where no label is known.

    On own columns by logistic regression, and by mixtures that start there and learn from all other
    rows too, as `gradient-direction` does beside directions; where the adversary trained a bottom model,
    by the same semi-supervised learner on such a model with first weights. All learn from the
    rows that the threat model grants.

    Parameters
    ----------
    answers
        Remembers what is said, which is the same for this adversary in any run.
    learner
        How an attack that learns semi-supervised does so; its twin learns alike.
    """
    if not len(view.knowledge.known_rows) or view.knowledge.features.shape[1] == 0:
        return {}
    rows = granted_labels(view)
    found = dict(answers.in_any_run(_columns_key(view, rows, asked), lambda: _told_by_columns(view, rows, asked)))
    bottoms = bottoms_of(view)
    if bottoms is not None:
        learner = learner or MixMatch()
        key = digest(bottoms, rows, [view.agreement.classes, asdict(learner)])
        fresh = answers.in_any_run(key, lambda: untrained_labels(bottoms, rows, view.agreement.classes, learner))
        found[UNTRAINED] = fresh.about(asked).scores
    return found


def _told_by_columns(view: View, rows: LabelledRows, asked: Rows) -> dict[str, Matrix]:
    """Return what is learned on own columns alone, the same under every federation."""
    return {OWN_COLUMNS: _probed(view, rows.known, rows.labels, asked), **_self_trained(view, rows, asked)}


def _columns_key(view: View, rows: LabelledRows, asked: Rows) -> bytes:
    own, classes = view.knowledge.features, view.agreement.classes
    return content_key(
        "columns", classes, view.knowledge.reads_words, rows.known, rows.labels, rows.unlabelled, asked, own
    )


def _self_trained(view: View, rows: LabelledRows, asked: Rows) -> dict[str, Matrix]:
    """Return what mixtures on own columns say after some rounds of learning from rows without a label."""
    own = without_gaps(np.asarray(view.knowledge.features, dtype=np.float64))
    learned = np.concatenate((rows.known, rows.unlabelled))
    if view.knowledge.reads_words or len(np.unique(rows.labels)) < 2:
        return {}
    points = condensed(own, np.random.default_rng(0))
    inside = points[learned]
    start = probed(inside[: len(rows.known)], rows.labels, view.agreement.classes, size(inside))
    (rules,) = refined(inside, [Beginning(np.arange(len(rows.known)), rows.labels, start)], ROUNDS)
    return {self_trained(number): rule.confidences(points[asked]) for number, rule in zip(ROUNDS, rules, strict=True)}


def bottoms_of(view: View) -> OwnBottoms | None:
    """Return the bottom models that the adversary trained; None where it has none that can be built again."""
    if Kind.EMBEDDING not in view.agreement.kinds:
        return None
    try:
        found = own_bottoms(view)
        return None if found.recorded else found
    except IncompatibleView:  # a run that was stored without them, or in which parties send their columns
        return None


def informed_labels(view: View, truth: Labels, answers: Remembered) -> list[LabelGuess]:
    """Return what own columns and the labels of all training rows tell of everybody; no attack can do this.

    By logistic regression, with trees beside it unless columns are words, and, where the adversary trained a
    bottom model, by one of the same build.
    """
    if view.knowledge.features.shape[1] == 0:
        return []
    bottoms = bottoms_of(view)
    network = [] if bottoms is None else [informed_network(bottoms, view, truth, answers)]
    return [*informed_columns(view, truth, answers), *network]


def informed_network(bottoms: OwnBottoms, view: View, truth: Labels, answers: Remembered) -> LabelGuess:
    """Label with own columns and the labels of all training rows: the upper bound of Figure 2 of paper 001.

    The same architecture is trained for as many epochs as the federation was, up to 100.
    """
    train, asked = view.knowledge.train, _everybody(view)
    batch, epochs = view.agreement.terms.batch or 64, min(view.epochs, LONG)
    rows = LabelledRows(train, truth[train], train, asked)
    key = digest(bottoms, rows, [view.agreement.classes, epochs, batch, "informed"])

    def work_out() -> LabelGuess:
        import torch

        from seepage.learners.completion.mixmatch_training import predict
        from seepage.scores.supervised import LEARNING_RATE, PRETRAINED_LEARNING_RATE, supervise

        model, learning = _fresh_model(bottoms, view.agreement.classes, np.random.default_rng(int.from_bytes(key)))
        features = torch.from_numpy(np.asarray(bottoms.features, dtype=np.float32)).to(bottoms.device)
        wanted = features[torch.from_numpy(asked).to(bottoms.device)]
        rate = PRETRAINED_LEARNING_RATE if bottoms.pretrained else LEARNING_RATE
        with bottoms.computing():
            learned = supervise(
                model,
                features,
                train,
                truth[train],
                epochs=epochs,
                batch=batch,
                rng=learning,
                bottom_learning_rate=rate,
            )
            return LabelGuess(rows=asked, scores=predict(learned, wanted))

    return answers.in_any_run(key, work_out)


def _everybody(view: View) -> Rows:
    return np.concatenate((view.knowledge.train, view.knowledge.new))


def _fresh_model(bottoms: OwnBottoms, classes: int, rng: Generator) -> "tuple[nn.Module, Generator]":
    """Build the complete model with first weights, and return what is left of chance."""
    from seepage.learners.completion.complete_model import Completed
    from seepage.networks.seeding import torch_seeded

    first, head, learning = rng.spawn(3)
    with torch_seeded(head):
        return Completed.of(bottoms.fresh(first), classes).to(bottoms.device), learning


def informed_columns(view: View, truth: Labels, answers: Remembered) -> list[LabelGuess]:
    """Label with classifiers on own columns and the labels of all training rows, or of 10,000 of them."""
    train, asked, own = view.knowledge.train, _everybody(view), view.knowledge.features
    rows = train if len(train) <= ENOUGH else np.sort(np.random.default_rng(0).choice(train, ENOUGH, replace=False))
    classes = view.agreement.classes

    def work_out() -> list[LabelGuess]:
        told = [LabelGuess(asked, _probed(view, rows, truth[rows], asked))]
        if not view.knowledge.reads_words:
            filled, new = without_gaps(np.asarray(own, dtype=np.float64)), view.knowledge.new
            scores = best_told(filled[rows], truth[rows], filled[new], classes, np.random.default_rng(0))
            told.append(LabelGuess(new, scores))  # trees know the rows they learned from by heart
        return told

    return answers.in_any_run(content_key("informed columns", classes, rows, asked, truth[rows], own), work_out)


def _probed(view: View, known: Rows, labels: Labels, asked: Rows) -> Matrix:
    """Return the scores of logistic regression on own columns, or on own words."""
    own, classes = view.knowledge.features, view.agreement.classes
    if view.knowledge.reads_words:
        return probe_words(own[known], labels, own[asked], classes)
    filled = without_gaps(np.asarray(own, dtype=np.float64))
    return probe(filled[known], labels, filled[asked], classes)
