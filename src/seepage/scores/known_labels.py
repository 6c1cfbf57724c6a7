"""What labels are worth that were learned from a few known ones."""

from collections.abc import Mapping, Sequence

import numpy as np

from seepage.guesses import LabelGuess
from seepage.scores.labels import auc, f1, top1, top_k
from seepage.scores.score import Score
from seepage.shapes import Labels, Mask, Matrix, Rows

MAJORITY = "majority class"
NEW = "_new"
"""What names of numbers about rows outside training end with."""


def score_known_labels(
    guess: LabelGuess, truth: Labels, train: Rows, new: Rows, classes: int, informed: Sequence[LabelGuess]
) -> Score:
    """Score a guess made with a few known labels: on training rows without a known label, and on new rows beside.

    Blind is the best of the largest class and of all that the adversary could have
    guessed without messages; ceiling is what its own columns tell with all labels
    known, in the better of several ways (`informed`). Numbers about rows outside training end with ``_new``.
    """
    other: dict[str, float] = dict(guess.notes)
    parts = {"": np.isin(guess.rows, train), NEW: np.isin(guess.rows, new)}
    told = {ending: mask for ending, mask in parts.items() if mask.any()}
    found = {ending: _part(guess, truth, mask, classes, informed) for ending, mask in told.items()}
    if "" not in found:
        raise ValueError("a guess with known labels must speak about training rows")
    if NEW in found:
        value, blind, _, ceiling, more = found[NEW]
        other |= {f"top1{NEW}": value, f"blind{NEW}": blind, f"ceiling{NEW}": ceiling}
        other |= {f"{name}{NEW}": number for name, number in more.items()}
    value, blind, blind_kind, ceiling, more = found[""]
    return Score(
        metric="top1",
        value=value,
        blind=blind,
        blind_kind=blind_kind,
        ceiling=ceiling,
        ceiling_kind="own columns with all labels",
        other={**other, **more},
    )


def _part(
    guess: LabelGuess, truth: Labels, mask: Mask, classes: int, informed: Sequence[LabelGuess]
) -> tuple[float, float, str, float, dict[str, float]]:
    """Return value, blind, its kind, ceiling and more of some of the rows of a guess."""
    true, labels, scores = truth[guess.rows[mask]], guess.labels[mask], guess.scores[mask]
    blind, kind, twins = _blind(true, mask, guess.without_messages, classes)
    more = {"f1": f1(true, labels, classes), "auc": auc(true, scores), **twins}
    if classes > 5:
        more["top5"] = top_k(true, scores, k=5)
    more |= {f"top1_{step}": top1(true, at[mask]) for step, at in guess.steps.items()}
    if not all(np.array_equal(one.rows, guess.rows) for one in informed):
        raise ValueError("the ceiling must speak about the rows of the guess")
    ceiling = max(blind, *(top1(true, one.labels[mask]) for one in informed))  # all labels tell as much as a few
    return top1(true, labels), blind, kind, ceiling, more


def _blind(
    true: Labels, mask: Mask, without: Mapping[str, Matrix], classes: int
) -> tuple[float, str, dict[str, float]]:
    answers = {MAJORITY: float(np.bincount(true, minlength=classes).max() / len(true))}
    answers |= {how: top1(true, scores[mask].argmax(axis=1)) for how, scores in without.items()}
    kind = max(answers, key=lambda how: answers[how])
    return answers[kind], kind, {f"blind_{_short(how)}": answer for how, answer in answers.items()}


def _short(how: str) -> str:
    """Return the first two words of how a guess is made.

    >>> _short("own columns with the same labels")
    'own_columns'
    """
    return "_".join(how.split()[:2])
