"""Federations of trees for tests, and the same data in one piece for the peers they are compared with."""

from dataclasses import replace

import numpy as np

from samples import small_data
from seepage.hooks import Hooks
from seepage.partition import OwnPart, PartitionedTable
from seepage.randomness import stream
from seepage.transcript import Recording
from seepage.trees.bins import binned


def trained(federation, data, *, hooks=None, record=None, seed=0):
    """Train a federation."""
    return federation.train(
        data, hooks=hooks or Hooks(), record=record or Recording(), rng=stream(seed, "test federation")
    )


def whole(data: PartitionedTable) -> np.ndarray:
    """All columns side by side."""
    return np.concatenate([data.parts[party].features for party in data.parties], axis=1)


def with_features(data: PartitionedTable, change) -> PartitionedTable:
    """Change every party's features."""
    parts = {party: replace(part, features=change(part.features)) for party, part in data.parts.items()}
    return replace(data, parts=parts)


def pre_binned(data: PartitionedTable, bins: int = 32) -> PartitionedTable:
    """Put whole numbers below `bins` into every column, so that no peer has to choose bins."""
    return with_features(data, lambda part: binned(np.ascontiguousarray(part.T), bins).codes.astype(np.float32))


def split_table(features, labels, *, parties: int = 2, active_columns: bool = True, test: int = 0) -> PartitionedTable:
    """Deal the columns of a matrix in turn; the first rows train, the last `test` rows do not."""
    features, labels = np.asarray(features, dtype=np.float32), np.asarray(labels, dtype=np.int64)
    names = ["active", *(f"passive{n}" for n in range(1, parties))]
    holders = names if active_columns else names[1:]
    rows = np.arange(len(labels))
    train = rows[: len(rows) - test]
    parts = {}
    for name in names:
        mine = [c for c in range(features.shape[1]) if name in holders and holders[c % len(holders)] == name]
        parts[name] = OwnPart(
            party=name,
            columns=tuple(f"c{c}" for c in mine),
            features=np.ascontiguousarray(features[:, mine]),
            names=tuple(f"c{c}" for c in mine),
            attributes=np.arange(len(mine)),
            labels=labels if name == "active" else None,
            train=train,
        )
    classes = tuple(f"class {n}" for n in range(int(labels.max()) + 1))
    return PartitionedTable("tiny", parts, "active", classes, rows[len(rows) - test :])


def few_rows(name: str, rows: int, classes: int, **partition: object) -> PartitionedTable:
    """The largest classes of a data set, and only some training rows."""
    data = small_data(name, **partition)
    kept = np.argsort(-np.bincount(data.labels), kind="stable")[:classes]
    place = np.full(len(data.classes), -1)
    place[kept] = np.arange(classes)
    labels = place[data.labels]
    train, test = (chosen[labels[chosen] >= 0] for chosen in (data.train, data.test))
    train = np.sort(np.random.default_rng(0).choice(train, min(rows, len(train)), replace=False))
    active = replace(data.parts[data.active], labels=np.maximum(labels, 0))
    few = replace(data, parts={**data.parts, data.active: active}, classes=tuple(data.classes[k] for k in kept))
    return replace(few.training_on(train), test=test[: rows // 2])
