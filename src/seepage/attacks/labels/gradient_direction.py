"""Read labels off the directions of returned gradients."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Asset, Role, ScoredRows
from seepage.attacks.steps.direction_groups import direction_groups
from seepage.attacks.steps.gradient_scores import class_cosines, length_confidences, relative_lengths
from seepage.attacks.steps.returned_gradients import ReturnedGradients, returned_gradients
from seepage.attacks.steps.told_by_columns import condensed, own_inputs, told_by_columns
from seepage.attacks.steps.weighed_rules import weighed_rules
from seepage.errors import IncompatibleView
from seepage.guesses import ClusterGuess, LabelGuess
from seepage.models.clustering import k_means
from seepage.shapes import Array, Labels, Mask, Rows
from seepage.views import Epochs, Kind, Needs, View

Method = Literal["auto", "probe", "mixture", "cosine", "norm"]


@dataclass(frozen=True, kw_only=True)
class GradientDirection:
    r"""Name classes by the directions in which gradients pull, from a few known labels; or group rows by them.

    Behind a top model the gradient that comes back for row *i* in epoch *t* is

    .. math:: g_{it} = \frac{1}{\lvert B \rvert} J_{it}^\top (p_{it} - y_i),

    so rows of a class are pulled the same way ([1]_, [2]_); the length says how wrong the
    model still is, and the direction says which class it should have named. All epochs are
    read. Each row gets a few coordinates that stand for the directions of all epochs in
    which it was heard (`DirectionSpace`), and classes are told apart there: by logistic
    regression on a few labelled rows, and by Gaussian mixtures with one covariance that
    start from it and learn from all other rows too. Rules are weighed by how likely each
    makes known labels that it was not told (`weighed_rules`), so that self-training counts
    where the adversary's own evidence speaks for it.

    Rows that are silent in every epoch, because a defense sent zeros or because they were
    never in a batch, are labelled by a classifier on own columns, outputs of the own bottom
    model and the share of silent epochs, fitted to rows that directions have named.

    Parameters
    ----------
    labels_per_class
        How many labelled training rows of each class the adversary knows. With 0 rows
        are grouped instead: spherical k-means on the same coordinates, refined by a mixture.
    method
        ``auto`` weighs all rules; ``probe`` and ``mixture`` take logistic regression or
        settled mixtures alone. ``cosine`` adds up, over epochs, the cosine to the mean
        direction of each class. ``norm`` is the norm score of [1]_, for two classes: the
        rarer one is pulled harder.
    epochs
        Which epochs of training to read, counted from 0; empty reads all.
    most_epochs
        How many epochs are read where more were recorded, spread from the first to the last.

    Examples
    --------
    Four rows of two classes, pulled opposite ways; labels of the first two are known:

    >>> from seepage.messages import Message
    >>> from seepage.transcript import Agreement, Transcript
    >>> from seepage.views import Knowledge, ThreatModel, observe
    >>> gradient = np.array([[0.3, -0.1], [-0.2, 0.1], [-0.6, 0.2], [0.1, 0.0]])
    >>> message = Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.arange(4), {"gradient": gradient})
    >>> terms = Agreement(federation="split-network", parties=("bank", "shop"), active="bank",
    ...                   classes=2, top_model=True, outputs=2)
    >>> knowledge = Knowledge(threat=ThreatModel(adversaries=("shop",), labels_per_class=1), train=np.arange(4),
    ...                       known_rows=np.array([0, 1]), known_labels=np.array([0, 1]))
    >>> view = observe(Transcript(terms, (message,)), knowledge)
    >>> GradientDirection(labels_per_class=1).run(view, np.random.default_rng(0)).labels
    array([0, 1, 1, 0])

    Notes
    -----
    `notes` hold the share of rows that are ``silent`` in every epoch, the share that was
    ``never_in_a_batch``, how many ``epochs`` spoke, and of how many classes no label is
    known (``unnamed_classes``; such a class is never guessed). The step ``heard`` is the
    guess without silent rows: accuracy over the others is its accuracy over 1 − ``silent``.
    An adversary without columns abstains from silent rows. Known rows come along with
    their known labels; they are not scored.

    References
    ----------
    .. [1] O. Li et al., "Label Leakage and Protection in Two-party Split Learning", ICLR 2022.
    .. [2] J. Liu and X. Lyu, "Clustering Label Inference Attack against Practical Split
       Learning", arXiv 2203.05222.
    """

    name: ClassVar[str] = "gradient-direction"
    steals: ClassVar[Asset] = "labels"
    role: ClassVar[Role] = "attack"
    rows: ClassVar[ScoredRows] = "train"
    tampering: ClassVar[None] = None

    labels_per_class: int = 4
    method: Method = "auto"
    epochs: tuple[int, ...] = ()
    most_epochs: int = 40

    def __post_init__(self) -> None:
        if self.labels_per_class < 0:
            raise ValueError(f"labels_per_class must be 0 or more, got {self.labels_per_class}")
        if self.method not in get_args(Method):
            raise ValueError(f"method must be one of {', '.join(get_args(Method))}, got {self.method!r}")
        if min(self.epochs, default=0) < 0:
            raise ValueError(f"epochs must be numbers from 0 on, got {self.epochs}")
        if self.most_epochs < 1:
            raise ValueError(f"most_epochs must be 1 or more, got {self.most_epochs}")

    @property
    def needs(self) -> Needs:
        """Gradients, a few labels, and own models for rows that no gradient speaks of."""
        return Needs(
            received=frozenset({Kind.GRADIENT}),
            epochs=self._epochs,
            snapshots=Epochs.only(-1),
            passive=True,
            labels_per_class=self.labels_per_class,
            binary=self.method == "norm",
            otherwise="method=auto" if self.method == "norm" else "",
        )

    @property
    def _epochs(self) -> Epochs:
        return Epochs.only(*self.epochs) if self.epochs else Epochs.all()

    def run(self, view: View, rng: Generator) -> LabelGuess | ClusterGuess:
        """Label every training row, or group them where no label is known."""
        gradients = returned_gradients(view, self._epochs, self.most_epochs)
        if not gradients.heard.any():
            raise IncompatibleView(
                "Every gradient that came back is zero, so there is no direction to read.\n"
                "Read other epochs (--set epochs=…), or choose an attack that needs no gradients."
            )
        return self._grouped(view, gradients, rng) if self.labels_per_class == 0 else self._named(view, gradients, rng)

    def _named(self, view: View, gradients: ReturnedGradients, rng: Generator) -> LabelGuess:
        """Name the class of every row: by its gradients, or by own columns where no gradient speaks of it."""
        classes, heard = view.agreement.classes, gradients.ever_heard
        known, labels = _known(view, gradients.rows)
        if not heard[known].any():
            raise IncompatibleView(
                f"Every gradient that came back for the {len(known)} labelled rows is zero, so no direction can be "
                "named.\nGrant more labels (--set labels_per_class=…), or ask for groups (--set labels_per_class=0)."
            )
        notes = {"epochs": float(gradients.values.shape[1]), "unnamed_classes": float(classes - len(np.unique(labels)))}
        if self.method == "cosine":
            scores = class_cosines(gradients.values, known, labels, classes)
        elif self.method == "norm":
            scores = length_confidences(gradients.values, known, labels, classes)
        else:
            inputs = condensed(own_inputs(view, gradients.rows), rng)
            rules = weighed_rules(gradients.values, inputs, known, labels, classes, self.method, rng)
            scores = rules.confidences(gradients.values, inputs)
        scores[known] = np.eye(classes)[labels]
        named = heard.copy()
        named[known] = True
        told = _told(view, gradients, scores.argmax(axis=1), named, rng)
        scores[~named] = told if told is not None else 0.0
        return LabelGuess(
            rows=gradients.rows,
            scores=scores,
            abstained=np.zeros(len(scores), dtype=bool) if told is not None else ~named,
            steps={"heard": np.where(heard, scores.argmax(axis=1), -1)},
            notes={**notes, **_silence(gradients)},
        )

    def _grouped(self, view: View, gradients: ReturnedGradients, rng: Generator) -> ClusterGuess:
        """Group rows by their gradients, and rows without any by own columns."""
        classes, named = view.agreement.classes, gradients.ever_heard
        groups = np.zeros(len(named), dtype=np.int64)
        if self.method == "norm":
            groups[named] = k_means(relative_lengths(gradients.values[named]), classes, rng)
        else:
            groups[named] = direction_groups(gradients.values[named], classes, rng)
        told = _told(view, gradients, groups, named, rng)
        groups[~named] = told.argmax(axis=1) if told is not None else classes + np.arange(np.count_nonzero(~named))
        return ClusterGuess(gradients.rows, groups)


def _known(view: View, rows: Rows) -> tuple[Rows, Labels]:
    """Return the places of known rows among all, and their labels; refuse where there is nothing to learn from."""
    trained = np.isin(view.knowledge.known_rows, rows)
    known, labels = view.knowledge.known_rows[trained], view.knowledge.known_labels[trained]
    if len(np.unique(labels)) < 2:
        found = "Labelled rows of one class alone are" if len(known) else "No labelled rows are"
        raise IncompatibleView(
            f"{found} known, so directions cannot be named.\n"
            "Grant labels of two classes or more (labels_per_class=4), or ask for groups (--set labels_per_class=0)."
        )
    return np.searchsorted(rows, known), labels


def _told(view: View, gradients: ReturnedGradients, labels: Labels, named: Mask, rng: Generator) -> Array | None:
    """Return what own columns say of rows that are not named yet; None for an adversary without columns."""
    if named.all():
        return np.zeros((0, view.agreement.classes))
    inputs = own_inputs(view, gradients.rows)
    if not inputs.shape[1]:
        return None
    silence = 1.0 - gradients.heard.mean(axis=1, keepdims=True)
    return told_by_columns(np.hstack((inputs, silence)), labels, named, view.agreement.classes, rng)


def _silence(gradients: ReturnedGradients) -> dict[str, float]:
    """Say how many rows no gradient speaks of, and how many of them were never in a batch."""
    return {
        "silent": float(np.mean(~gradients.ever_heard)),
        "never_in_a_batch": float(np.mean(~gradients.came.any(axis=1))),
    }
