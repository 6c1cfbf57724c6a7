"""Distribution comparison: means of 100 slices of the sorted norms against all 2,000 sorted norms.

200 populations and 100 queries of 2,000 rows each, drawn from 35,000 rows of 16 numbers,
with XGBoost. Both sides draw the same populations, run from the matrix of intermediate
results to the estimate, on one thread, and take turns; seconds are those of the
processor, for one kind of result. Errors are over true fractions from 0.03 to 0.9 and over seeds:

- `synthetic`: embeddings whose norms say something of the property, weakly and strongly;
- `bank`: all four kinds of results of split networks trained on bank_full, where
  SEEPAGE_DATA says where it is, for four properties.

    python benchmarks/distribution_comparison.py [synthetic|bank]
"""

import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from seepage.attacks.steps.norms.distribution_comparison import Comparison
from seepage.audit.engines.engine import limited_threads
from seepage.audit.plan.plan import DataPlan, PartitionPlan
from seepage.audit.stages.preparation import load_table, prepare
from seepage.data import Encoding
from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.split_network import SplitNetwork
from seepage.federations.training_settings import TrainingSettings
from seepage.hooks import Hooks
from seepage.randomness import stream
from seepage.shapes import Mask, Matrix, Rows
from seepage.views import Auxiliary, ThreatModel, grant, observe
from seepage.views.intermediate_results import intermediate_results, results_needs

OURS = Comparison()
RAW = replace(OURS, quantiles=None)
ROWS, WIDTH, KNOWN = 35_000, 16, 2000
FRACTIONS = (0.03, 0.1, 0.3, 0.5, 0.7, 0.9)
SHIFTS = (0.3, 1.0)
PROPERTIES = ("month=may", "marital=married", "loan=yes", "job=student")
SEEDS = 2
BAR = 1.5

Case = tuple[Matrix, Mask, Rows, int]
"""Results, who has the property, auxiliary rows, seed."""


def synthetic() -> Iterator[Case]:
    """Make rectified Gaussian embeddings, of which a quarter is shifted where a row has the property."""
    for shift in SHIFTS:
        for fraction in FRACTIONS:
            for seed in range(SEEDS):
                rng = stream(seed, "synthetic", str(shift), str(fraction))
                has = rng.permutation(ROWS) < round(fraction * ROWS)
                moved = shift * has[:, None] * (np.arange(WIDTH) < WIDTH // 4)
                sides = [rng.permutation(side)[:KNOWN] for side in map(np.flatnonzero, (has, ~has))]
                yield np.maximum(rng.normal(size=(ROWS, WIDTH)) + moved, 0), has, np.concatenate(sides), seed


def bank() -> Iterator[Case]:
    """Train networks on bank_full and read what an active adversary has after the last epoch but one."""
    network = SplitNetwork(bottoms=BottomSettings(hidden=(32,)), top=(16,), training=TrainingSettings(epochs=5))
    for seed in range(SEEDS):
        table = load_table(DataPlan(name="bank_full"))
        data = prepare(table, PartitionPlan(), (), Encoding(), "stratified", seed, PROPERTIES).data
        record = results_needs(Auxiliary(), -2).recording()
        run = network.train(data, hooks=Hooks(), record=record, rng=stream(seed, "benchmark"))
        for name in PROPERTIES:
            threat = ThreatModel(adversaries=(data.active,), property=name, auxiliary=Auxiliary())
            view = observe(run.transcript, grant(data, threat, stream(seed, "knowledge")))
            results, known = intermediate_results(view), view.knowledge.auxiliary
            assert known is not None
            has = data.parts[data.holders(name)[0]].properties[name][results.rows]
            for matrix in results.of.values():
                yield matrix, has, results.at(known.rows), seed


def measured(comparison: Comparison, case: Case) -> tuple[float, float]:
    """Return seconds of the processor and the error."""
    results, has, known, seed = case
    start = time.process_time()
    norms = comparison.norms(results)
    found = comparison.estimate(norms[known], has[known], norms, stream(seed, "attack"))
    return time.process_time() - start, abs(found - float(has.mean()))


def compare(name: str, cases: Iterator[Case]) -> None:
    """Run both sides on every case and say whether the bars hold."""
    with limited_threads(1):
        pairs = [(measured(OURS, case), measured(RAW, case)) for case in cases]
    mine, theirs = zip(*pairs, strict=True)
    seconds, raw_seconds = (statistics.median(run[0] for run in runs) for runs in (mine, theirs))
    error, raw_error = (statistics.mean(run[1] for run in runs) for runs in (mine, theirs))
    excess = [one[1] - other[1] for one, other in pairs]
    noise = statistics.stdev(excess) / len(excess) ** 0.5
    fast, accurate = seconds <= BAR, statistics.mean(excess) <= 0
    print(
        f"{name}, {len(pairs)} cases: {seconds:.2f} s of processor time for one kind of result, raw norms "
        f"{raw_seconds:.2f} s, {raw_seconds / seconds:.0f} × faster; bar {BAR} s, {'held' if fast else 'MISSED'}. "
        f"Mean error {error:.4f}, raw {raw_error:.4f}, difference {error - raw_error:+.4f} ± {noise:.4f}; "
        f"bar: no higher, {'held' if accurate else 'MISSED'}",
        flush=True,
    )


def main() -> None:
    chosen = sys.argv[1:] or ["synthetic", *(["bank"] if os.environ.get("SEEPAGE_DATA") else [])]
    warm = next(synthetic())
    measured(OURS, warm)  # so that importing XGBoost is not counted
    for name in chosen:
        compare(name, {"synthetic": synthetic, "bank": bank}[name]())


if __name__ == "__main__":
    main()
