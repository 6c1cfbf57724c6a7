"""Tell from the predicted class which way a row went down a tree."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.random import Generator

from seepage.attacks.attack import Attack
from seepage.checks import check_choice
from seepage.errors import IncompatibleView
from seepage.guesses import Branches, BranchGuess
from seepage.messages import ModelKind
from seepage.shapes import Array, Mask, Matrix, Rows
from seepage.trees.paths import Paths, one_of, paths_to_leaves, possible_leaves, reachable_leaves
from seepage.trees.whole_tree import WholeTree
from seepage.views import Kind, Needs, View
from seepage.views.joint_columns import RangedColumns, joint_columns
from seepage.views.released import Predictions, release_of, released_predictions, whole_trees

Match = Literal["class", "confidences"]
SLACK: Final = 1e-6
"""How far confidences may be off and still be those of a leaf."""


@dataclass(frozen=True, kw_only=True)
class PathRestriction(Attack[BranchGuess]):
    r"""Keep the paths of a tree that own columns and the predicted class allow: path restriction of paper 002.

    A row that goes down a released tree is decided by own columns at some
    nodes; at the others both ways stay open. With :math:`\beta` marking the
    leaves that can be reached and :math:`\alpha` those that predict the released
    class, the row ended in a leaf of :math:`\alpha \circ \beta` (Algorithm 1 of
    [1]_). One of them is chosen with equal chances. Its path says for every
    unknown column it asks for on which side of a threshold the value lies.

    Parameters
    ----------
    match
        Which leaves fit a prediction: ``class``, those of the predicted class,
        as in the paper; ``confidences``, those whose own prediction comes nearest
        to the released one. The latter says more where a tree releases the class
        ratios of its leaves, and the same where it releases votes.

    Examples
    --------
    Example 2 of the paper. A bank knows age and income; the deposit is known to
    a fintech. The row of age 25 and income 2 is predicted as class 1, so it
    went right at ``deposit <= 5``:

    >>> from seepage.trees.whole_tree import pack_trees
    >>> bank = pack_trees(["age", "income"], {(0, 0, 1): (0, 30, False), (0, 0, 4): (1, 3, False)},
    ...                   {(0, 0, leaf): np.eye(2)[label] for leaf, label in {5: 1, 6: 0, 7: 1, 8: 0, 9: 1}.items()})
    >>> fintech = pack_trees(["deposit", "shopping"], {(0, 0, 2): (0, 5, False), (0, 0, 3): (1, 6, False)})
    >>> from seepage.trees.whole_tree import unpack_trees
    >>> (tree,) = unpack_trees([bank, fintech])
    >>> known = np.array([0, 1])
    >>> beta = reachable_leaves(tree, known, np.array([[25.0, 2.0]]))
    >>> beta, PathRestriction().fitting(tree, beta, np.array([[0.0, 1.0]]))[0]
    (array([[ True, False, False,  True, False]]), array([[ True, False, False, False, False]]))

    Notes
    -----
    *Any binary tree.* The paper numbers nodes as in a full tree; here paths are
    followed from the root, all rows at once. A missing own value goes where its
    node sends missing values. A leaf whose path asks for two things that no
    value has, such as at most 0.3 and above 0.5, is no candidate, unless a
    missing value would take all those turns.

    *Predicted class.* It is the one with the highest confidence; where several
    share it, as after rounding, each of them may be. Leaves that a local model of
    the active party answers for (see the defense ``grafting``) fit any class.

    *Contradictions.* Where a defense has changed predictions, it may be that no
    leaf that own columns allow fits. By class, all that they allow are then
    candidates, as they are for rows whose prediction was withheld. The metrics
    ``rows_contradicted`` and ``rows_withheld`` count these rows.

    References
    ----------
    .. [1] X. Luo et al., "Feature Inference Attack on Model Predictions in
       Vertical Federated Learning", ICDE 2021, §IV-B.
    """

    name = "path-restriction"
    steals = "features"
    rows = "new"
    needs = Needs(received=frozenset({Kind.MODEL, Kind.PREDICTION}), active=True, models=frozenset({ModelKind.TREE}))

    match: Match = "class"

    def __post_init__(self) -> None:
        check_choice(Match, match=self.match)

    def run(self, view: View, rng: Generator) -> BranchGuess:
        """Choose a path for every row that did not take part in training."""
        joint, tree, said = joint_columns(view), _only_tree(view), released_predictions(view)
        rows = np.union1d(said.rows, view.knowledge.new)
        paths = paths_to_leaves(tree, joint.unknown)
        reachable = reachable_leaves(tree, joint.known, joint.own(view, rows))
        reachable[:, ~possible_leaves(tree, paths)] = False
        asked = reachable.any(axis=0) & (paths.turns != 0).any(axis=1)
        if not asked.any():
            raise IncompatibleView(
                "The tree never asks for a column of others, so there is nothing to infer.\n"
                "Grow a deeper tree, or let the adversary hold fewer columns."
            )
        told = np.isin(rows, said.rows)
        votes = release_of(view) == "votes"
        candidates, contradicted = self.fitting(tree, reachable, _laid_out(said, rows), votes=votes, unit=said.unit)
        return BranchGuess(
            rows=rows,
            branches=_branches(tree, paths, joint),
            leaf=one_of(candidates, rng),
            candidates=candidates,
            reachable=reachable,
            notes={
                "rows_contradicted": float(np.count_nonzero(contradicted)),
                "rows_withheld": float(np.count_nonzero(~told)),
            },
        )

    def fitting(
        self, tree: WholeTree, reachable: Mask, confidences: Matrix, *, votes: bool = True, unit: float = 0.0
    ) -> tuple[Mask, Mask]:
        """Return the leaves that fit what was predicted, rows by leaves, and the rows that none fits exactly.

        By class, a row that none fits keeps all it can reach. So does any row of
        which nothing was predicted: its confidences are 0.

        Parameters
        ----------
        votes
            Whether a leaf predicts its most frequent class alone, or its class ratios.
        unit
            The last digit that confidences were rounded down to; 0 if none.
        """
        if self.match == "confidences":
            return _nearest(tree, reachable, confidences, votes, unit)
        return _of_predicted_class(tree, reachable, confidences)


def _only_tree(view: View) -> WholeTree:
    trees = whole_trees(view)
    if len(trees) != 1:
        raise IncompatibleView(f"{len(trees)} trees were released, but one is needed. Record the run again.")
    return trees[0]


def _laid_out(said: Predictions, rows: Rows) -> Matrix:
    """Return the confidences of all rows, 0 where none were released."""
    laid = np.zeros((len(rows), said.confidences.shape[1]))
    laid[np.searchsorted(rows, said.rows)] = said.confidences
    return laid


def _branches(tree: WholeTree, paths: Paths, joint: RangedColumns) -> Branches:
    places = tree.column[paths.nodes]
    thresholds = tree.threshold[paths.nodes].astype(np.float64)
    return Branches(
        columns=tuple(joint.columns[place] for place in places),
        thresholds=thresholds,
        units=joint.units(thresholds, places),
        missing_left=tree.missing_left[paths.nodes],
        paths=paths.turns,
    )


def _of_predicted_class(tree: WholeTree, reachable: Mask, confidences: Matrix) -> tuple[Mask, Mask]:
    """Keep the reachable leaves of the class, or classes, with the highest confidence."""
    highest = confidences.max(axis=1, keepdims=True)
    predicted = np.ascontiguousarray((confidences == highest).T)
    fits = reachable.copy(order="K")
    for leaf, label in enumerate(tree.labels[tree.leaves].tolist()):
        if label >= 0:  # otherwise a local model answers
            fits[:, leaf] &= predicted[label]  # lines 15 and 16
    none = np.asarray(~fits.any(axis=1))
    if none.any():
        fits[none] = reachable[none]
    return fits, none


def _nearest(tree: WholeTree, reachable: Mask, confidences: Matrix, votes: bool, unit: float) -> tuple[Mask, Mask]:
    """Keep the reachable leaves whose own prediction is nearest to the released one."""
    leaves = tree.leaves
    said = np.eye(tree.values.shape[1])[tree.values[leaves].argmax(axis=1)] if votes else tree.values[leaves]
    distinct, which = np.unique(confidences, axis=0, return_inverse=True)
    told = distinct.max(axis=1) > 0

    def gap(leaf: int) -> Array:
        if tree.grafted[leaves[leaf]]:
            return np.zeros(len(which))
        # Rounding down took less than a unit from each confidence.
        off = np.maximum(distinct - said[leaf], said[leaf] - distinct - unit).max(axis=1)
        return np.asarray(np.where(told, np.maximum(off, 0.0), 0.0)[which])

    best = np.full(len(reachable), np.inf)
    for leaf in range(len(leaves)):
        best = np.where(reachable[:, leaf], np.minimum(best, gap(leaf)), best)
    fits = reachable.copy(order="K")
    for leaf in range(len(leaves)):
        fits[:, leaf] &= gap(leaf) <= best + SLACK
    return fits, best > SLACK
