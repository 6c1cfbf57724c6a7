"""What an adversary can know about each row of a federation, be it of networks or of trees."""

from dataclasses import replace

import numpy as np

from seepage.learners.clustering import without_gaps
from seepage.messages import Kind
from seepage.shapes import Matrix
from seepage.views.auxiliary import Auxiliary
from seepage.views.intermediate_results import (
    Gradients,
    IntermediateResults,
    ResultKind,
    intermediate_results,
    results_needs,
)
from seepage.views.needs import Needs
from seepage.views.trees.others_splits import others_splits
from seepage.views.view import View


def row_results_needs(auxiliary: Auxiliary, epoch: int, gradients: Gradients = "replayed") -> Needs:
    """Return what is needed to compare rows with auxiliary rows: results of a network, or sides of a tree's splits.

    People whom nobody else knows stand in for rows of a network alone.
    """
    needs = results_needs(auxiliary, epoch, gradients)
    if not auxiliary.aligned:
        return needs
    trees = Needs(received=frozenset({Kind.CHILD_SPACES}), active=True, auxiliary=auxiliary, labels_if_held=True)
    return replace(needs, instead=trees)


def row_results(view: View, epoch: int, gradients: Gradients = "replayed") -> IntermediateResults:
    """Return the intermediate results of a network, or what trees have told about every row."""
    if Kind.CHILD_SPACES in view.agreement.kinds:
        return tree_results(view)
    return intermediate_results(view, epoch, gradients)


def tree_results(view: View) -> IntermediateResults:
    """Return what the active party knows of every training row once trees are grown.

    In the place of its own outputs (AO) are its own columns and labels, in that
    of the victim's (VO) the side of each of the others' splits that a row fell on,
    and whether it came there at all. There are no gradients.
    """
    rows = np.sort(view.knowledge.train)
    order = np.argsort(view.knowledge.train)
    found: dict[ResultKind, Matrix] = {}
    own = [without_gaps(part.features)[rows] for part in view.knowledge.own.values() if part.width]
    labels = [part.labels[rows] for part in view.knowledge.own.values() if part.labels is not None]
    own += [np.eye(view.agreement.classes)[one] for one in labels]
    if own:
        found["AO"] = np.concatenate(own, axis=1).astype(np.float32)
    met = others_splits(view).largest().indicators
    return IntermediateResults(rows, {**found, "VO": met[order].astype(np.float32)})
