"""Infer columns from labels that were inferred before."""

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Asset, Role, ScoredRows
from seepage.attacks.steps.regression import regressed
from seepage.errors import IncompatibleView
from seepage.guesses import ClusterGuess, FeatureGuess, LabelGuess
from seepage.models.clustering import dummies, without_gaps
from seepage.shapes import Labels, Matrix, Rows
from seepage.views import Needs, View
from seepage.views.joint_columns import LackedColumns, lacked_columns

NO_LABEL: Final = -1


@dataclass(frozen=True, kw_only=True)
class LabelChain:
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
    any. Here values are guessed and scored by their error. A ridge regression
    stands in for the network: 40 rows do not carry more, and its penalty is
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

    name: ClassVar[str] = "label-chain"
    steals: ClassVar[Asset] = "features"
    role: ClassVar[Role] = "attack"
    rows: ClassVar[ScoredRows] = "train"
    tampering: ClassVar[None] = None

    labels: str = "gradient-sign"
    labels_per_class: int = 0
    known: int = 40
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.known < 2:
            raise ValueError(f"known must be 2 or more, got {self.known}")
        if self.labels_per_class < 0:
            raise ValueError(f"labels_per_class must be 0 or more, got {self.labels_per_class}")
        if self.labels == self.name:
            raise ValueError(f"labels must be an attack on labels, got {self.labels}")

    @property
    def needs(self) -> Needs:
        """A guess of the labels, and a few values of the others."""
        return Needs(
            passive=True, labels_from=self.labels, known_values=self.known, labels_per_class=self.labels_per_class
        )

    def run(self, view: View, rng: Generator) -> FeatureGuess:
        """Fit on the known rows with and without labels, and guess all other training rows."""
        lacked = self._targets(view)
        seen, values = self._known(view, lacked.columns, rng)
        told = self._told(lacked.columns, values)
        lacked = lacked.only([lacked.columns[place] for place in told])
        units = without_gaps(lacked.units(values[:, told]))
        rows = np.setdiff1d(view.knowledge.train, view.knowledge.value_rows)
        features = view.knowledge.features
        own = without_gaps(features.astype(np.float64)) if features.shape[1] else np.zeros((_most(view) + 1, 0))
        extended = np.hstack((own, dummies(_labels(view, len(own)))))
        guessed, error = regressed(extended[seen], units, extended[rows])
        _, blind_error = regressed(own[seen], units, own[seen])
        return FeatureGuess(
            rows=rows,
            columns=lacked.columns,
            units=guessed,
            notes={"leave_one_out_mse": error, "leave_one_out_mse_without_labels": blind_error},
            chosen=bool(self.columns),
        )

    def _targets(self, view: View) -> LackedColumns:
        """Return the columns to infer."""
        lacked = lacked_columns(view)
        columns = lacked.columns
        if not columns:
            raise IncompatibleView(
                "Nothing is known of columns that the adversary lacks, so there is nothing to infer.\n"
                "Choose an adversary that lacks columns, and store names and ranges with a run "
                "(docs/transcript-format.md)."
            )
        if not self.columns:
            return lacked
        for asked in self.columns:
            if not any(_means(asked, name) for _, name in columns):
                raise IncompatibleView(
                    f"No party but the adversary holds a column '{asked}'.\n"
                    f"Columns that it lacks are {', '.join(name for _, name in columns[:5])}"
                    f"{' and others' if len(columns) > 5 else ''}."
                )
        return lacked.only([column for column in columns if any(_means(asked, column[1]) for asked in self.columns)])

    def _told(self, columns: tuple[tuple[str, str], ...], values: Matrix) -> Rows:
        """Return the places of the columns of which a value is known; refuse where there are none, or one was chosen.

        Nothing is said of the other columns: what knows nothing stands in for them.
        """
        told = ~np.isnan(values).all(axis=0)
        if not told.any() or (self.columns and not told.all()):
            _, name = columns[int(np.argmin(told))]
            raise IncompatibleView(
                f"All {len(values)} known values of column '{name}' are missing, so there is nothing to learn from.\n"
                "Infer other columns (--set columns=…), or ask for more known values (--set known=…)."
            )
        return np.flatnonzero(told)

    def _known(self, view: View, columns: tuple[tuple[str, str], ...], rng: Generator) -> tuple[Rows, Matrix]:
        """Return the rows to fit on, and the values of the targets there."""
        knowledge = view.knowledge
        if len(knowledge.value_rows) < self.known:
            raise IncompatibleView(
                f"The others' values are known for {len(knowledge.value_rows)} training rows, but {self.known} are "
                "asked for.\nAsk for fewer (--set known=…), or store a run in which more are known."
            )
        if len(knowledge.value_rows) >= len(knowledge.train):
            raise IncompatibleView(
                "The others' values are known for all training rows, so there is nothing to infer.\n"
                "Ask for fewer (--set known=…)."
            )
        many = len(knowledge.value_rows) > self.known
        taken = np.sort(rng.choice(len(knowledge.value_rows), self.known, replace=False)) if many else slice(None)
        places = [(party, knowledge.others[party].names.index(name)) for party, name in columns]
        values = [knowledge.values[party][taken, place] for party, place in places]
        return knowledge.value_rows[taken], np.stack(values, axis=1).astype(np.float64)


def _means(asked: str, name: str) -> bool:
    """Say whether an encoded column is the one asked for, or an indicator of that attribute."""
    return name == asked or name.startswith(f"{asked}=")


def _most(view: View) -> int:
    return int(view.knowledge.train.max(initial=NO_LABEL))


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
