"""Learn the columns behind embeddings from a few rows whose values are known."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.attacks.steps.values.known_values import known_values
from seepage.attacks.steps.values.told_rows import told_new_rows, told_training_rows
from seepage.checks import check_least
from seepage.guesses import FeatureGuess
from seepage.views import Epochs, Kind, Needs, View


@dataclass(frozen=True, kw_only=True)
class EmbeddingRegression(Attack[FeatureGuess]):
    r"""Learn from embeddings of all epochs to each column, on a few known rows.

    The label holder is sent an embedding of every training row in every epoch,
    each by other weights: together they say far more of a row than one does. Of
    a few training rows it knows the values behind them. On these a regression
    is fitted for each unknown column :math:`x`,

    .. math:: \hat x = w_0 + k\bigl((e_1, \dots, e_T), x_{own}, y\bigr)^\top \alpha,

    from the embeddings :math:`e_t` of *T* epochs, own columns and labels, and
    applied to all other training rows. It is ridge regression, or one with a
    kernel where leave-one-out on the known rows speaks for that; how much own
    columns count is chosen in the same way. No model need be released.

    Parameters
    ----------
    known
        For how many training rows the others' values are known, 2 or more.
    epochs
        How many of the latest epochs it kept; all by default.
    columns
        Which columns of the others to infer, by the name of an attribute or of an
        encoded column; empty infers all that the adversary lacks. Others are then
        left out of the score as well.

    Examples
    --------
    Six training rows and a new one; the shop sends twice its visits, and the
    bank knows the visits of four rows:

    >>> from seepage.messages import OUTSIDE_TRAINING, Message
    >>> from seepage.transcript import Agreement, Transcript
    >>> from seepage.partition import PublicColumns
    >>> from seepage.views import Knowledge, ThreatModel, observe
    >>> visits = np.array([[2.0], [9.0], [4.0], [5.0], [3.0], [8.0], [6.0]])
    >>> messages = [Message(Kind.EMBEDDING, "shop", "bank", epoch, 0, rows, {"embedding": 2 * visits[rows]})
    ...             for epoch, rows in ((0, np.arange(6)), (OUTSIDE_TRAINING, np.array([6])))]
    >>> knowledge = Knowledge(
    ...     threat=ThreatModel(adversaries=("bank",), known_values=4), train=np.arange(6), new=np.array([6]),
    ...     others={"shop": PublicColumns(("visits",), np.array([[0.0, 10.0]]))},
    ...     value_rows=np.arange(4), values={"shop": visits[:4]})
    >>> terms = Agreement(federation="split-network", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=True, outputs=1)
    >>> view = observe(Transcript(terms, tuple(messages)), knowledge)
    >>> guess = EmbeddingRegression(known=4).run(view, np.random.default_rng(0))
    >>> guess.rows, guess.units.round(3).ravel()
    (array([4, 5, 6]), array([0.3, 0.8, 0.6]))

    Notes
    -----
    Under `logistic-regression` embeddings are partial logits, linear in the
    partner's columns, and each pass has other weights. As soon as these have
    pointed everywhere, principal components of all passes, brought to one
    length, are the columns in other coordinates: as many known rows as there
    are columns, and two more, give every row exactly.

    *New rows* have one embedding only, by the final weights. The values that
    were inferred for training rows teach a second regression, from the last
    embedding of these rows and own columns, without labels, which a new row has
    not. Two hundred taught rows are worth more than a few known ones, though one
    embedding says less than those of all epochs.

    The blind twin is the same regression on own columns and labels, with the
    same known rows. `notes` hold both leave-one-out errors, which the
    adversary can see itself. Known rows are not guessed. A row that was sent in
    no epoch is told from own columns alone.

    References
    ----------
    .. [1] Z. He, T. Zhang and R. B. Lee, "Model Inversion Attacks Against
       Collaborative Inference", ACSAC 2019, which learns such a map from
       queries instead of known rows.
    """

    name = "embedding-regression"
    steals = "features"
    rows = "train"

    known: int = 40
    epochs: int | None = None
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_least(2, known=self.known)
        check_least(1, epochs=self.epochs)

    @property
    def needs(self) -> Needs:
        """Embeddings that came in, a few values of the others, and the labels of training rows."""
        return Needs(
            received=frozenset({Kind.EMBEDDING}),
            epochs=self._kept,
            active=True,
            known_values=self.known,
            labels_if_held=True,
        )

    @property
    def _kept(self) -> Epochs:
        return Epochs.all() if self.epochs is None else Epochs.only(*range(-self.epochs, 0))

    def run(self, view: View, rng: Generator) -> FeatureGuess:
        """Learn from the known rows, tell all other training rows, and learn from those to tell new rows."""
        known = known_values(view, self.known, rng, chosen=self.columns)
        told = told_training_rows(view, known, self._kept, rng)
        new = told_new_rows(view, told, self._kept, rng)
        return FeatureGuess(
            rows=np.concatenate((told.rows, new.rows)),
            columns=known.targets.columns,
            units=np.concatenate((told.units, new.units)),
            notes={"leave_one_out_mse": told.error, "leave_one_out_mse_without_messages": told.blind_error},
            chosen=bool(self.columns),
        )
