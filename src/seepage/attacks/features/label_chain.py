"""Infer columns from labels that were inferred before."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.attacks.steps.values.known_values import NO_LABEL, known_values, own_inputs
from seepage.attacks.steps.values.network_regression import network_regressed
from seepage.attacks.steps.values.regression import regressed
from seepage.checks import check_choice, check_least
from seepage.errors import IncompatibleView
from seepage.guesses import ClusterGuess, FeatureGuess, LabelGuess
from seepage.learners.clustering import dummies
from seepage.shapes import Labels
from seepage.views import Needs, View

RegressionKind: TypeAlias = Literal["ridge", "network"]


@dataclass(frozen=True, kw_only=True)
class LabelChain(Attack[FeatureGuess]):
    r"""Infer the others' columns from labels that were inferred before: Appendix E of paper 001.

    Labels go with columns: whoever has read a diagnosis off gradients knows more
    about the size of a tumor. An earlier attack of the same adversary has guessed
    the labels of training rows, and for a few of these rows the values of the
    others' columns are known. On these rows a regression is fitted,

    .. math:: \hat x = w_0 + w^\top x_{own} + \sum_c v_c [\hat y = c],

    for each unknown column :math:`x`, and applied to all other training rows.
    Groups of rows (`ClusterGuess`) serve as well as named classes; a row without
    a guess has no indicator set.

    Parameters
    ----------
    labels
        The attack that guesses the labels, by its name in the catalog. It is run
        first, with its default settings, on the same view.
    labels_per_class
        How many labelled training rows of each class are known to an earlier
        attack that learns from such rows; 0 leaves it at the default of that attack.
    known
        For how many training rows the others' values are known, 2 or more.
    with_labels
        Whether the guessed labels are used; without them it is what own columns tell by the same regression.
    regression
        ``ridge``: ridge regression, or one with a kernel, chosen on the known rows; ``network``: a network of three
        fully connected layers, as in the paper.
    columns
        Which columns of the others to infer, by the name of an attribute or of an
        encoded column; empty infers all that the adversary lacks. Others are then
        left out of the score as well.

    Examples
    --------
    Six training rows; the visits of the first four are known. They follow the
    label, which was guessed for all six:

    >>> from seepage.transcript import Agreement, Transcript
    >>> from seepage.partition import PublicColumns
    >>> from seepage.views import Knowledge, ThreatModel, observe
    >>> labels = LabelGuess(np.arange(6), np.eye(2)[[0, 1, 0, 1, 0, 1]])
    >>> knowledge = Knowledge(
    ...     threat=ThreatModel(adversaries=("shop",), known_values=4), train=np.arange(6), guess=labels,
    ...     others={"bank": PublicColumns(("visits",), np.array([[0.0, 10.0]]))},
    ...     value_rows=np.arange(4), values={"bank": np.array([[2.0], [9.0], [2.0], [9.0]])})
    >>> terms = Agreement(federation="summed-network", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=False, outputs=2)
    >>> view = observe(Transcript(terms, ()), knowledge)
    >>> guess = LabelChain(known=4).run(view, np.random.default_rng(0))
    >>> guess.rows, guess.units.round(2).ravel()
    (array([4, 5]), array([0.2, 0.9]))

    Notes
    -----
    The paper trains a network on 40 rows and reports the "top-1 accuracy" of
    *radius mean*, a number with no classes, without saying how it was cut into
    any. Here values are guessed and scored by their error, and, of chosen columns, by how often they lie in the right
    quarter of the rows. A ridge regression is the default: 40 rows do not carry more, and its penalty is
    chosen for each column by leave-one-out on the known rows, in closed form.

    The blind twin is the same regression on the same rows without the labels,
    and the mean of the known values, so the advantage is what the labels added.
    The known rows themselves are not scored. `notes` hold the leave-one-out
    errors with and without labels, which the adversary can see itself.

    References
    ----------
    .. [1] C. Fu et al., "Label Inference Attacks Against Vertical Federated
       Learning", USENIX Security 2022, Appendix E.
    """

    name = "label-chain"
    steals = "features"
    rows = "train"

    labels: str = "gradient-sign"
    labels_per_class: int = 0
    known: int = 40
    columns: tuple[str, ...] = ()
    with_labels: bool = True
    regression: RegressionKind = "ridge"

    def __post_init__(self) -> None:
        check_choice(RegressionKind, regression=self.regression)
        check_least(2, known=self.known)
        check_least(0, labels_per_class=self.labels_per_class)
        if self.labels == self.name:
            raise ValueError(f"labels must be an attack on labels, got {self.labels}")

    @property
    def needs(self) -> Needs:
        """A guess of the labels, and a few values of the others."""
        read = self.labels if self.with_labels else None
        return Needs(passive=True, labels_from=read, known_values=self.known, labels_per_class=self.labels_per_class)

    def run(self, view: View, rng: Generator) -> FeatureGuess:
        """Fit on the known rows with and without labels, and guess all other training rows."""
        known = known_values(view, self.known, rng, chosen=self.columns)
        seen, units = known.rows, known.units
        rows = np.setdiff1d(view.knowledge.train, view.knowledge.value_rows)
        own = own_inputs(view)
        extended = np.hstack((own, dummies(_labels(view, len(own))))) if self.with_labels else own
        guessed, error = regressed(extended[seen], units, extended[rows])
        _, blind_error = regressed(own[seen], units, own[rows])
        if self.regression == "network":
            guessed = network_regressed(extended[seen], units, extended[rows], rng)
        return FeatureGuess(
            rows=rows,
            columns=known.targets.columns,
            units=guessed,
            notes={"leave_one_out_mse": error, "leave_one_out_mse_without_labels": blind_error},
            chosen=bool(self.columns),
        )


def _labels(view: View, rows: int) -> Labels:
    """Return the guessed class or group of every row; −1 where there is none."""
    guess = view.knowledge.guess
    if not isinstance(guess, (LabelGuess, ClusterGuess)):
        raise IncompatibleView(
            "No guess of the labels was handed over.\n"
            "Name an attack on labels with --set labels=…, such as gradient-sign or id2graph."
        )
    claimed = guess.labels if isinstance(guess, LabelGuess) else guess.clusters
    labels = np.full(rows, NO_LABEL, dtype=np.int64)
    held = guess.rows < rows
    labels[guess.rows[held]] = claimed[held]
    if isinstance(guess, LabelGuess):  # an attack that learned from known labels does not guess them
        labels[view.knowledge.known_rows] = view.knowledge.known_labels
    return labels
