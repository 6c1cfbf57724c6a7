"""The columns that a party's bottom model reads."""

from seepage.errors import IncompatibleView
from seepage.partition import OwnPart
from seepage.shapes import Matrix
from seepage.transcript import Snapshot


def columns_read(snapshot: Snapshot, part: OwnPart) -> Matrix:
    """Return what a bottom model reads of its party's columns: some may have been left out before training."""
    if not snapshot.columns or snapshot.columns == part.names:
        return part.features
    place = {name: number for number, name in enumerate(part.names)}
    lacking = [name for name in snapshot.columns if name not in place]
    if lacking:
        raise IncompatibleView(
            f"The bottom model of '{snapshot.party}' reads a column '{lacking[0]}', which is not among its columns.\n"
            "Store the run again."
        )
    return part.features[:, [place[name] for name in snapshot.columns]]
