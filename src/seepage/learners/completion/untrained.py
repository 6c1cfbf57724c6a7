"""Labels from own columns and a few known labels, as if there had been no federation."""

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from seepage.guesses import LabelGuess
from seepage.learners.completion.labels import completed_labels
from seepage.learners.completion.settings import BOTTOM_LEARNING_RATE
from seepage.views.labelled_rows import LabelledRows
from seepage.views.own_bottoms import OwnBottoms

if TYPE_CHECKING:
    from seepage.learners.completion.mixmatch import MixMatch


def untrained_labels(bottoms: OwnBottoms, rows: LabelledRows, classes: int, learner: "MixMatch") -> LabelGuess:
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
