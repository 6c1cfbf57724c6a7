"""Which way guessed values go down released trees."""

from typing import Final, TypeAlias

import numpy as np

from seepage.audit.scoring.truth import Truth
from seepage.errors import IncompatibleView
from seepage.messages import ModelKind
from seepage.randomness import stream
from seepage.scores.branches import forest_branching_rate
from seepage.scores.features import HALF
from seepage.shapes import Matrix, Rows
from seepage.views import View
from seepage.views.joint_columns import joint_columns
from seepage.views.released import whole_trees

Columns: TypeAlias = tuple[tuple[str, str], ...]
VOTING: Final = frozenset({ModelKind.TREE, ModelKind.FOREST})


def guessed_branches(units: Matrix, columns: Columns, truth: Truth, view: View, rows: Rows) -> dict[str, float]:
    """Return the correct branching rate of guessed values where a tree or a forest was released to the adversary.

    Beside it stand the rates of the constant ½ and of one uniform draw, under
    the same trees. For columns that were not asked for, ½ stands in.

    Parameters
    ----------
    units
        Rows by columns, as they were guessed.
    columns
        The party and the name of each guessed column.
    """
    if view.agreement.model not in VOTING:
        return {}
    try:
        joint, trees = joint_columns(view), whole_trees(view)
    except IncompatibleView:  # an attack that reads no model has no trees to go down
        return {}
    if not any(np.isin(tree.column, joint.unknown).any() for tree in trees):
        return {}
    own, true = joint.own(view, rows), truth.values(joint.targets, rows)

    def laid(encoded: Matrix) -> Matrix:
        whole = np.zeros((len(rows), len(joint.columns)))
        whole[:, joint.known], whole[:, joint.unknown] = own, encoded
        return whole

    half = np.full(true.shape, HALF)
    guessed, place = (
        np.tile(joint.middle[joint.unknown], (len(rows), 1)),
        {column: number for number, column in enumerate(columns)},
    )
    for number, column in enumerate(joint.targets):
        if column in place:
            guessed[:, number] = units[:, place[column]]
    uniform = stream(0, "uniform values").random(true.shape)
    tried = {"branching_rate": guessed, "branching_rate_half": half, "branching_rate_uniform": uniform}
    return {
        name: forest_branching_rate(trees, joint.unknown, laid(joint.encoded(values, joint.unknown)), laid(true))
        for name, values in tried.items()
    }
