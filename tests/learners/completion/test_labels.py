"""Labels from completed bottom models: of an epoch that tells something, or none."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from completion_runs import BRIEF, small_view
from seepage.attacks.labels.model_completion import ModelCompletion
from seepage.attacks.labels.semi_supervised import SemiSupervised
from seepage.errors import IncompatibleView
from seepage.learners.completion.labels import Chosen
from seepage.randomness import stream

DIVERGING = {
    "temperature": ModelCompletion(learner=replace(BRIEF, temperature=1e-300)),
    "weight": ModelCompletion(learner=replace(BRIEF, unlabelled_weight=1e300)),
    "rate": ModelCompletion(learner=BRIEF, bottom="tuned", bottom_learning_rate=1e20),
    "twin": SemiSupervised(learner=replace(BRIEF, learning_rate=1e30)),
}


@pytest.mark.parametrize("case", list(DIVERGING))
def test_a_completion_that_diverges_is_refused_in_plain_words(case):
    with pytest.raises(IncompatibleView, match=r"completion diverged[^.]*\.\nLower learner\.learning_rate"):
        DIVERGING[case].run(small_view(), stream(0))


def saying(*logits):
    """A model that says the same of every row."""
    model = torch.nn.Linear(1, 2)
    with torch.no_grad():
        model.weight.zero_()
        model.bias.copy_(torch.tensor(logits))
    return model


@pytest.mark.parametrize(("select", "epoch"), [("labelled-loss", 1), ("last", 2)])
def test_an_epoch_that_diverged_is_never_chosen_over_one_that_did_not(select, epoch):
    rows = torch.zeros(3, 1)
    chosen = Chosen(replace(BRIEF, select=select, every_epoch=True), rows, np.zeros(3, dtype=np.int64), rows)
    lost = saying(float("nan"), 0.0)
    for number, model in enumerate((lost, saying(1.0, 0.0), saying(0.0, 1.0), lost)):
        chosen.after(number, model)
    assert chosen.epoch == epoch and np.isfinite(chosen.loss)
    assert list(chosen.steps) == ["epoch_2", "epoch_3"]
