"""Labels for many rows from bottom models and a few rows whose label is known."""

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import Generator

from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.shapes import Labels
from seepage.views.labelled_rows import LabelledRows
from seepage.views.own_bottoms import OwnBottoms

if TYPE_CHECKING:
    from torch import Tensor, nn

    from seepage.models.mixmatch import MixMatch

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
    import torch

    from seepage.models.completed import Completed
    from seepage.models.completion import Start, complete, predict
    from seepage.models.seeded import torch_seeded

    used, place = np.unique(np.concatenate((rows.known, rows.unlabelled, rows.asked)), return_inverse=True)
    known, unlabelled, asked = np.split(place, [len(rows.known), len(rows.known) + len(rows.unlabelled)])
    features = torch.from_numpy(np.asarray(bottoms.features[used], dtype=np.float32)).to(bottoms.device)
    first, learning = rng.spawn(2)
    with torch_seeded(first):
        model = Completed.of(modules, classes).to(bottoms.device)
    wanted = features[torch.from_numpy(asked).to(bottoms.device)]
    chosen = _Chosen(learner, features[torch.from_numpy(known).to(bottoms.device)], rows.labels, wanted)
    start = Start(model, features, known, rows.labels, unlabelled)
    with bottoms.computing():
        complete([start], learner, bottom_learning_rate=bottom_learning_rate, rng=learning, watch=chosen.after)
        scores = predict(chosen.model, wanted)
    if not math.isfinite(chosen.loss) or not np.isfinite(scores).all():
        raise IncompatibleView(
            "The completion diverged: its probabilities are no numbers.\n"
            "Lower learner.learning_rate or bottom_learning_rate, or leave the learner's other settings as they are."
        )
    notes = {"labelled_loss": chosen.loss, "epoch": chosen.epoch + 1.0}
    return LabelGuess(rows=rows.asked, scores=scores, steps=chosen.steps, notes=notes)


@dataclass(eq=False)
class _Chosen:
    """The averaged model of one epoch: that with the least loss on the labelled rows, or the last.

    One that has diverged is never chosen over one that has not.
    """

    learner: "MixMatch"
    known: "Tensor"
    labels: Labels
    asked: "Tensor"
    model: "nn.Module" = field(init=False)
    epoch: int = -1
    loss: float = math.inf
    steps: dict[str, Labels] = field(default_factory=dict)

    def after(self, epoch: int, models: "Sequence[nn.Module]") -> None:
        """Look at a model that will change again; keep a copy of it if it is the one."""
        from seepage.models.completion import predict

        true = np.take_along_axis(predict(models[0], self.known), self.labels[:, None], axis=1)
        loss = float(-np.log(np.maximum(true, TINY)).mean())
        loss = math.inf if math.isnan(loss) else loss
        if self.epoch < 0 or loss < self.loss or (self.learner.select == "last" and loss < math.inf):
            self.epoch, self.loss, self.model = epoch, loss, deepcopy(models[0])
        if self.learner.every_epoch and loss < math.inf:
            self.steps[f"epoch_{epoch + 1}"] = predict(models[0], self.asked).argmax(axis=1).astype(np.int64)
