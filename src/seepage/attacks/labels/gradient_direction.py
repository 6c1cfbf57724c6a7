"""Read labels off the directions of returned gradients."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.attacks.steps.directions.direction_groups import direction_groups, group_confidences, named_groups
from seepage.attacks.steps.directions.direction_space import (
    ReturnedGradients,
    class_cosines,
    length_confidences,
    relative_lengths,
    returned_gradients,
)
from seepage.attacks.steps.directions.distance_pulls import read_off
from seepage.attacks.steps.directions.logit_gradients import are_of_logits, early_logits, named_by_pull
from seepage.attacks.steps.directions.second_opinion import (
    Groups,
    OwnSide,
    Reading,
    ordered_by_columns,
    own_side,
    told_by_columns,
    with_second_opinion,
)
from seepage.attacks.steps.directions.weighed_rules import RuleKind, WeighedRules, weighed_rules
from seepage.checks import check_choice, check_counts, check_least
from seepage.errors import IncompatibleView
from seepage.guesses import ClusterGuess, LabelGuess
from seepage.learners.clustering import k_means
from seepage.learners.linear_rules import condensed
from seepage.shapes import Array, Labels, Mask, Matrix, Rows
from seepage.views import Epochs, Kind, Needs, View

Method = Literal["auto", "probe", "mixture", "cosine", "norm"]


@dataclass(frozen=True, kw_only=True)
class GradientDirection(Attack[LabelGuess | ClusterGuess]):
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
    where the adversary's own evidence speaks for it. Where doubt is left, rules are learned from what noise leaves as
    well: sums over epochs, lines on which rows are pulled whichever way, and how strongly. The same
    rules are learned a second time from directions and own columns side by side: columns tell much of :math:`p`, and
    whoever knows :math:`p` reads :math:`y` off a noisy :math:`p - y`. One more reads columns
    alone, as they go with classes that directions have named: where labels were replaced
    before training, it knows better than the replaced ones. Where a gradient was made of labels and of embeddings that
    the adversary sent, to hide the ones in the other, labels are read off that (`read_off`).

    Rows that are silent in every epoch, because a defense sent zeros or because they were
    never in a batch, are labelled by a classifier on own columns, outputs of the own bottom
    model and the share of silent epochs, fitted to rows that directions have named. Where
    all known rows are silent, groups of the others are named by what own columns have in common.

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
    second_opinion
        Whether own columns are asked where directions leave doubt: stronger against noise, and what takes most time.
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

    name = "gradient-direction"
    steals = "labels"
    rows = "train"

    labels_per_class: int = 4
    method: Method = "auto"
    second_opinion: bool = True
    epochs: tuple[int, ...] = ()
    most_epochs: int = 40

    def __post_init__(self) -> None:
        check_least(0, labels_per_class=self.labels_per_class)
        check_choice(Method, method=self.method)
        if min(self.epochs, default=0) < 0:
            raise ValueError(f"epochs must be numbers from 0 on, got {self.epochs}")
        check_counts(most_epochs=self.most_epochs)

    @property
    def needs(self) -> Needs:
        """Gradients, what they came back for, a few labels, and own models for rows that no gradient speaks of."""
        without_sent = Needs(
            received=frozenset({Kind.GRADIENT}),
            epochs=self._epochs,
            snapshots=Epochs.only(-1),
            passive=True,
            labels_per_class=self.labels_per_class,
            binary=self.method == "norm",
            otherwise="method=auto" if self.method == "norm" else "",
        )
        if self.method != "auto" or not self.labels_per_class:
            return without_sent
        return replace(without_sent, sent=frozenset({Kind.EMBEDDING}), instead=without_sent)

    @property
    def checked_as(self) -> "GradientDirection":
        """What its adversary tries on half of the known labels before it chooses: the same without a second opinion."""
        return replace(self, second_opinion=False)

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
        own = own_side(view, gradients.rows)
        scores = self._scores(view, gradients, own, known, labels, classes, rng)
        scores[known] = np.eye(classes)[labels]
        named = heard.copy()
        named[known] = True
        told = _told(gradients, own.all, scores.argmax(axis=1), named, classes, rng)
        scores[~named] = told if told is not None else 0.0
        return LabelGuess(
            rows=gradients.rows,
            scores=scores,
            abstained=np.zeros(len(scores), dtype=bool) if told is not None else ~named,
            steps={"heard": np.where(heard, scores.argmax(axis=1), -1)},
            notes=_notes(gradients, classes - len(np.unique(labels))),
        )

    def _scores(
        self,
        view: View,
        gradients: ReturnedGradients,
        own: OwnSide,
        known: Rows,
        labels: Labels,
        classes: int,
        rng: Generator,
    ) -> Array:
        """Return the confidence in each class for rows that were heard; what stands at others means nothing."""
        values, heard = gradients.values, gradients.ever_heard
        if not heard[known].any():
            if not own.columns.shape[1]:
                raise IncompatibleView(
                    f"Every gradient that came back for the {len(known)} labelled rows is zero, and the adversary has "
                    "no columns, so no direction can be named.\nGrant more labels, or ask for groups "
                    "(--set labels_per_class=0)."
                )
            return named_groups(self._groups(gradients, classes, rng), heard, own.all, known, labels, classes, rng)
        if self.method == "cosine":
            return class_cosines(values, known, labels, classes)
        if self.method == "norm":
            return length_confidences(values, known, labels, classes)
        kind: RuleKind = self.method
        columns = condensed(own.all, rng)
        chance, again = rng.spawn(2)

        def rules(some: Rows, their: Labels, chance: Generator) -> WeighedRules:
            return weighed_rules(values, columns, some, their, classes, kind, chance)

        found = rules(known, labels, chance)
        read = Reading(found.confidences(values, columns), heard, known, labels)
        if kind != "auto":
            return read.confidences
        mistakes = int(np.count_nonzero(found.held_out.argmax(axis=1) != labels))
        pulled = read_off(view, self._epochs, gradients.rows, read, mistakes, *again.spawn(1))
        if pulled is not None:
            return pulled
        if not (self.second_opinion and own.columns.shape[1]):
            return read.confidences
        if found.beyond_doubt(labels):
            return ordered_by_columns(read, own, rng)
        groups = self._groups_without_labels(view, gradients, classes, *rng.spawn(1))
        return with_second_opinion(
            read, lambda some, their: rules(some, their, again).confidences(values, columns), groups, own, rng
        )

    def _groups_without_labels(self, view: View, gradients: ReturnedGradients, classes: int, rng: Generator) -> Groups:
        """Read gradients as if no label was known; those of logits name groups, and say what the joint model said."""
        heard, nothing = gradients.ever_heard, np.zeros((len(gradients.rows), 0))
        groups = np.full((len(heard), classes), 1 / classes)
        groups[heard] = group_confidences(gradients.values[heard], classes, rng)
        if not are_of_logits(view, gradients):
            return Groups(groups, False, nothing)
        groups = named_by_pull(gradients, groups)
        said = early_logits(view, gradients, self._epochs, groups)
        if not said.shape[1]:  # something was done to gradients, and what is grouped may be that
            return Groups(np.full_like(groups, 1 / classes), True, nothing)
        return Groups(groups, True, said)

    def _groups(self, gradients: ReturnedGradients, classes: int, rng: Generator) -> Labels:
        """Group rows by their gradients; those that were never heard are put into the first group for now."""
        heard = gradients.ever_heard
        values, groups = gradients.values[heard], np.zeros(len(heard), dtype=np.int64)
        by_length = self.method == "norm"
        groups[heard] = (
            k_means(relative_lengths(values), classes, rng) if by_length else direction_groups(values, classes, rng)
        )
        return groups

    def _grouped(self, view: View, gradients: ReturnedGradients, rng: Generator) -> ClusterGuess:
        """Group rows by their gradients, and rows without any by own columns, or each by itself."""
        classes, heard = view.agreement.classes, gradients.ever_heard
        groups = self._groups(gradients, classes, rng)
        told = (
            None if heard.all() else _told(gradients, own_side(view, gradients.rows).all, groups, heard, classes, rng)
        )
        alone = classes + np.arange(np.count_nonzero(~heard))
        groups[~heard] = told.argmax(axis=1) if told is not None else alone
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


def _told(
    gradients: ReturnedGradients, inputs: Matrix, labels: Labels, named: Mask, classes: int, rng: Generator
) -> Array | None:
    """Return what own columns and silence say of rows that are not named yet; None without columns."""
    if named.all():
        return np.zeros((0, classes))
    if not inputs.shape[1]:
        return None
    silence = 1.0 - gradients.heard.mean(axis=1, keepdims=True)
    return told_by_columns(np.hstack((inputs, silence)), labels, named, classes, rng)


def _notes(gradients: ReturnedGradients, unnamed: int) -> dict[str, float]:
    """Say how many epochs spoke, of how many rows none did, and how many of those were never in a batch."""
    return {
        "epochs": float(gradients.values.shape[1]),
        "unnamed_classes": float(unnamed),
        "silent": float(np.mean(~gradients.ever_heard)),
        "never_in_a_batch": float(np.mean(~gradients.came.any(axis=1))),
    }
