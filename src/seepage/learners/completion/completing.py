"""Labels from bottom models and a few labelled rows (paper 001, §3.3): frozen or tuned, trained or not."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.learners.completion.mixmatch import BOTTOM_LEARNING_RATE, FROZEN, TUNED, BottomKind, MixMatch
from seepage.shapes import Array, Labels, Matrix, Rows
from seepage.views.labelled_rows import LabelledRows
from seepage.views.own_bottoms import OwnBottoms

if TYPE_CHECKING:
    from torch import Tensor, nn

from typing import TYPE_CHECKING

from seepage.learners.logistic import probe
from seepage.views.labelled_rows import granted_labels
from seepage.views.own_bottoms import own_bottoms
from seepage.views.view import View

PROBE: Final = "linear_probe"
Modules: TypeAlias = "list[tuple[nn.Module, int]]"
TINY: Final = 1e-12
"""No probability counts as less: one row alone must not make a loss infinite."""
ENOUGH: Final = 20
"""Fewer labelled rows cannot tell."""
DEVIATIONS: Final = 2.0
"""So many standard errors below the loss under a frozen bottom model is better, less is chance."""
TUNED_NOTE: Final = "tuned"


def complete_as_granted(
    view: View, bottom: BottomKind, bottom_learning_rate: float, learner: "MixMatch | None", rng: Generator
) -> LabelGuess:
    """Complete the trained bottom model and label all other rows; the linear probe comes along."""
    bottoms, rows, classes = own_bottoms(view), granted_labels(view), view.agreement.classes
    rows = replace(rows, asked=bottoms.asked(rows.asked))
    guess = completed_as_asked(bottoms, rows, classes, bottom, bottom_learning_rate, learner, rng)
    probed = probed_outputs(bottoms, rows, classes).argmax(axis=1).astype(np.int64)
    return replace(guess, steps={**guess.steps, PROBE: probed})


def probed_outputs(bottoms: OwnBottoms, rows: LabelledRows, classes: int) -> Matrix:
    """Return the scores of logistic regression on the trained bottom model's outputs."""
    known, asked = bottoms.outputs(rows.known), bottoms.outputs(rows.asked)
    if not (np.isfinite(known).all() and np.isfinite(asked).all()):
        raise IncompatibleView(
            "Some outputs of the own bottom model are no numbers.\nTrain with a lower learning rate."
        )
    return probe(known, rows.labels, asked, classes)


def completed_as_asked(
    bottoms: OwnBottoms,
    rows: LabelledRows,
    classes: int,
    bottom: BottomKind,
    bottom_learning_rate: float,
    learner: MixMatch | None,
    rng: Generator,
) -> LabelGuess:
    """Complete the trained bottom models, frozen or tuned, and label all rows asked about.

    Parameters
    ----------
    bottom
        ``frozen``, ``tuned``, or ``auto``: frozen unless `tuning_helps`. Of models of which answers alone are known
        nothing can be tuned.
    learner
        How MixMatch learns; None takes the learner that is made for frozen or for tuned bottom models.
    """
    choosing, learning = rng.spawn(2)
    if bottoms.recorded:
        if bottom == "tuned":
            raise IncompatibleView(
                "Of the own bottom model only what it answers is known, so it cannot learn on.\n"
                "Complete it as it is (--set bottom=frozen)."
            )
        bottom = "frozen"
    tuned = bottom == "tuned" or (
        bottom == "auto" and tuning_helps(bottoms, rows, classes, bottom_learning_rate, choosing, learner or TUNED)
    )
    chosen = learner if learner is not None else TUNED if tuned else FROZEN
    rate = bottom_learning_rate if tuned else 0.0
    guess = completed_labels(bottoms, bottoms.trained(), rows, classes, chosen, rate, learning)
    return replace(guess, notes={**guess.notes, TUNED_NOTE: float(tuned)})


