"""What an adversary that knows a few labels could say without any federation, and with all labels."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import Generator

from seepage.guesses import LabelGuess
from seepage.models.bag_of_words import probe_words
from seepage.models.probe import probe
from seepage.shapes import Labels, Matrix, Rows
from seepage.views.completion import completed_labels
from seepage.views.completion_settings import BOTTOM_LEARNING_RATE
from seepage.views.labelled_rows import LabelledRows
from seepage.views.own_bottoms import OwnBottoms
from seepage.views.view import View

if TYPE_CHECKING:
    from seepage.models.mixmatch import MixMatch

OWN_COLUMNS: Final = "own columns with the same labels"
UNTRAINED: Final = "untrained bottom model with the same labels"
MOST: Final = 8
"""How many answers are remembered."""

LONG: Final = 100
"""More epochs than this teach a network nothing more; a federation that passes over all rows at once has many."""
ENOUGH: Final = 10_000
"""From so many rows logistic regression has learned what it can."""

_remembered: "OrderedDict[bytes, LabelGuess]" = OrderedDict()


def twins(view: View, bottoms: OwnBottoms, rows: LabelledRows, learner: "MixMatch") -> dict[str, Matrix]:
    """Return the scores that need no federation, by how they are made: on own columns, and from first weights."""
    classes = view.agreement.classes
    return {
        OWN_COLUMNS: _probed(view, rows.known, rows.labels, rows.asked),
        UNTRAINED: untrained_labels(bottoms, rows, classes, learner).scores,
    }


def untrained_labels(bottoms: OwnBottoms, rows: LabelledRows, classes: int, learner: "MixMatch") -> LabelGuess:
    """Label with the same learner from first weights instead of trained ones: "direct semi" of Table 3.

    Chance is keyed with what the adversary holds: it gets the same answer whatever
    the others do, so the last few answers are remembered.
    """

    def work_out(rng: Generator) -> LabelGuess:
        first, learning = rng.spawn(2)
        # A high rate destroys what was learned, if anything was.
        rate = BOTTOM_LEARNING_RATE if bottoms.pretrained else learner.learning_rate
        return completed_labels(bottoms, bottoms.fresh(first), rows, classes, learner, rate, learning)

    return _once(_digest(bottoms, rows, [classes, asdict(learner)]), work_out)


def informed_labels(bottoms: OwnBottoms, truth: Labels, train: Rows, asked: Rows, view: View) -> LabelGuess:
    """Label with own columns and the labels of all training rows: the upper bound of Figure 2.

    The same architecture is trained for as many epochs as the federation was, up to 100.
    No attack can do this; it is what the adversary's columns are worth at most.
    """
    batch, epochs = int(view.agreement.settings.get("batch") or 64), min(view.epochs, LONG)

    def work_out(rng: Generator) -> LabelGuess:
        import torch

        from seepage.models.completed import Completed
        from seepage.models.completion import predict
        from seepage.models.seeded import torch_seeded
        from seepage.models.supervised import LEARNING_RATE, PRETRAINED_LEARNING_RATE, supervise

        first, head, learning = rng.spawn(3)
        with torch_seeded(head):
            model = Completed.of(bottoms.fresh(first), view.agreement.classes).to(bottoms.device)
        features = torch.from_numpy(np.asarray(bottoms.features, dtype=np.float32)).to(bottoms.device)
        wanted = features[torch.from_numpy(asked).to(bottoms.device)]
        with bottoms.computing():
            learned = supervise(
                model,
                features,
                train,
                truth[train],
                epochs=epochs,
                batch=batch,
                rng=learning,
                bottom_learning_rate=PRETRAINED_LEARNING_RATE if bottoms.pretrained else LEARNING_RATE,
            )
            return LabelGuess(rows=asked, scores=predict(learned, wanted))

    rows = LabelledRows(train, truth[train], train, asked)
    return _once(_digest(bottoms, rows, [view.agreement.classes, epochs, batch, "informed"]), work_out)


def informed_probe(truth: Labels, train: Rows, asked: Rows, view: View) -> LabelGuess:
    """Label with logistic regression on own columns and the labels of all training rows, or of 10,000 of them."""
    rows = train if len(train) <= ENOUGH else np.sort(np.random.default_rng(0).choice(train, ENOUGH, replace=False))
    return LabelGuess(rows=asked, scores=_probed(view, rows, truth[rows], asked))


def _probed(view: View, known: Rows, labels: Labels, asked: Rows) -> Matrix:
    """Return the scores of logistic regression on own columns, or on own words."""
    own = view.knowledge.features
    learned = probe_words if any(part.text is not None for part in view.knowledge.own.values()) else probe
    return learned(own[known], labels, own[asked], view.agreement.classes)


def _once(key: bytes, work_out: Callable[[Generator], LabelGuess]) -> LabelGuess:
    """Return what is remembered under a key, or work it out with chance drawn from that key."""
    if key not in _remembered:
        _remembered[key] = work_out(np.random.default_rng(int.from_bytes(key)))
        while len(_remembered) > MOST:
            _remembered.popitem(last=False)
    _remembered.move_to_end(key)
    return _remembered[key]


def _digest(bottoms: OwnBottoms, rows: LabelledRows, settings: object) -> bytes:
    described = [list(bottoms.architectures), bottoms.device, bottoms.halved, settings]
    digest = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    for array in (rows.known, rows.labels, rows.unlabelled, rows.asked, bottoms.features):
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
