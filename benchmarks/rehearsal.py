"""Federations between processes, over mutual TLS on the loopback interface, against one process.

The passive party stands in a process of its own. Both ways train the same, bit for bit; they take turns, and the ratio
is that of the medians.

    python benchmarks/rehearsal.py [network|boosting|encrypted|alignment]
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from seepage.audit.engines.engine import limited_threads
from seepage.audit.plan.plan import DataPlan, PartitionPlan
from seepage.audit.stages.preparation import load_table, prepare
from seepage.data import Encoding
from seepage.federations import FEDERATIONS, Federation
from seepage.federations.dialogue import CarefulLink, CarefulParty, Rules
from seepage.hooks import Hook, Hooks, Tampering
from seepage.links import InProcessLink
from seepage.links.alignment import Aligner, Ids, align
from seepage.links.driving import TlsLink
from seepage.links.keys import Peer, make_keys, read_identity
from seepage.links.listening import listening
from seepage.partition import OwnPart, PartitionedTable
from seepage.randomness import stream
from seepage.transcript import Recorder, Recording

THREADS = 1
TURNS = 3
ACTIVE, PASSIVE = "active", "passive"


@dataclass(frozen=True)
class Case:
    data: Literal["adult", "synthetic"]
    federation: str
    settings: dict[str, Any]
    bar: float


CASES = {
    "network": Case("adult", "split-network", {"epochs": 10, "batch": 256}, 1.5),
    "boosting": Case("synthetic", "boosting", {"trees": 20, "depth": 5}, 1.5),
    "encrypted": Case(
        "synthetic", "boosting", {"trees": 10, "depth": 5, "encryption": "okamoto-uchiyama", "key_bits": 2048}, 1.2
    ),
}


def data_of(case: Case) -> PartitionedTable:
    if case.data == "adult":
        return prepare(
            load_table(DataPlan(name="adult")), PartitionPlan(kind="random"), (), Encoding(), "stratified", seed=0
        ).data
    rng = np.random.default_rng(0)
    features = rng.normal(size=(10_000, 20)).astype(np.float32)
    labels = (features @ rng.normal(size=20) + rng.logistic(size=10_000) > 0).astype(int)
    parts = {
        party: OwnPart(
            party=party,
            columns=tuple(f"{party}{column}" for column in range(10)),
            features=np.ascontiguousarray(own),
            names=tuple(f"{party}{column}" for column in range(10)),
            attributes=np.arange(10),
            labels=labels if party == ACTIVE else None,
            train=np.arange(len(labels)),
        )
        for party, own in ((ACTIVE, features[:, :10]), (PASSIVE, features[:, 10:]))
    }
    return PartitionedTable("synthetic", parts, ACTIVE, ("no", "yes"), np.arange(0))


def agreed(case: Case, data: PartitionedTable) -> tuple[Federation, Rules]:
    federation = FEDERATIONS[case.federation](**case.settings)
    return federation, Rules(federation.agreement(data), len(data.labels), simulated=True)


def stand(case: Case, keys: Path) -> None:
    """Take part as the passive party, turn after turn."""
    data = data_of(case)
    federation, rules = agreed(case, data)
    driver = Peer(ACTIVE, (keys / f"{ACTIVE}.crt").read_bytes())
    with limited_threads(THREADS):
        for _ in range(1 + TURNS):
            party = federation.party(
                data.parts[PASSIVE], rules.terms, hook=Hook(), tampering=Tampering(), chance=stream(0, PASSIVE)
            )
            own = read_identity(keys, PASSIVE)
            with listening(CarefulParty(party, rules), own, driver, "127.0.0.1:0") as listener:
                print(listener.port, flush=True)
                listener.wait(600)


@contextmanager
def standing(case: Case, keys: Path) -> Iterator[Callable[[], int]]:
    """Start the other process; offer what returns the port where it listens next."""
    command = [sys.executable, __file__, "--stand", json.dumps(asdict(case)), str(keys)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    answers = process.stdout
    try:
        yield lambda: int(answers.readline())
    finally:
        process.kill()
        process.communicate()


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(name: str) -> None:
    case, data = CASES[name], data_of(CASES[name])
    federation, rules = agreed(case, data)
    own = data.parts[ACTIVE]
    with tempfile.TemporaryDirectory() as folder, limited_threads(THREADS):
        keys = Path(folder)
        mine, shop = make_keys(ACTIVE, keys), make_keys(PASSIVE, keys)
        with standing(case, keys) as port:

            def apart() -> float:
                recorder = Recorder(Recording())
                link = TlsLink(mine, Peer(PASSIVE, shop.certificate), f"127.0.0.1:{port()}", recorder.hear)
                with closing(link):
                    start = time.perf_counter()
                    federation.drive(
                        own,
                        rules.terms,
                        {PASSIVE: CarefulLink(link, rules)},
                        hook=Hook(),
                        tampering=Tampering(),
                        chance=stream(0, ACTIVE),
                        recorder=recorder,
                    )
                    taken = time.perf_counter() - start
                    link.goodbye()
                return taken

            def here() -> object:
                return federation.train(data, hooks=Hooks(), record=Recording(), rng=stream(0, "benchmark"))

            apart()
            here()
            turns = [(apart(), seconds(here)) for _ in range(TURNS)]
    far, near = (statistics.median(times) for times in zip(*turns, strict=True))
    print(f"{name}: {far:.2f} s between processes, {near:.2f} s in one; ratio {far / near:.2f}, bar {case.bar}")


def alignment() -> None:
    for count in (100_000, 1_000_000):
        bank, shop = Ids("bank", range(count)), Aligner(Ids("shop", range(count // 2, count + count // 2)))
        start = time.perf_counter()
        shared = align(bank, {"shop": InProcessLink(shop, lambda _: None)})
        taken = time.perf_counter() - start
        print(
            f"alignment of {count:,} ids with as many: {taken:.0f} s for both sides, {len(shared):,} shared; bar 30 s"
        )


def main() -> None:
    if sys.argv[1:2] == ["--stand"]:
        stand(Case(**json.loads(sys.argv[2])), Path(sys.argv[3]))
        return
    for name in sys.argv[1:] or [*CASES, "alignment"]:
        if name == "alignment":
            alignment()
        else:
            compare(name)


if __name__ == "__main__":
    main()
