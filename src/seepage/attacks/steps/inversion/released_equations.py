"""What released confidences and a released linear model say about the columns that the adversary lacks."""

import numpy as np

from seepage.attacks.steps.inversion.linear_equations import LinearEquations, linear_equations, linear_logits
from seepage.errors import IncompatibleView
from seepage.shapes import Matrix, Rows
from seepage.views.joint_columns import JointColumns
from seepage.views.released import joint_network
from seepage.views.view import View


def released_equations(view: View, columns: JointColumns, rows: Rows, logs: Matrix) -> LinearEquations:
    """Write the equations of some rows down, in units; `logs` are the logarithms of their confidences."""
    try:
        logits = linear_logits(joint_network(view))
    except ValueError as error:
        raise IncompatibleView(f"The released model is not linear: {error}.\nChoose another attack.") from error
    if not np.isfinite(logits.weights).all():
        raise IncompatibleView("The released weights are not numbers.\nRecord the model again.")
    own = columns.own(view, rows)
    if np.isnan(own).any():
        raise IncompatibleView("Own columns have missing values, which no equation can hold.\nFill them (--impute).")
    return linear_equations(
        logits,
        logs,
        own,
        known=columns.known,
        unknown=columns.unknown,
        low=columns.low,
        width=columns.width,
    )
