"""Rehearsals between sides that share a process and nothing else: every word between them crosses as bytes."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from seepage.data import Table, load_dataset
from seepage.data.sampling import kept
from seepage.links.serialized import SerializedLink
from seepage.rehearsal.answering import Answering
from seepage.rehearsal.driving import Driving
from seepage.rehearsal.folder import open_rehearsal
from seepage.rehearsal.outcome import write_outcome
from seepage.rehearsal.plan import RehearsalPlan, make_plan
from seepage.rehearsal.side import Side
from seepage.rehearsal.table import OwnTable

NAMES = ("bank", "shop", "lab", "post", "rail")
VERSION = "test"


def plan_of(parties: int = 2, **values: object) -> RehearsalPlan:
    """Return a small plan."""
    return make_plan({"parties": NAMES[:parties], "classes": 3, "rows": 150, **values})


def own_tables(parties: int = 2, data: str = "wine", rows: int | None = None) -> dict[str, OwnTable]:
    """Deal the columns of a table to parties that hold most of its rows, each in an order of its own."""
    table = load_dataset(data)
    rows = rows or table.rows
    tables = {}
    for number, name in enumerate(NAMES[:parties]):
        rng = np.random.default_rng(number)
        own = rng.permutation(rows)[: rows - 5]
        columns = table.columns[number::parties]
        few = kept(replace(table, columns=columns, ids=np.array([f"id-{one}" for one in range(table.rows)])), own)
        tables[name] = OwnTable(name, few if number == 0 else unlabelled(few))
    return tables


def unlabelled(table: Table) -> Table:
    """Take the labels away."""
    return replace(table, labels=np.zeros(table.rows, dtype=np.int64), classes=(), official_test=None)


@dataclass(frozen=True)
class OneByOne(SerializedLink):
    """Lets sides attack one after the other: in one process they share PyTorch's chance, on hosts of their own not."""

    def post(self, message):
        wait = super().post(message)

        def waited():
            reply = wait()
            if self.party._playing is not None and self.party._playing.striking is not None:
                self.party._playing.striking.wait(600)
            return reply

        return waited


@dataclass
class Rehearsed:
    """What came of a rehearsal: each side, and what it found."""

    sides: dict[str, Side]
    findings: dict[str, list]
    driving: Driving
    answering: dict[str, Answering]


def rehearsed(
    plan: RehearsalPlan, tables: dict[str, OwnTable], folder: Path, consents: dict[str, set[str]] | None = None
):
    """Play a rehearsal through."""
    from contextlib import ExitStack

    everything = frozenset(turn.name for turn in plan.turns)
    with ExitStack() as stack:
        sides = {
            name: Side(
                plan,
                own,
                stack.enter_context(open_rehearsal(folder / name, plan, name, own.table.checksum)),
                frozenset(consents[name]) if consents and name in consents else everything,
            )
            for name, own in tables.items()
        }
        answering = {name: Answering(sides[name], VERSION, lambda text: None) for name in plan.others}
        links = {name: OneByOne(party, lambda message: None) for name, party in answering.items()}
        driving = Driving(sides[plan.driver], links, VERSION, lambda text: None)
        driving.rehearse()
        findings = {plan.driver: write_outcome(sides[plan.driver], driving.told, driving.against)}
        for name, party in answering.items():
            told = {(one.turn, one.attempt): [one] for one in party.told or ()}
            findings[name] = write_outcome(sides[name], told, party.against)
    return Rehearsed(sides, findings, driving, answering)
