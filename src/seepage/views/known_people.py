"""The people of whom an adversary knows whether they have a property."""

from seepage.errors import IncompatibleView
from seepage.views.auxiliary import KnownRows
from seepage.views.knowledge import Knowledge


def required_auxiliary(knowledge: Knowledge) -> KnownRows:
    """Return the auxiliary rows of an adversary; refuse where it knows none."""
    if knowledge.auxiliary is None:
        raise IncompatibleView("No auxiliary rows are known. Grant some (auxiliary.rows=100).")
    return knowledge.auxiliary
