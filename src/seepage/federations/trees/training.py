"""What the three tree federations have in common: parties, links, rounds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.random import Generator

from seepage.crypto import make_adder
from seepage.errors import BadSetting
from seepage.federations.federation import Federation
from seepage.federations.run import Run
from seepage.federations.screening import Screener, screen
from seepage.federations.trees.active_party import ActiveTreeParty
from seepage.federations.trees.criterion import Criterion
from seepage.federations.trees.growing import RoundMaterial
from seepage.federations.trees.passive_party import PassiveTreeParty
from seepage.federations.trees.sealing import Outbox, SealedColumn
from seepage.federations.trees.settings import GrowthSettings, SealingSettings, check_part
from seepage.federations.trees.split_columns import SplitColumns, split_columns
from seepage.federations.trees.split_draw import ALL_COLUMNS, ColumnsPerSplit, SplitDraw, columns_of_a_split
from seepage.hooks import Hook, Seam, Tampering
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message
from seepage.partition import OwnPart, PartitionedTable
from seepage.randomness import fresh_seed
from seepage.shapes import NO_ROWS, Array, Matrix
from seepage.transcript import Agreement, Recorder


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


TreeRun: TypeAlias = Run[ActiveTreeParty, PassiveTreeParty]
"""A trained federation of trees."""

TREE_SEAMS: Final = frozenset(
    {Seam.TABLE, Seam.LABELS, Seam.MESSAGE, Seam.RELEASE, Seam.SPLIT, Seam.SCREENING, Seam.ALIGNMENT, Seam.VERIFICATION}
)
"""Where a defense may act in every federation of trees."""

NO_KEY: Array = np.zeros(0, dtype=np.uint8)


class TreeFederation(Federation, Protocol):
    """A federation of trees: what its parties are made of follows from public terms and from what each holds."""

    def setup(self, terms: Agreement) -> TreeSetup:
        """Return how trees are grown."""
        ...

    def party(
        self, part: OwnPart, terms: Agreement, *, hook: Hook, tampering: Tampering, chance: Generator
    ) -> PassiveTreeParty:
        """Return a party without labels, made of its own part alone."""
        setup = self.setup(terms)
        return PassiveTreeParty(
            Screener(part, hook),
            setup.sealing.encryption,
            {"statistics": (setup.slots, setup.criterion.largest), "labels": (terms.classes, 1)},
            lambda kept: columns_of(kept, setup, hook, tampering, chance),
        )

    def check(self, part: OwnPart) -> None:
        """Refuse a party's own part that no tree can be grown on."""
        check_part(part)

    def agreement(self, data: PartitionedTable) -> Agreement:
        """Return the public terms over some data, or refuse data that cannot be trained on."""
        if not any(part.width for part in data.parts.values()):
            raise BadSetting(
                "No party holds a column to split on. Give at least one party columns (--party NAME=COL,COL)."
            )
        return super().agreement(data)

    def grow(self, active: ActiveTreeParty, chance: Generator) -> None:
        """Grow all trees, the active party driving."""
        ...

    def drive(
        self,
        part: OwnPart,
        terms: Agreement,
        links: Mapping[str, Link],
        *,
        hook: Hook,
        tampering: Tampering,
        chance: Generator,
        recorder: Recorder,
    ) -> TreeRun:
        """Grow all trees."""
        own, draws = chance.spawn(2)
        active = _set_out(self.setup(terms), part, terms, links, hook, tampering, own)
        self.grow(active, draws)
        return Run(terms, active, recorder)


def columns_of(part: OwnPart, setup: TreeSetup, hook: Hook, tampering: Tampering, chance: Generator) -> SplitColumns:
    """Prepare a party's columns for splitting."""
    own = tampering.table(hook.table(part))
    return split_columns(own, np.sort(part.rows), setup.growth, share=setup.column_share, rng=chance)


def _set_out(
    setup: TreeSetup,
    part: OwnPart,
    terms: Agreement,
    links: Mapping[str, Link],
    hook: Hook,
    tampering: Tampering,
    chance: Generator,
) -> ActiveTreeParty:
    """Give the active party its own columns and what others are to add up; nothing is grown yet."""
    assert part.labels is not None
    screen(part, links)
    own = columns_of(part, setup, hook, tampering, chance) if part.width else None
    if setup.columns_per_split != ALL_COLUMNS:
        _draw_together(terms, own, links, setup.columns_per_split, fresh_seed(chance))
    train, labels = np.sort(part.rows), tampering.labels(hook.labels(part.labels))
    outbox = Outbox(part.party, links, hook)
    classes = SealedColumn("labels", outbox, setup.sealing, train, largest=1)
    classes.renew(np.eye(terms.classes, dtype=np.int64)[labels[train]])
    material = RoundMaterial(
        name=part.party,
        train=train,
        labels=labels[train],
        overall=np.bincount(labels[train], minlength=terms.classes),
        growth=setup.growth,
        criterion=setup.criterion,
        own=own,
        own_adder=make_adder("none", NO_KEY, slots=setup.slots, largest=setup.criterion.largest, rows=len(train)),
        outbox=outbox,
        statistics=SealedColumn("statistics", outbox, setup.sealing, train, largest=setup.criterion.largest),
        classes=classes,
        hook=hook,
    )
    return ActiveTreeParty(part.party, material, labels, setup.combine)


def _draw_together(
    terms: Agreement, own: SplitColumns | None, links: Mapping[str, Link], asked: ColumnsPerSplit, seed: int
) -> None:
    """Let all parties draw the columns of every split with the same seed, each keeping those that are its own."""

    def ask(party: str, payload: Mapping[str, Array]) -> Message:
        return links[party].request(Message(Kind.SETUP, terms.active, party, OUTSIDE_TRAINING, 0, NO_ROWS, payload))

    mine = own.in_tree if own is not None else 0
    counts = [mine if party == terms.active else int(ask(party, {}).payload["width"][0]) for party in terms.parties]
    total = sum(counts)
    for party, begin, count in zip(terms.parties, accumulate(counts, initial=0), counts, strict=False):
        draw = SplitDraw(seed=seed, wanted=columns_of_a_split(asked, total), total=total, begin=begin, count=count)
        if party != terms.active:
            ask(party, draw.said)
        elif own is not None:
            own.draw = draw
