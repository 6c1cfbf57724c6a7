"""An estimated fraction against the true one, and against what could be said without a federation."""

from dataclasses import replace
from typing import Final

import numpy as np

from seepage.audit.scoring.truth import Truth
from seepage.errors import BadTranscript
from seepage.guesses import FractionGuess, NormHistograms
from seepage.learners.quantification import Quantified, quantify, with_known
from seepage.randomness import stream
from seepage.scores import Score
from seepage.scores.bounds.distinguishing import distinguishing_bound
from seepage.scores.fractions import score_fraction
from seepage.scores.remembered import Remembered
from seepage.scores.twins import Twins
from seepage.shapes import Matrix
from seepage.views import View
from seepage.views.auxiliary import KnownRows
from seepage.views.knowledge import required_auxiliary

TWIN: Final = "adjusted counting on own columns"
PLAIN: Final = "counting on own columns"
HALF: Final = "one half"
SHARE: Final = "auxiliary share"
EXHAUSTED: Final = "all known rows with it"
GAP: Final = 0.01
"""The two worlds of the bound differ by one person in a hundred."""


def fraction_twins(view: View, seed: int, answers: Remembered) -> Twins:
    """Return the answers that need no federation."""
    known = required_auxiliary(view.knowledge)
    key = ("property twin", view.adversaries, view.knowledge.threat.property, view.knowledge.threat.auxiliary)
    blind = answers.of(key, lambda: blind_fractions(view, known, seed))
    return Twins({kind: FractionGuess(min(1.0, max(0.0, fraction))) for kind, fraction in blind.items()})


def score_fraction_guess(guess: FractionGuess, twins: Twins, truth: Truth, view: View) -> Score:
    """Score an estimate against the fraction among all rows that were aligned, withdrawn ones included.

    What is protected is what the victim brought along. Where it withdrew rows,
    the error against the rows that are left stands beside (`error_after_withdrawal`),
    and how far the fraction itself was moved (`withdrawal_shift`). Who sees how
    many rows are withdrawn, and knows that all of them have the property, puts
    them back: that is `error_putting_back`, given where all of them do.
    """
    known = view.knowledge.auxiliary
    if truth.has is None or truth.before is None or known is None:
        raise BadTranscript(
            "What there is to score against does not say which rows have the property. "
            "Store the run again, or remove truth.safetensors to attack without scoring."
        )
    before, after = float(truth.has[truth.before].mean()), float(truth.has[view.knowledge.train].mean())
    blind = {kind: one.fraction for kind, one in twins.scored.items() if isinstance(one, FractionGuess)}
    withdrawn = np.setdiff1d(truth.before, view.knowledge.train)
    notes = dict(guess.notes)
    if len(withdrawn):
        notes |= {"error_after_withdrawal": abs(guess.fraction - after), "withdrawal_shift": abs(before - after)}
    if len(withdrawn) and truth.has[withdrawn].all():  # with other people among them, their number says less
        put_back = with_known(guess.fraction, truth.has[withdrawn], len(view.knowledge.train))
        notes["error_putting_back"] = abs(put_back - before)
    score = score_fraction(guess.fraction, before, blind, others=guess.others, notes=notes)
    return replace(
        score,
        bounds=_bounds(guess, after, len(view.knowledge.train), known.share),
        pictures={kind: _drawn(histograms) for kind, histograms in guess.pictures.items()},
    )


def blind_fractions(view: View, known: KnownRows, seed: int) -> dict[str, float]:
    """Return the answers that need no federation: the first comes from the adversary's own columns."""
    answers = {HALF: 0.5, SHARE: known.share}
    if known.exhausted:
        answers[EXHAUSTED] = float(known.has.sum() / len(view.knowledge.train))
    twin = raw_twin(view, known, seed)
    if twin is not None:
        unknown = len(view.knowledge.train) - (len(known.rows) if known.aligned else 0)
        counted = known.has if known.aligned else known.has[:0]
        answers[TWIN] = with_known(twin.probabilistic, counted, unknown)
        answers[PLAIN] = with_known(twin.counted, counted, unknown)
    return answers


def raw_twin(view: View, known: KnownRows, seed: int) -> Quantified | None:
    """Run adjusted counting on all that the adversary held before: its columns, and labels where it holds them."""
    own = brought_along(view)
    if own is None:
        return None
    rest = np.setdiff1d(view.knowledge.train, known.rows) if known.aligned else view.knowledge.train
    return quantify(own[known.source], known.has, own[rest], stream(seed, "blind", "property"))


def brought_along(view: View) -> Matrix | None:
    """Return the adversary's own columns, with an indicator for each class where it holds the labels."""
    parts = [np.asarray(part.features, dtype=np.float32) for part in view.knowledge.own.values() if part.width]
    labels = [part.labels for part in view.knowledge.own.values() if part.labels is not None]
    parts += [np.eye(view.agreement.classes, dtype=np.float32)[own] for own in labels]
    return np.concatenate(parts, axis=1) if parts else None


def _bounds(guess: FractionGuess, fraction: float, rows: int, share: float) -> dict[str, dict[str, float | bool]]:
    """Give the bound of Theorem 1 where the attack says how sure its classifier ever is.

    There is none where a side has nobody: all of one may have been withdrawn,
    and too few auxiliary rows may be mislabelled so that one side is empty.
    """
    surest = guess.notes.get("largest_score")
    if surest is None or not (0 < fraction < 1 and 0 < share < 1):
        return {}
    return {"distinguishing": distinguishing_bound(surest, fraction, GAP, rows, share).facts()}


def _drawn(histograms: NormHistograms) -> dict[str, object]:
    return {
        "edges": [float(f"{edge:.8g}") for edge in histograms.edges],
        "shares": {
            f"{fraction:g}": [round(float(s), 6) for s in shares] for fraction, shares in histograms.shares.items()
        },
    }
