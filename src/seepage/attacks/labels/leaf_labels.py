"""Name the classes of rows by the leaves they met in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.random import Generator
from scipy.sparse import csr_array, diags_array
from scipy.special import softmax

from seepage.attacks.attack import Attack
from seepage.checks import check_choice, check_counts
from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.learners.clustering import memberships, without_gaps
from seepage.learners.completion.mixmatch import LABELS_PER_CLASS
from seepage.learners.logistic import STRENGTH, nearly_fitted, probe
from seepage.shapes import Labels, Matrix, Rows
from seepage.views import Kind, Needs, View
from seepage.views.knowledge import own_columns
from seepage.views.labelled_rows import granted_labels
from seepage.views.trees.instance_spaces import Visibility, parting_trees, row_sets

Learner: TypeAlias = Literal["both", "spreading", "wide-spreading", "regression"]
LEAST: Final = 1e-12
"""Confidences below this count as this much, so that one learner alone cannot rule a class out."""
PERSISTENCE: Final = 0.9
"""How much of a row's belief comes from rows it shares groups with; Zhou et al. use 0.99 where neighbors are near."""
STEPS: Final = 100
"""What is left of a step after so many more is below 1e-4 of it."""


@dataclass(frozen=True, kw_only=True)
class LeafLabels(Attack[LabelGuess]):
    r"""Learn labels from the sets of rows that a passive party was shown, with a few rows whose label is known.

    Trees gather rows of one class. With a few known labels the sets of rows that
    a party is sent to find splits (instance spaces), those that it splits off
    itself, and what is left when known sets are taken from each other, become
    inputs of a classifier. Two are fitted, which err in different places:

    - *spreading*: known labels go over to rows that share a smallest set with
      them, from there to others, and so on (`seepage.attacks.labels.leaf_labels`);
    - *regression*: logistic regression on one indicator for each known set, and
      the own columns, which together weigh as much as one set.

    Their confidences :math:`p, q` are joined as :math:`r \propto p^{2/3} q^{1/3}`:
    spreading, which learns from all rows, counts twice.
    The same number of rows was known of each class, which says nothing about how
    frequent a class is, so :math:`r` is reweighted by its mean over all rows:
    one step of the correction of [1]_. More steps would trust confidences that
    were learned from a few rows too far.

    Parameters
    ----------
    labels_per_class
        How many labelled training rows of each class the adversary knows.
    learner
        ``both`` joined, or one of them: ``spreading`` or ``regression``. With
        ``wide-spreading`` labels spread over all known sets instead of the smallest
        ones, which is better where labels were noised or small sets are hidden.
    visibility
        What counts as a known set: ``subtraction`` also uses what is left of a known set when
        the known sets inside it are taken away; ``literal`` takes only sets that were received
        or split off by the adversary itself.

    Notes
    -----
    The attack is in no paper. An adversary that was shown nothing, because a
    defense hid every tree, has its own columns: logistic regression, as its
    blind twin does it. `notes` count the sets, and rows that lie in none, which
    the own columns alone decide about. `steps` hold what each learner says.

    References
    ----------
    .. [1] M. Saerens, P. Latinne and C. Decaestecker, "Adjusting the Outputs of a Classifier to New a Priori
       Probabilities", Neural Computation 14, 2002.
    """

    name = "leaf-labels"
    steals = "labels"
    rows = "train"

    labels_per_class: int = LABELS_PER_CLASS
    learner: Learner = "both"
    visibility: Visibility = "subtraction"

    def __post_init__(self) -> None:
        check_counts(labels_per_class=self.labels_per_class)
        check_choice(Learner, learner=self.learner)
        check_choice(Visibility, visibility=self.visibility)

    @property
    def needs(self) -> Needs:
        """The sets of rows that were sent and split off, and a few labels."""
        return Needs(
            received=frozenset({Kind.INSTANCE_SPACE}),
            sent=frozenset({Kind.CHILD_SPACES}),
            passive=True,
            labels_per_class=self.labels_per_class,
        )

    def run(self, view: View, rng: Generator) -> LabelGuess:
        """Label every training row that is not labelled yet."""
        del rng  # nothing here is random
        known, labels, rest = _places(view)
        sets = row_sets(view, self.visibility)
        notes = {"sets": float(sets.shape[1]), "rows_in_no_set": float(np.sum(sets[rest].sum(axis=1) == 0))}
        rows = view.knowledge.train[rest]
        if sets.shape[1] == 0:
            return LabelGuess(rows, _by_own_columns(view, known, labels)[rest], notes=notes)
        said = {name: scores[rest] for name, scores in self._said(view, sets, known, labels).items()}
        steps = {name: scores.argmax(axis=1) for name, scores in said.items()} if len(said) > 1 else {}
        return LabelGuess(rows, joined(list(said.values()), (2.0, 1.0)), steps=steps, notes=notes)

    def _said(self, view: View, sets: csr_array, known: Rows, labels: Labels) -> dict[str, Matrix]:
        """Return the confidences of each learner for all training rows."""
        classes = view.agreement.classes
        if self.learner == "wide-spreading":
            return {"wide-spreading": spread_over_sets(sets, known, labels, classes)}
        said = {}
        if self.learner != "regression":
            leaves = [tree.leaf for tree in parting_trees(view, self.visibility)]
            said["spreading"] = spread_labels(leaves, known, labels, classes)
        if self.learner != "spreading":
            columns = _beside(own_columns(view.knowledge), sets.shape[0])
            said["regression"] = regressed_labels(sets, columns, known, labels, classes)
        return said


