"""Labels for many rows from bottom models and a few rows whose label is known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import Generator

from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.shapes import Labels, Matrix
from seepage.views.labelled_rows import LabelledRows
from seepage.views.own_bottoms import OwnBottoms

if TYPE_CHECKING:
    from torch import Tensor, nn

    from seepage.learners.completion.mixmatch import MixMatch

TINY: Final = 1e-12
"""No probability counts as less: one row alone must not make a loss infinite."""


def completed_labels(
    bottoms: OwnBottoms,
    modules: "list[tuple[nn.Module, int]]",
    rows: LabelledRows,
    classes: int,
    learner: "MixMatch",
    bottom_learning_rate: float,
    rng: Generator,
) -> LabelGuess:
    """Put an inference head on bottom models, learn as `learner` says, and label all rows asked about.

    Which epoch counts is told by the loss on the labelled rows, which is all that the
    adversary can look at. The labels after every epoch are kept as steps where that is asked for.

    Parameters
    ----------
    modules
        The bottom models to begin with: trained ones, or fresh ones of the same build.
    bottom_learning_rate
        That of the bottom models; 0 freezes them.
    """
    (chosen,) = learned(bottoms, modules, [rows], classes, learner, bottom_learning_rate, rng)
    notes = {"labelled_loss": chosen.loss, "epoch": chosen.epoch + 1.0, "iterations": float(chosen.iterations)}
    return LabelGuess(rows=rows.asked, scores=chosen.scores, steps=chosen.steps, notes=notes)


def learned(
    bottoms: OwnBottoms,
    modules: "list[tuple[nn.Module, int]]",
    tasks: Sequence[LabelledRows],
    classes: int,
    learner: "MixMatch",
    bottom_learning_rate: float,
    rng: Generator,
) -> "list[Chosen]":
    """Complete the same bottom models once for each of several sets of labelled rows, all at the same time."""
    import torch

    from seepage.learners.completion.complete_model import Completed
    from seepage.learners.completion.mixmatch_training import Start, complete, predict
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
        complete(starts, learner, bottom_learning_rate=bottom_learning_rate, rng=learning, watch=after)
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

    learner: "MixMatch"
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
