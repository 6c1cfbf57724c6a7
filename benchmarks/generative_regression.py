"""Generative regression: our settings against the published ones, on the same model and the same predictions.

20,000 made-up rows of 20 columns and 5 classes, half of the columns known, a network of
widths 600-300-100 in all, cut between two parties; a fifth of the rows is predicted. The
published settings are batches of 64, 60 passes and a learning rate of 1e-4. Both
sides run the attack from the view to the guess, on one thread, and take turns; seconds are
those of the processor. Three draws: of the table, the partition, the model and the attack.
With `all` every row is predicted, training rows too, which is five times the work for
the published settings.

    python benchmarks/generative_regression.py [fifth|all]
"""

import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np

from seepage.attacks.features.generative_regression import GenerativeRegression
from seepage.audit.engines.engine import limited_threads
from seepage.audit.plan.plan import DataPlan, PartitionPlan
from seepage.audit.scoring.truth import Truth, truth_of
from seepage.audit.stages.preparation import load_table, prepare
from seepage.data import Encoding
from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.split_network import SplitNetwork
from seepage.federations.training_settings import TrainingSettings
from seepage.hooks import Hooks
from seepage.randomness import stream
from seepage.scores.features import mse_per_feature
from seepage.views import ThreatModel, View, grant, observe
from seepage.views.joint_columns import joint_columns

ROWS, COLUMNS, CLASSES = 20_000, 20, 5
DRAWS = 3
BAR = 10.0
NETWORK = SplitNetwork(
    bottoms=BottomSettings(hidden=(300,)), cut=150, top=(100,), training=TrainingSettings(epochs=10, batch=256)
)


@dataclass(frozen=True)
class Result:
    seconds: float
    error: float
    confidence_error: float


def released(draw: int, *, every: bool) -> tuple[View, Truth]:
    """Train a network and release it with its predictions."""
    table = load_table(DataPlan(name=f"synthetic:rows={ROWS},features={COLUMNS},classes={CLASSES},seed={draw}"))
    encoding = Encoding(kind="ordinal", scaling="minmax")
    data = prepare(table, PartitionPlan(), (), encoding, "stratified", draw).data
    record = GenerativeRegression.needs.recording()
    run = NETWORK.train(data, hooks=Hooks(), record=record, rng=stream(draw, "benchmark"))
    run.release_model()
    run.release(np.sort(np.concatenate((data.train, data.test))) if every else data.test)
    knowledge = grant(data, ThreatModel(adversaries=(data.active,)), stream(draw, "knowledge"))
    return observe(run.transcript, knowledge), truth_of(data, (data.active,), columns=True)


def measured(attack: GenerativeRegression, view: View, truth: Truth, draw: int) -> Result:
    start = time.process_time()
    guess = attack.run(view, stream(draw, "attack"))
    seconds = time.process_time() - start
    columns = joint_columns(view)
    true = columns.units(truth.values(columns.targets, guess.rows), columns.unknown)
    return Result(seconds, mse_per_feature(true, guess.units), guess.notes["confidence_error"])


def baselines(view: View, truth: Truth) -> tuple[float, float]:
    columns = joint_columns(view)
    true = columns.units(truth.values(columns.targets, view.knowledge.new), columns.unknown)
    return mse_per_feature(true, np.full((1, 1), 0.5)), float(true.var(axis=0).mean())


def compare(*, every: bool) -> None:
    pairs: list[tuple[Result, Result]] = []
    predictions = ROWS if every else ROWS // 5
    for draw in range(DRAWS):
        with limited_threads(1):
            view, truth = released(draw, every=every)
            unknown = len(joint_columns(view).unknown)
            published = GenerativeRegression.published(predictions=predictions, unknown=unknown)
            mine, theirs = (measured(attack, view, truth, draw) for attack in (GenerativeRegression(), published))
        half, mean = baselines(view, truth)
        pairs.append((mine, theirs))
        print(
            f"draw {draw}, {predictions} predictions: ours {mine.seconds:.1f} s, error {mine.error:.4f}, confidence "
            f"error {mine.confidence_error:.4f}; published {theirs.seconds:.1f} s, {theirs.error:.4f}, "
            f"{theirs.confidence_error:.4f}; constant ½ {half:.4f}, column mean {mean:.4f}",
            flush=True,
        )
    ours, published_runs = zip(*pairs, strict=True)
    seconds = statistics.median(run.seconds for run in ours)
    ratio = statistics.median(run.seconds for run in published_runs) / seconds
    error, bar = (statistics.mean(run.error for run in runs) for runs in (ours, published_runs))
    print(
        f"{predictions} predictions: {seconds:.1f} s of processor time, {ratio:.1f} × faster than the published "
        f"settings; bar {BAR:.0f} s. Error {error:.4f}; bar {bar:.4f}, that of the published settings",
        flush=True,
    )


def main() -> None:
    for chosen in sys.argv[1:] or ["fifth"]:
        compare(every=chosen == "all")


if __name__ == "__main__":
    main()
