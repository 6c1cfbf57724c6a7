"""Split-network training against the same network undivided in plain PyTorch.

Both sides have the same layers, optimizer, batches and number of threads; both
gather their batches by row number. They take turns, and the ratio is that of
the medians, since machines are shared and noisy.

    python benchmarks/split_network.py [adult|fashion_mnist|resnet]
"""

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from seepage.audit.engines.engine import limited_threads
from seepage.audit.plan.plan import DataPlan, PartitionPlan
from seepage.audit.stages.preparation import load_table, prepare
from seepage.data import Encoding
from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.split_network import SplitNetwork
from seepage.federations.training_settings import TrainingSettings
from seepage.hooks import Hooks
from seepage.networks.architectures import Dense
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.transcript import Recording

THREADS = 2
TURNS = 5


@dataclass(frozen=True)
class Case:
    data: str
    federation: SplitNetwork
    kind: Literal["random", "halves"]
    rows: int | None
    bar: float


def network(hidden: int = 64, kind: Literal["mlp", "resnet"] = "mlp", *, batch: int, epochs: int) -> SplitNetwork:
    bottom = BottomSettings(kind=kind, hidden=(hidden,))
    return SplitNetwork(bottoms=bottom, training=TrainingSettings(batch=batch, epochs=epochs))


CASES = {
    "adult": [
        Case("adult", network(batch=2048, epochs=12), "random", None, 1.25),
        Case("adult", network(batch=64, epochs=1), "random", None, 1.7),
    ],
    "fashion_mnist": [Case("fashion_mnist", network(256, batch=256, epochs=3), "halves", None, 1.25)],
    "resnet": [
        Case("fashion_mnist", network(kind="resnet", batch=128, epochs=1), "halves", 6_000, 1.25),
    ],
}


class Undivided(nn.Module):
    """The same network in one piece."""

    def __init__(self, bottoms: list[nn.Module], top: nn.Module) -> None:
        super().__init__()
        self.bottoms, self.top = nn.ModuleList(bottoms), top

    def forward(self, parts: list[Tensor]) -> Tensor:
        return self.top(torch.cat([bottom(part) for bottom, part in zip(self.bottoms, parts, strict=True)], dim=1))  # type: ignore[no-any-return]


def train_undivided(data: PartitionedTable, settings: SplitNetwork) -> None:
    parts = [data.parts[party] for party in data.parties]
    features = [torch.from_numpy(part.features) for part in parts]
    labels = torch.from_numpy(data.labels)
    bottom, training = settings.bottoms, settings.training
    bottoms = [bottom.architecture(part, settings.cut, relu=True).build() for part in parts]
    top = Dense(settings.cut * len(parts), settings.top, len(data.classes)).build()
    network = Undivided(bottoms, top)
    optimizer = training.optimizer.build(network.parameters())
    rng = np.random.default_rng(0)
    for _ in range(training.epochs):
        order = torch.from_numpy(rng.permutation(data.train))
        for start in range(0, len(order), training.batch):
            rows = order[start : start + training.batch]
            loss = nn.functional.cross_entropy(network([part[rows] for part in features]), labels[rows])
            optimizer.zero_grad()
            torch.autograd.backward([loss])
            optimizer.step()


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(case: Case) -> tuple[float, float, float]:
    table = load_table(DataPlan(name=case.data))
    partition = PartitionPlan(kind=case.kind)
    data = prepare(table, partition, (), Encoding(), "stratified", seed=0).data
    if case.rows is not None:
        data = data.training_on(data.train[: case.rows])

    def ours() -> object:
        return case.federation.train(data, hooks=Hooks(), record=Recording(), rng=stream(0, "benchmark"))

    def peer() -> None:
        train_undivided(data, case.federation)

    ours()
    peer()
    turns = [(seconds(ours), seconds(peer)) for _ in range(TURNS)]
    mine, plain = (statistics.median(times) for times in zip(*turns, strict=True))
    return mine / plain, mine, plain


def main() -> None:
    chosen = sys.argv[1:] or list(CASES)
    for name in chosen:
        for case in CASES[name]:
            with limited_threads(THREADS):
                found, mine, plain = ratio(case)
            title = f"{case.data}, {case.federation.bottoms.kind}, batch {case.federation.training.batch}"
            print(f"{title}: {found:.2f} × plain PyTorch ({mine:.2f} s against {plain:.2f} s); bar {case.bar}")


if __name__ == "__main__":
    main()
