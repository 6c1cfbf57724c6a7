"""People whom nobody else knows, in the place of aligned rows."""

from numpy.random import Generator

from seepage.hooks import Tampering
from seepage.views import Knowledge
from seepage.views.known_people import required_auxiliary


def stand_ins(knowledge: Knowledge, rng: Generator) -> Tampering:
    """Let the auxiliary rows that were granted stand in for aligned rows of the adversary, columns and labels."""
    del rng
    known = required_auxiliary(knowledge)
    return Tampering(table=known.in_table, labels=known.in_labels)
