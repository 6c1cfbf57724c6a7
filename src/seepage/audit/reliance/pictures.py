"""What an adversary's bottom model knows and how much the joint model relies on it, in pictures.

They are drawn from the models of all parties and from the true labels, for who audits: no attack sees them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.random import Generator

from seepage.audit.reliance.projection import MOST, projection_grid
from seepage.layouts import Meaning
from seepage.partition import OwnPart, PartitionedTable
from seepage.shapes import Matrix, Rows
from seepage.transcript import Snapshot, Transcript
from seepage.views.own_bottoms import columns_read, device_of, rebuilt

if TYPE_CHECKING:
    from torch import Tensor, nn

PROJECTION, RELIANCE, ATTENTION = "projection", "reliance", "attention"
ROWS: Final = 2_000
"""Test rows over which reliance is added up at most."""
PICTURES: Final = 200
"""The same where bottom models read pictures or the like, which take longer."""
DIGITS: Final = 6


def run_pictures(
    transcript: Transcript,
    data: PartitionedTable,
    adversaries: Sequence[str],
    rng: Generator,
    *,
    projected: bool = True,
) -> dict[str, Any]:
    """Draw what is known at the end of one run, as plain values for a finding.

    Parameters
    ----------
    transcript
        The whole of it, with snapshots of every party.
    data
        The table that was trained on.
    adversaries
        Whose outputs are laid out.
    projected
        Whether to lay them out at all: that is what takes time, and a report shows one seed.

    Returns
    -------
    dict
        ``projection``: the outputs of the adversaries' bottom models, side by side, for training rows (see
        `projection_grid`). ``reliance``: party → its share, for test rows. ``attention``: where in pictures the joint
        model finds what decides, party by party in the order in which columns were dealt: from left to right, where
        pictures were cut into stripes. What cannot be drawn is left out, so that a federation of trees gives nothing.

    Notes
    -----
    A defense or a tampering that rewrites a table is not repeated here: bottom models are shown the columns
    as they were before.
    """
    bottoms = _bottoms(transcript, data)
    layout, sample = rng.spawn(2)  # so that shares are the same with and without a projection
    drawn = {PROJECTION: _projection(bottoms, data, adversaries, layout) if projected else None}
    head = _head(transcript)
    holding = [party for party in data.parties if data.parts[party].width]
    if head is not None and data.test.size and all(party in bottoms for party in holding):
        drawn |= _relied_on({party: bottoms[party] for party in holding}, head, data, sample)
    return {name: picture for name, picture in drawn.items() if picture}


@dataclass(frozen=True, eq=False)
class _Bottom:
    """One party's bottom model, and the columns that it reads, for all rows; whether they are a whole to it."""

    network: "nn.Module"
    features: Matrix
    device: str
    whole: bool

    def of(self, rows: Rows) -> "Tensor":
        """Return what the network reads of some rows."""
        import torch

        return torch.from_numpy(np.asarray(self.features[rows], dtype=np.float32)).to(self.device)


def _bottoms(transcript: Transcript, data: PartitionedTable) -> dict[str, _Bottom]:
    """Build the last bottom model of every party; one that does not fit its party's columns is left out."""
    from seepage.networks.architectures import from_json

    found, device = {}, device_of(transcript.agreement)
    for snapshot in _last(transcript, "bottom"):
        part = data.parts.get(snapshot.party)
        described = from_json(snapshot.architecture)
        columns = _columns_read(snapshot, part) if part is not None else None
        if columns is not None and columns.shape[1] == described.inputs:
            whole = described.reads is Meaning.TOGETHER
            found[snapshot.party] = _Bottom(_still(snapshot, device), columns, device, whole)
    return found


def _head(transcript: Transcript) -> "nn.Module | None":
    device = device_of(transcript.agreement)
    return next((_still(snapshot, device) for snapshot in _last(transcript, "head")), None)


def _still(snapshot: Snapshot, device: str) -> "nn.Module":
    """Build a network that learns nothing more."""
    return rebuilt(snapshot, device).requires_grad_(requires_grad=False).eval()


def _last(transcript: Transcript, part: str) -> list[Snapshot]:
    """Return the snapshots of one part of the network at the last epoch of which there are any."""
    taken = [snapshot for snapshot in transcript.snapshots if snapshot.part == part]
    latest = max((snapshot.epoch for snapshot in transcript.snapshots), default=0)
    return [snapshot for snapshot in taken if snapshot.epoch == latest]


def _columns_read(snapshot: Snapshot, part: OwnPart) -> Matrix | None:
    """Return the columns that a bottom model reads; None where they cannot be told."""
    return columns_read(snapshot, part) if set(snapshot.columns) <= set(part.names) else None


def _projection(
    bottoms: Mapping[str, _Bottom], data: PartitionedTable, adversaries: Sequence[str], rng: Generator
) -> dict[str, Any] | None:
    import torch

    holding = [party for party in adversaries if data.parts[party].width]
    if not holding or not data.train.size or any(party not in bottoms for party in holding):
        return None
    rows = _sampled(data.train, MOST, rng)
    with torch.no_grad():
        said = torch.cat([bottoms[party].network(bottoms[party].of(rows)) for party in holding], dim=1)
    outputs = said.cpu().numpy()
    if not np.isfinite(outputs).all():  # the model diverged
        return None
    return projection_grid(outputs, data.labels[rows], len(data.classes), rng, most=len(rows))


def _relied_on(
    bottoms: Mapping[str, _Bottom], head: "nn.Module", data: PartitionedTable, rng: Generator
) -> dict[str, Any]:
    from seepage.audit.reliance.measures import Joined, attention, reliance

    pictures = all(bottom.whole for bottom in bottoms.values())
    rows = _sampled(data.test, PICTURES if pictures else ROWS, rng)
    networks = {party: bottom.network for party, bottom in bottoms.items()}
    joined = Joined(networks, head, {party: bottom.of(rows) for party, bottom in bottoms.items()})
    shares = reliance(joined)
    dealt = [party for party in data.parts if party in bottoms]
    maps = {entry["party"]: entry for entry in attention(joined)} if pictures else {}
    return {
        RELIANCE: {party: round(shares[party], DIGITS) for party in dealt if party in shares},
        ATTENTION: [maps[party] for party in dealt if party in maps],
    }


def _sampled(rows: Rows, most: int, rng: Generator) -> Rows:
    return np.sort(rng.choice(rows, size=min(most, len(rows)), replace=False))
