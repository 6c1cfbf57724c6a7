"""What the three tree federations have in common: parties, links, rounds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.crypto import make_adder
from seepage.federations.screening import screened, veiled
from seepage.federations.trained_run import TrainedRun
from seepage.federations.trees.active_party import ActiveTreeParty
from seepage.federations.trees.criterion import Criterion
from seepage.federations.trees.growing import RoundMaterial
from seepage.federations.trees.passive_party import PassiveTreeParty
from seepage.federations.trees.sealing import Outbox, SealedColumn
from seepage.federations.trees.settings import GrowthSettings, SealingSettings
from seepage.federations.trees.split_columns import SplitColumns, split_columns
from seepage.federations.trees.split_draw import ALL_COLUMNS, ColumnsPerSplit, SplitDraw, columns_of_a_split
from seepage.hooks import Hooks, Seam, unchanged
from seepage.messages import Message
from seepage.partition import PartitionedTable
from seepage.randomness import fresh_seed
from seepage.shapes import Array, Matrix
from seepage.transcript import Agreement, Recorder, Recording


@dataclass(frozen=True, kw_only=True)
class TreeSetup:
    """One federation of trees, ready to be trained.

    Parameters
    ----------
    slots
        How many statistics each row has.
    combine
        From what every tree says to confidences.
    """

    criterion: Criterion
    slots: int
    combine: Callable[[list[Matrix]], Matrix]
    growth: GrowthSettings
    sealing: SealingSettings
    column_share: float
    columns_per_split: ColumnsPerSplit = ALL_COLUMNS


TreeRun: TypeAlias = TrainedRun[ActiveTreeParty, PassiveTreeParty]
"""A trained federation of trees."""

TREE_SEAMS: Final = frozenset(
    {Seam.TABLE, Seam.LABELS, Seam.MESSAGE, Seam.RELEASE, Seam.SPLIT, Seam.SCREENING, Seam.ALIGNMENT, Seam.VERIFICATION}
)
"""Where a defense may act in every federation of trees."""

NO_KEY: Array = np.zeros(0, dtype=np.uint8)


def set_out(
    data: PartitionedTable, setup: TreeSetup, agreement: Agreement, hooks: Hooks, record: Recording, rng: Generator
) -> TreeRun:
    """Give every party its own columns and link the active one to the others; nothing is trained yet."""
    recorder, encryption = Recorder(record), setup.sealing.encryption
    data = screened(data, hooks, recorder.hear)

    def hear(message: Message) -> None:
        recorder.hear(message, veiled if encryption == "none" else unchanged)

    train = np.sort(data.train)
    streams = dict(zip(data.parties, rng.spawn(len(data.parties)), strict=True))

    def columns(party: str) -> SplitColumns:
        return split_columns(
            hooks.table(data.parts[party]), train, setup.growth, share=setup.column_share, rng=streams[party]
        )

    holding = {p: columns(p) for p in data.parties if p != data.active or data.parts[p].width}
    if setup.columns_per_split != ALL_COLUMNS:
        _draw_together(tuple(holding.values()), setup.columns_per_split, fresh_seed(rng))
    passive = {p: PassiveTreeParty(p, holding[p], encryption, hooks.of(p)) for p in data.passive}
    hook, labels = hooks.of(data.active), hooks.labels(data.active, data.labels)
    links = {party: hooks.link(answering, hear) for party, answering in passive.items()}
    outbox = Outbox(data.active, links, hook)
    classes = SealedColumn("labels", outbox, setup.sealing, train, largest=1)
    classes.renew(np.eye(agreement.classes, dtype=np.int64)[labels[train]])
    material = RoundMaterial(
        name=data.active,
        train=train,
        labels=labels[train],
        overall=np.bincount(labels[train], minlength=agreement.classes),
        growth=setup.growth,
        criterion=setup.criterion,
        own=holding.get(data.active),
        own_adder=make_adder("none", NO_KEY, slots=setup.slots, largest=setup.criterion.largest, rows=len(train)),
        outbox=outbox,
        statistics=SealedColumn("statistics", outbox, setup.sealing, train, largest=setup.criterion.largest),
        classes=classes,
        hook=hook,
    )
    active = ActiveTreeParty(data.active, material, labels, setup.combine)
    return TreeRun(agreement, active, passive, recorder)


def _draw_together(holding: tuple[SplitColumns, ...], asked: ColumnsPerSplit, seed: int) -> None:
    """Let all parties draw the columns of every split with the same seed, each keeping those that are its own."""
    begins = np.cumsum([0, *(own.in_tree for own in holding)]).tolist()
    wanted, total = columns_of_a_split(asked, begins[-1]), begins[-1]
    for own, begin in zip(holding, begins, strict=False):
        own.draw = SplitDraw(seed=seed, wanted=wanted, total=total, begin=begin, count=own.in_tree)
