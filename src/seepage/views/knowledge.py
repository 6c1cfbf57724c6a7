"""What the threat model grants, drawn once from the truth."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from seepage.errors import BadSetting
from seepage.partition import OwnPart, PartitionedTable
from seepage.shapes import Labels, Matrix, Rows
from seepage.views.threat import ThreatModel


def _none() -> Rows:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Knowledge:
    """What the adversary holds besides messages. It carries no road back to the truth.

    Parameters
    ----------
    own
        Everything the adversary brought along itself, party by party.
    train, new
        Which rows take part in training and which do not; alignment tells every party.
    known_rows, known_labels
        Rows whose label the threat model grants.
    """

    threat: ThreatModel
    own: Mapping[str, OwnPart] = field(default_factory=dict)
    train: Rows = field(default_factory=_none)
    new: Rows = field(default_factory=_none)
    known_rows: Rows = field(default_factory=_none)
    known_labels: Labels = field(default_factory=_none)

    @property
    def features(self) -> Matrix:
        """The adversary's own columns side by side, for all rows."""
        parts = [part.features for part in self.own.values()]
        return np.concatenate(parts, axis=1) if parts else np.zeros((0, 0), dtype=np.float32)

    def summary(self) -> dict[str, object]:
        """Say what was granted, for the finding; holds counts and names, no records."""
        return {
            "own_columns": sum(len(part.columns) for part in self.own.values()),
            "known_labels": len(self.known_labels),
        }


def grant(data: PartitionedTable, threat: ThreatModel, rng: Generator) -> Knowledge:
    """Draw what the threat model grants. After this nobody on the adversary's side meets the truth."""
    known = _draw_per_class(data, threat.labels_per_class, rng)
    return Knowledge(
        threat=threat,
        own={party: data.parts[party] for party in threat.adversaries},
        train=data.train,
        new=data.test,
        known_rows=known,
        known_labels=data.labels[known],
    )


def _draw_per_class(data: PartitionedTable, count: int, rng: Generator) -> Rows:
    if count == 0:
        return _none()
    labels = data.labels[data.train]
    chosen = []
    for index, name in enumerate(data.classes):
        candidates = data.train[labels == index]
        if len(candidates) < count:
            raise BadSetting(
                f"{count} labelled rows of each class were asked for, but class '{name}' "
                f"has only {len(candidates)} training rows. Ask for fewer."
            )
        chosen.append(rng.choice(candidates, size=count, replace=False))
    return np.concatenate(chosen)