def tuning_helps(
    bottoms: OwnBottoms, rows: LabelledRows, classes: int, rate: float, rng: Generator, learner: MixMatch = TUNED
) -> bool:
    """Tell from the labelled rows whether a bottom model that learns on tells others better.

    They are dealt into two halves, class by class. Each half is told by models that learned from the other as
    `learner` says, under a frozen and under a tuned bottom model. Tuning must be better by more than two standard
    errors of the differences, row by row: a frozen model cannot forget what the federation taught it.
    """
    halves = _halves(rows.labels, rng)
    if len(rows.known) < ENOUGH or any(len(np.unique(rows.labels[half])) < 2 for half in halves):
        return False
    tasks = [
        LabelledRows(rows.known[learn], rows.labels[learn], rows.unlabelled, rows.known[tell])
        for learn, tell in (halves, halves[::-1])
    ]
    told = rows.labels[np.concatenate(halves[::-1])]
    seed = rng.integers(2**63)  # both begin from the same head and the same batches

    def losses(tried: float) -> Array:
        """Return the loss of each row under the model that learned from the other half."""
        chance = np.random.default_rng(seed)
        found = learned(bottoms, bottoms.trained(), tasks, classes, learner, tried, chance)
        scores = np.concatenate([one.scores for one in found])
        return np.asarray(-np.log(np.maximum(scores[np.arange(len(told)), told], TINY)), dtype=np.float64)

    try:
        frozen, tuned = losses(0.0), losses(rate)
    except IncompatibleView:  # what diverges helps nobody
        return False
    gain = frozen - tuned
    return bool(gain.mean() > DEVIATIONS * gain.std(ddof=1) / np.sqrt(len(gain)))


def _halves(labels: Labels, rng: Generator) -> tuple[Rows, Rows]:
    """Deal places into two halves with as many of each class, up to one; which of them gets more, takes turns."""
    shuffled = rng.permutation(len(labels))
    ordered = shuffled[np.argsort(labels[shuffled], kind="stable")]
    return ordered[::2], ordered[1::2]


def untrained_labels(bottoms: OwnBottoms, rows: LabelledRows, classes: int, learner: MixMatch) -> LabelGuess:
    """Label with the same learner from first weights instead of trained ones: "direct semi" of Table 3.

    Chance is keyed with what the adversary holds: it gets the same answer whatever the others do.
    """
    key = digest(bottoms, rows, [classes, asdict(learner)])
    first, learning = np.random.default_rng(int.from_bytes(key)).spawn(2)
    # A high rate destroys what was learned, if anything was.
    rate = BOTTOM_LEARNING_RATE if bottoms.pretrained else learner.learning_rate
    return completed_labels(bottoms, bottoms.fresh(first), rows, classes, learner, rate, learning)


def digest(bottoms: OwnBottoms, rows: LabelledRows, settings: object) -> bytes:
    """Return a number that tells one question from another: what is held, what is known, what is asked."""
    described = [list(bottoms.architectures), bottoms.device, bottoms.halved, settings]
    made = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    for array in (rows.known, rows.labels, rows.unlabelled, rows.asked, bottoms.features):
        made.update(f"{array.dtype} {array.shape}".encode())
        made.update(np.ascontiguousarray(array).tobytes())
    return made.digest()


def completed_labels(
    bottoms: OwnBottoms,
    modules: Modules,
    rows: LabelledRows,
    classes: int,
    learner: MixMatch,
    rate: float,
    rng: Generator,
) -> LabelGuess:
    """Put an inference head on bottom models, learn as `learner` says, and label all rows asked about.

    Which epoch counts is told by the loss on the labelled rows, which is all that the
    adversary can look at. The labels after every epoch are kept as steps where that is asked for.

    Parameters
    ----------
    modules
        The bottom models to begin with: trained ones, or fresh ones of the same build.
    rate
        That of the bottom models; 0 freezes them.
    """
    (chosen,) = learned(bottoms, modules, [rows], classes, learner, rate, rng)
    notes = {"labelled_loss": chosen.loss, "epoch": chosen.epoch + 1.0, "iterations": float(chosen.iterations)}
    return LabelGuess(rows=rows.asked, scores=chosen.scores, steps=chosen.steps, notes=notes)