def joined(said: Sequence[Matrix], weights: Sequence[float]) -> Matrix:
    """Join the confidences of several learners, and weight classes by how frequent they turn out to be.

    Two learners agree on the first two rows and are at odds about the third, which falls to the class that they
    find more often:

    >>> one, two = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]), np.array([[0.8, 0.2], [0.9, 0.1], [0.7, 0.3]])
    >>> joined([one, two], (1.0, 1.0)).round(2)
    array([[0.94, 0.06], [0.94, 0.06], [0.74, 0.26]])
    """
    logs = [np.log(np.maximum(scores, LEAST)) for scores in said]
    scores = np.exp(np.average(logs, axis=0, weights=weights[: len(logs)]))
    scores /= scores.sum(axis=1, keepdims=True)
    scores *= scores.mean(axis=0)
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def regressed_labels(sets: csr_array, columns: Matrix, known: Rows, labels: Labels, classes: int) -> Matrix:
    """Fit logistic regression to sets and columns of labelled rows, and return the confidences of all rows."""
    from sklearn.linear_model import LogisticRegression

    seen = np.unique(labels)
    scores = np.zeros((sets.shape[0], classes))
    if len(seen) == 1:
        scores[:, seen] = 1.0
        return scores
    both = np.hstack((sets[known].toarray(), columns[known]))
    model = nearly_fitted(LogisticRegression(C=STRENGTH, max_iter=1000), both, labels)
    by_set, by_column = np.split(model.coef_.T, [sets.shape[1]])
    logits = sets @ by_set + columns @ by_column + model.intercept_
    scores[:, seen] = softmax(np.hstack((np.zeros_like(logits), logits)) if len(seen) == 2 else logits, axis=1)
    return scores


def _by_own_columns(view: View, known: Rows, labels: Labels) -> Matrix:
    """Return what logistic regression on own columns says of all training rows: for whoever was shown nothing."""
    own = own_columns(view.knowledge)
    if own is None:
        raise IncompatibleView(
            f"{view.who} was shown no set of rows and holds no columns, so there is nothing to learn labels from.\n"
            "Choose a defense that hides less, or an adversary with columns."
        )
    filled = without_gaps(own)
    return probe(filled[known], labels, filled, view.agreement.classes)


def _beside(own: Matrix | None, rows: int) -> Matrix:
    """Return own columns as they stand beside set indicators: together they vary as much as one indicator can."""
    if own is None:
        return np.zeros((rows, 0))
    filled = without_gaps(own.astype(np.float64))
    spread = filled.std(axis=0)
    return np.asarray((filled - filled.mean(axis=0)) / np.where(spread > 0, spread, 1.0) / np.sqrt(filled.shape[1]))


def _places(view: View) -> tuple[Rows, Labels, Rows]:
    """Return places among the training rows: those of labelled rows, their labels, and all other places."""
    granted, knowledge = granted_labels(view), view.knowledge
    inside = np.isin(granted.known, knowledge.train)
    return knowledge.places(granted.known[inside]), granted.labels[inside], knowledge.places(granted.unlabelled)


def spread_labels(groups: Sequence[Labels], known: Rows, labels: Labels, classes: int) -> Matrix:
    r"""Let labelled rows lend their label to rows that share groups with them, these to others, and so on.

    With one edge of weight :math:`1 / N_l` between any two of the :math:`N_l` rows of group *l*, and
    :math:`S = D^{-1/2} W D^{-1/2}`, this is the local and global consistency of [1]_,

    .. math:: F \leftarrow \alpha S F + (1 - \alpha) Y,

    carried out group by group, so that no edge is written down. Small groups
    bind their rows closer than large ones. Every class has the same weight in
    all, however many of its rows were known; the confidences of a row sum to 1.
    A row that no label reaches has all known classes alike.

    Parameters
    ----------
    groups
        For each tree the group of every row, −1 for a row in none.
    known, labels
        Places of labelled rows, and their classes.

    Examples
    --------
    The first tree puts rows 0 to 2 together and rows 3 and 4, the second knows nothing of row 4:

    >>> trees = [np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, -1])]
    >>> spread_labels(trees, np.array([0, 4]), np.array([0, 1]), classes=2).round(2)
    array([[0.81, 0.19], [0.75, 0.25], [0.57, 0.43], [0.29, 0.71], [0.15, 0.85]])

    References
    ----------
    .. [1] D. Zhou et al., "Learning with Local and Global Consistency", NeurIPS 2003.
    """
    return spread_over_sets(memberships(groups), known, labels, classes)


def spread_over_sets(sets: csr_array, known: Rows, labels: Labels, classes: int) -> Matrix:
    """Let labels spread as `spread_labels` does, over sets that may lie inside each other.

    Parameters
    ----------
    sets
        Rows by sets, 1 where a row lies in a set.
    """
    given = np.zeros((sets.shape[0], classes))
    given[known, labels] = 1.0
    bound = _bound(sets)
    belief = given
    for _ in range(STEPS):
        belief = PERSISTENCE * (bound @ (bound.T @ belief)) + (1 - PERSISTENCE) * given
    seen = given.any(axis=0)
    belief = belief / np.where(seen, belief.sum(axis=0), 1.0)
    weight = belief.sum(axis=1, keepdims=True)
    return np.where(weight > 0, belief / np.where(weight > 0, weight, 1.0), seen / seen.sum())


def _bound(sets: csr_array) -> csr_array:
    """Return the matrix B of rows by sets with B Bᵀ = S."""
    sizes = np.asarray(sets.sum(axis=0)).ravel()
    weighted = csr_array(sets @ diags_array(1.0 / np.sqrt(np.maximum(sizes, 1.0))))
    degree = np.asarray(weighted @ (weighted.T @ np.ones(sets.shape[0])))
    return csr_array(diags_array(1.0 / np.sqrt(np.where(degree > 0, degree, 1.0))) @ weighted)
