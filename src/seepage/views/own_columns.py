"""The columns that an adversary brought along."""

from seepage.errors import IncompatibleView
from seepage.shapes import Matrix
from seepage.views.view import View


def own_columns(view: View) -> Matrix | None:
    """Return the adversary's columns of the training rows; None for an adversary without columns."""
    features = view.knowledge.features
    return features[view.knowledge.train] if features.shape[1] else None


def required_columns(view: View) -> Matrix:
    """Return the adversary's columns of the training rows; refuse where it has none."""
    own = own_columns(view)
    if own is None or len(own) == 0:
        who = " and ".join(f"'{name}'" for name in view.adversaries)
        raise IncompatibleView(
            f"Columns of {who} for the training rows are not known, so there is nothing to cluster.\n"
            "Choose an adversary whose columns were stored with the run, or an attack on messages alone."
        )
    return own