def learned(
    bottoms: OwnBottoms,
    modules: Modules,
    tasks: Sequence[LabelledRows],
    classes: int,
    learner: MixMatch,
    rate: float,
    rng: Generator,
) -> "list[Chosen]":
    """Complete the same bottom models once for each of several sets of labelled rows, all at the same time."""
    import torch

    from seepage.learners.completion.complete_model import Completed, Start
    from seepage.learners.completion.mixmatch_training import complete, predict
    from seepage.networks.seeding import torch_seeded

    first, learning = rng.spawn(2)
    with torch_seeded(first):
        model = Completed.of(modules, classes).to(bottoms.device)
    every = [np.concatenate((rows.known, rows.unlabelled, rows.asked)) for rows in tasks]
    used = np.unique(np.concatenate(every))
    features = torch.from_numpy(np.asarray(bottoms.features[used], dtype=np.float32)).to(bottoms.device)
    starts, chosen = [], []
    for rows in tasks:
        known, unlabelled, asked = (np.searchsorted(used, some) for some in (rows.known, rows.unlabelled, rows.asked))
        starts.append(Start(model, features, known, rows.labels, unlabelled))
        looked_at, wanted = (features[torch.from_numpy(some).to(bottoms.device)] for some in (known, asked))
        chosen.append(Chosen(learner, looked_at, rows.labels, wanted))

    def after(epoch: int, models: "Sequence[nn.Module]") -> bool:
        enough = [one.after(epoch, model) for one, model in zip(chosen, models, strict=True)]
        return all(enough)

    with bottoms.computing():
        complete(starts, learner, bottom_learning_rate=rate, rng=learning, watch=after)
        for one in chosen:
            one.model.load_state_dict(one.state)
            one.scores = predict(one.model, one.asked)
    if not all(math.isfinite(one.loss) and np.isfinite(one.scores).all() for one in chosen):
        raise IncompatibleView(
            "The completion diverged: its probabilities are no numbers.\n"
            "Lower learner.learning_rate or bottom_learning_rate, or leave the learner's other settings as they are."
        )
    return chosen


@dataclass(eq=False)
class Chosen:
    """The averaged model of one epoch: that with the least loss on the labelled rows, or the last.

    One that has diverged is never chosen over one that has not.
    """

    learner: MixMatch
    known: "Tensor"
    labels: Labels
    asked: "Tensor"
    model: "nn.Module" = field(init=False)
    state: "dict[str, Tensor]" = field(init=False)
    scores: Matrix = field(init=False)
    epoch: int = -1
    loss: float = math.inf
    iterations: int = 0
    steps: dict[str, Labels] = field(default_factory=dict)
    _least: tuple[float, int] = (math.inf, 0)

    def after(self, epoch: int, model: "nn.Module") -> bool:
        """Look at a model that will change again; keep its numbers if it is the one, and say whether to stop here."""
        from seepage.learners.completion.mixmatch_training import predict

        true = np.take_along_axis(predict(model, self.known), self.labels[:, None], axis=1)
        loss = float(-np.log(np.maximum(true, TINY)).mean())
        loss = math.inf if math.isnan(loss) else loss
        if self.epoch < 0 or loss < self.loss or (self.learner.select == "last" and loss < math.inf):
            self.epoch, self.loss, self.model = epoch, loss, model
            self.state = {name: values.clone() for name, values in model.state_dict().items()}
        if self.learner.every_epoch and loss < math.inf:
            self.steps[f"epoch_{epoch + 1}"] = predict(model, self.asked).argmax(axis=1).astype(np.int64)
        self.iterations = (epoch + 1) * self.learner.iterations
        if loss < self._least[0]:
            self._least = loss, epoch
        return 0 < self.learner.patience <= epoch - self._least[1]
