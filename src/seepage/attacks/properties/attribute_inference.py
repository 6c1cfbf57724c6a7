"""Say of every row whether it has the property, and count."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack, BeginTampering
from seepage.attacks.steps.row_results import row_results, row_results_needs
from seepage.attacks.steps.tampering.stand_ins import stand_ins
from seepage.errors import IncompatibleView
from seepage.guesses import FractionGuess
from seepage.learners.clustering import without_gaps
from seepage.learners.small_network import SmallNetwork
from seepage.shapes import Matrix
from seepage.views import Auxiliary, KnownRows, Needs, View
from seepage.views.intermediate_results import PENULTIMATE, Gradients
from seepage.views.knowledge import required_auxiliary

Inputs: TypeAlias = Literal["results", "columns"]
KEPT_OUT: Final = 0.1
"""This share of the auxiliary rows is not learned from: on it the classifier is judged."""


@dataclass(frozen=True, kw_only=True)
class AttributeInference(Attack[FractionGuess]):
    """Count the rows that a network takes for ones with the property: the baselines AIA and AIA* of paper 000.

    A network of three layers learns from auxiliary rows which rows have the
    property. It reads all intermediate results of a row side by side (AIA,
    §VI-A3 of [1]_), or the adversary's own columns (AIA*, §VI-B3), for which
    nothing needs to be exchanged. The fraction is the share of all training
    rows that it says yes to.

    Parameters
    ----------
    inputs
        ``results`` or ``columns``.
    epoch
        The epoch of training that is read, counted from 0; −2 is the last but one.
    gradients
        ``replayed`` by an active adversary from what it holds, or ``sent``: the
        victim's gradients as they crossed.
    network
        Widths and training of the network; the defaults are the authors'.
    auxiliary
        How many auxiliary rows are known, and how well.

    Examples
    --------
    Of 30 rows with the property in 40, twelve are known, and the adversary's own column tells them apart:

    >>> from seepage.partition import OwnPart
    >>> from seepage.transcript import Agreement
    >>> from seepage.views import Knowledge, ThreatModel
    >>> columns = np.repeat([[1.0], [-1.0]], [30, 10], axis=0).astype(np.float32)
    >>> part = OwnPart(party="bank", columns=("age",), features=columns, names=("age",), attributes=np.zeros(1, int))
    >>> terms = Agreement(federation="forest", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=0)
    >>> asked = np.array([0, 1, 2, 3, 4, 5, 30, 31, 32, 33, 34, 35])
    >>> known = Knowledge(threat=ThreatModel(adversaries=("bank",)), own={"bank": part}, train=np.arange(40),
    ...                   auxiliary=KnownRows(asked, asked, asked < 30))
    >>> AttributeInference(inputs="columns").run(View(terms, known), np.random.default_rng(0)).fraction
    0.75

    Notes
    -----
    Nothing corrects the count, so that it is pulled towards the share of the
    auxiliary rows wherever the network is in doubt: it counts false alarms
    among the many for hits among the few. `error_averaged` is the error of the mean score.

    The authors' code lays the four kinds of results one after the other and
    cuts lines of 64 numbers out of that, so that in C1 each line mixes four
    rows (which fits that AIA of Table V is so much worse in C1 than in C2). Here
    every line is one row. Their network reads results as they are; gradients,
    being so much smaller than outputs, are then hardly seen. Here every column is
    brought to variance 1.

    A tenth of the auxiliary rows is kept out (as in the authors' code):
    `accuracy` and `largest_score` are those of these rows. Where people whom
    nobody else knows stand in for aligned rows, these are not counted.

    References
    ----------
    .. [1] L. Bai et al., "ProVFL: Property Inference Attacks Against Vertical
       Federated Learning", IEEE TIFS 20, 2025.
    """

    name = "attribute-inference"
    steals = "properties"
    role = "baseline"
    rows = "train"

    inputs: Inputs = "results"
    epoch: int = PENULTIMATE
    gradients: Gradients = "replayed"
    network: SmallNetwork = SmallNetwork()
    auxiliary: Auxiliary = Auxiliary()

    @property
    def needs(self) -> Needs:
        """Auxiliary rows; for AIA also embeddings of one epoch and own models, or the others' splits of trees."""
        if self.inputs == "columns":
            return Needs(auxiliary=self.auxiliary)
        return row_results_needs(self.auxiliary, self.epoch, self.gradients)

    @property
    def tampering(self) -> BeginTampering | None:
        """Let people whom nobody else knows stand in for aligned rows, where auxiliary rows are such people."""
        return None if self.auxiliary.aligned or self.inputs == "columns" else stand_ins

    def run(self, view: View, rng: Generator) -> FractionGuess:
        """Ask the network about all training rows."""
        known = required_auxiliary(view.knowledge)
        learned, asked = self._lines(view, known)
        order = rng.permutation(len(learned))
        kept, fitted = np.split(order, [max(1, round(KEPT_OUT * len(order)))])
        score = self.network.fitted(learned[fitted], known.has[fitted], rng)
        scores, kept_scores = score(asked), score(learned[kept])
        return FractionGuess(
            float((scores > 0.5).mean()),
            others={"averaged": float(scores.mean())},
            notes={
                "accuracy": float(((kept_scores > 0.5) == known.has[kept]).mean()),
                "largest_score": float(kept_scores.max()),
            },
        )

    def _lines(self, view: View, known: KnownRows) -> tuple[Matrix, Matrix]:
        """Return what is learned from, a line for each auxiliary row, and what is asked about."""
        if self.inputs == "columns":
            own = without_gaps(view.knowledge.features)
            if not own.size:
                raise IncompatibleView("The adversary has no columns to read. Choose another one, or inputs=results.")
            return own[known.source], own[view.knowledge.train]
        results = row_results(view, self.epoch, self.gradients)
        joined, places = results.joined(), results.at(known.rows)
        return joined[places], joined if known.aligned else np.delete(joined, places, axis=0)
