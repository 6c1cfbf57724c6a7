"""Boosting across two parties, in the clear and under encryption.

In the clear: against XGBoost's ``hist`` with the same bins, depth, kind of
multi-class tree and threads, both with binning counted. They take turns, and
the ratio is that of the medians, since machines are shared and noisy.

Under encryption no peer can be installed any more; the time is given with the
seconds that SecretFlow's SGB took on such a machine.

    python benchmarks/boosting.py [clear|encrypted]
"""

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import xgboost

from seepage.audit.engines.engine import limited_threads
from seepage.federations.boosting import Boosting
from seepage.federations.trees.settings import GrowthSettings, SealingSettings
from seepage.hooks import Hooks
from seepage.partition import OwnPart, PartitionedTable
from seepage.randomness import stream
from seepage.shapes import Labels, Matrix
from seepage.transcript import Recording

THREADS = 2
TURNS = 5
BINS = 32
GROWTH = GrowthSettings(candidates="quantiles-once", bins=BINS)
SECRETFLOW_SECONDS = 89.7


def table(rows: int, columns: int, classes: int) -> tuple[Matrix, Labels]:
    """Draw a table whose classes depend on all columns."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(rows, columns)).astype(np.float32)
    scores = features @ rng.normal(size=(columns, classes)) + rng.gumbel(size=(rows, classes))
    return features, scores.argmax(axis=1)


def between_two(features: Matrix, labels: Labels) -> PartitionedTable:
    """Give each of two parties half of the columns; all rows train."""
    half, rows = features.shape[1] // 2, np.arange(len(labels))
    parts = {}
    for party, own in (("active", features[:, :half]), ("passive", features[:, half:])):
        names = tuple(f"{party}{column}" for column in range(own.shape[1]))
        parts[party] = OwnPart(
            party=party,
            columns=names,
            features=np.ascontiguousarray(own),
            names=names,
            attributes=np.arange(len(names)),
            labels=labels if party == "active" else None,
            train=rows,
        )
    classes = tuple(f"class {number}" for number in range(int(labels.max()) + 1))
    return PartitionedTable("synthetic", parts, "active", classes, rows[:0])


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def train(federation: Boosting, data: PartitionedTable) -> object:
    """Train once, recording nothing."""
    return federation.train(data, hooks=Hooks(), record=Recording(), rng=stream(0, "benchmark"))


def clear() -> None:
    """165,000 × 18 × 5 classes, 5 rounds, depth 6."""
    features, labels = table(165_000, 18, 5)
    data = between_two(features, labels)
    federation = Boosting(trees=5, growth=replace(GROWTH, depth=6), column_sample=1.0)

    def peer() -> None:
        settings = {
            "objective": "multi:softprob",
            "num_class": 5,
            "max_depth": 6,
            "eta": 0.3,
            "tree_method": "hist",
            "multi_strategy": "multi_output_tree",
            "max_bin": BINS,
            "base_score": 0.5,
            "nthread": THREADS,
        }
        xgboost.train(settings, xgboost.QuantileDMatrix(features, labels, max_bin=BINS, nthread=THREADS), 5)

    with limited_threads(THREADS):
        train(federation, data)
        peer()
        turns = [(seconds(lambda: train(federation, data)), seconds(peer)) for _ in range(TURNS)]
    ours, theirs = (statistics.median(times) for times in zip(*turns, strict=True))
    print(
        f"clear, 165,000 × 18 × 5 classes: {ours / theirs:.2f} × XGBoost hist "
        f"({ours:.2f} s against {theirs:.2f} s); bar 1.5"
    )


def encrypted() -> None:
    """10,000 × 20, 10 trees, depth 5, Okamoto-Uchiyama with 2048 bits."""
    data = between_two(*table(10_000, 20, 2))
    federation = Boosting(
        trees=10,
        growth=replace(GROWTH, depth=5),
        column_sample=1.0,
        sealing=SealingSettings(encryption="okamoto-uchiyama"),
    )
    with limited_threads(THREADS):
        took = seconds(lambda: train(federation, data))
    print(
        f"encrypted, 10,000 × 20, 10 trees, depth 5: {took:.1f} s; bar 25 s "
        f"(SecretFlow SGB on such a machine: {SECRETFLOW_SECONDS} s)"
    )


CASES = {"clear": clear, "encrypted": encrypted}

if __name__ == "__main__":
    for name in sys.argv[1:] or CASES:
        CASES[name]()
