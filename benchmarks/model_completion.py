"""Model completion: our learner against the same schedule in a plain loop with PyTorch's data loaders.

Breast cancer as in Appendix E of paper 001: an adversary with 14 columns and a bottom model
14-20-20-2 with batch normalization, 20 labels of each class, 10 epochs of 1024 iterations of 16
labeled and 16 unlabeled rows. The bottom model was trained before, with the other 14 columns. Both
sides do the customized MixMatch with the same settings, on one thread, and take turns; the plain
loop completes one model after another, and so do we; then two learn together, as where an attack compares
halves of its labels.

- `ratios`: how much faster, and the accuracies on the unlabeled training rows;
- `digits`: the passive attack on digits from training to score, one seed.

    python benchmarks/model_completion.py [ratios|digits]
"""

import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

from seepage.audit.plan.plan import make_plan
from seepage.audit.stages.threads import limited_threads
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.data.sets.built_in import load_breast_cancer
from seepage.learners.completion.complete_model import Completed
from seepage.learners.completion.mixmatch import MixMatch
from seepage.learners.completion.mixmatch_training import Start, complete, predict
from seepage.networks.seeding import torch_seeded
from seepage.randomness import stream

SETTINGS = MixMatch(epochs=10, iterations=1024, batch=16)
BOTTOM_RATE = 1e-4
SEEDS, TRAIN, PER_CLASS, HALF = 5, 426, 20, 14
BARS = (1.5, 1.2)
DIGITS_BAR = 30.0


@dataclass(frozen=True)
class Case:
    """One seed: a trained bottom model under a fresh head, rows, which are labeled, and the truth."""

    start: Start
    truth: np.ndarray[tuple[int], np.dtype[np.int64]]

    def accuracy(self, model: nn.Module) -> float:
        """Return how many unlabeled training rows the model labels right."""
        rows = self.start.unlabelled
        said = predict(model, self.start.features)[rows].argmax(axis=1)
        return float(np.mean(said == self.truth[rows]))


def bottom() -> nn.Module:
    return nn.Sequential(
        nn.Linear(HALF, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 20), nn.BatchNorm1d(20), nn.ReLU(),
        nn.Linear(20, 2),
    )  # fmt: skip


def trained(columns: Tensor, labels: Tensor) -> nn.Module:
    """Train two bottom models and a top model together, 30 epochs of batches of 16; return the adversary's part."""
    own, other = bottom(), bottom()
    top = nn.Sequential(nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
    parameters = [*own.parameters(), *other.parameters(), *top.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.01, momentum=0.9, weight_decay=5e-4)
    for _ in range(30):
        for rows in torch.randperm(len(labels))[: len(labels) // 16 * 16].view(-1, 16):
            said = top(torch.cat((own(columns[rows, :HALF]), other(columns[rows, HALF : 2 * HALF])), dim=1))
            optimizer.zero_grad()
            torch.autograd.backward([F.cross_entropy(said, labels[rows])])
            optimizer.step()
    return own


def case(seed: int) -> Case:
    """Draw training rows, train, and draw the rows whose labels are known."""
    table, rng = load_breast_cancer(), stream(seed, "model completion")
    rows = rng.permutation(len(table.labels))[:TRAIN]
    values = np.stack([np.asarray(column.values, dtype=np.float64)[rows] for column in table.columns], axis=1)
    columns = torch.from_numpy((values - values.mean(axis=0)) / values.std(axis=0)).float()
    truth = table.labels[rows]
    with torch_seeded(rng):
        model = Completed.of([(trained(columns, torch.from_numpy(truth)), HALF)], classes=2)
    known = np.concatenate([np.flatnonzero(truth == label)[:PER_CLASS] for label in (0, 1)])
    unlabelled = np.setdiff1d(np.arange(TRAIN), known)
    return Case(Start(model, columns[:, :HALF].contiguous(), known, truth[known], unlabelled), truth)


def batches(*columns: Tensor) -> Iterator[list[Tensor]]:
    """Go through a data loader again and again."""
    data = TensorDataset(*columns)
    loader = DataLoader(data, batch_size=SETTINGS.batch, sampler=RandomSampler(data), drop_last=True)
    while True:
        yield from loader


def plain(start: Start, seed: int) -> nn.Module:
    """Run the same schedule as one would write it down."""
    with torch_seeded(stream(seed, "plain")):
        model = deepcopy(start.model).train()
        average = deepcopy(model).eval()
        optimizer = torch.optim.Adam(
            [
                {"params": model.bottoms.parameters(), "lr": BOTTOM_RATE},
                {"params": model.head.parameters(), "lr": SETTINGS.learning_rate},
            ]
        )
        labels = torch.from_numpy(start.labels)
        labeled = batches(start.features[torch.from_numpy(start.known)], labels)
        unlabeled = batches(start.features[torch.from_numpy(start.unlabelled)])
        steps = SETTINGS.epochs * SETTINGS.iterations
        for step, (first, second) in zip(range(steps), zip(labeled, unlabeled, strict=True), strict=False):
            loss = plain_loss(model, first[0], first[1], second[0], SETTINGS.unlabelled_weight * step / steps)
            optimizer.zero_grad()
            torch.autograd.backward([loss])
            optimizer.step()
            keep = SETTINGS.averaging(step)
            with torch.no_grad():
                for mean, now in zip(average.parameters(), model.parameters(), strict=True):
                    mean.mul_(keep).add_(now, alpha=1 - keep)
                for group in optimizer.param_groups:
                    for parameter in group["params"]:
                        parameter.mul_(1 - SETTINGS.weight_decay * group["lr"])
        for kept, last in zip(average.buffers(), model.buffers(), strict=True):
            kept.copy_(last)
    return average


def plain_loss(model: nn.Module, rows: Tensor, labels: Tensor, others: Tensor, weight: float) -> Tensor:
    """Return the loss of one batch: Algorithms 4 and 5, Eq. 4 to 7 of paper 001."""
    with torch.no_grad():
        guessed = torch.softmax(model(others), dim=1) ** (1 / SETTINGS.temperature)
        guessed = guessed / guessed.sum(dim=1, keepdim=True)
    targets = torch.cat((F.one_hot(labels, 2).float(), guessed))
    inputs = torch.cat((rows, others))
    drawn = torch.distributions.Beta(SETTINGS.alpha, SETTINGS.alpha).sample((len(inputs), 1))
    share = torch.maximum(drawn, 1 - drawn)
    partners = torch.randperm(len(inputs))
    mixed = share * inputs + (1 - share) * inputs[partners]
    meant = share * targets + (1 - share) * targets[partners]
    logits = model(mixed)
    labelled = -(F.log_softmax(logits[: len(rows)], dim=1) * meant[: len(rows)]).sum(dim=1).mean()
    unlabelled = ((torch.softmax(logits[len(rows) :], dim=1) - meant[len(rows) :]) ** 2).mean()
    return labelled + weight * unlabelled


def ours(starts: list[Start], seed: int) -> list[nn.Module]:
    learned = complete(starts, SETTINGS, bottom_learning_rate=BOTTOM_RATE, rng=stream(seed, "ours"))
    return [each.model for each in learned]


def timed(work: Callable[[], list[nn.Module]]) -> tuple[float, list[nn.Module]]:
    start = time.process_time()
    models = work()
    return time.process_time() - start, models


def interval(values: list[float]) -> float:
    """Return half the width of the 95 % interval of a mean over seeds."""
    student = 2.776  # of four degrees of freedom
    return student * statistics.stdev(values) / math.sqrt(len(values))


def verdict(*, held: bool) -> str:
    return "held" if held else "MISSED"


def ratios() -> None:
    """Complete five models one by one, in a plain loop and as we do it, then two together; print both ratios."""
    with limited_threads(1):
        cases = [case(seed) for seed in range(SEEDS)]
        alone: list[float] = []
        loops: list[float] = []
        peers: list[float] = []
        mine: list[float] = []
        for seed, each in enumerate(cases):
            took, (model,) = timed(lambda each=each, seed=seed: [plain(each.start, seed)])  # type: ignore[misc]
            loops.append(took)
            peers.append(each.accuracy(model))
            took, (model,) = timed(lambda each=each, seed=seed: ours([each.start], seed))  # type: ignore[misc]
            alone.append(took)
            mine.append(each.accuracy(model))
        together, _ = timed(lambda: ours([each.start for each in cases[:2]], 0))
    found = statistics.median(loops) / statistics.median(alone), sum(alone[:2]) / together
    held = [ratio >= bar for ratio, bar in zip(found, BARS, strict=True)]
    accuracy, peer, noise = statistics.mean(mine), statistics.mean(peers), interval(peers)
    alike = abs(accuracy - peer) <= noise
    print(
        f"breast cancer, one seed: {statistics.median(alone):.1f} s of processor time, plain loop "
        f"{statistics.median(loops):.1f} s, {found[0]:.1f} × faster; bar {BARS[0]} ×, {verdict(held=held[0])}\n"
        f"breast cancer, two networks together: {together:.1f} s, one after the other {sum(alone[:2]):.1f} s, "
        f"{found[1]:.1f} × faster; bar {BARS[1]} ×, {verdict(held=held[1])}\n"
        f"breast cancer, accuracy over {SEEDS} seeds: {accuracy:.3f}, plain {peer:.3f} ± {noise:.3f}; "
        f"bar: within that interval, {verdict(held=alike)}",
        flush=True,
    )


def digits() -> None:
    """Train a split network on halves of digits, complete the adversary's bottom model and score it."""
    plan = make_plan(
        {
            "data": {"name": "digits"},
            "partition": {"kind": "halves"},
            "federations": [{"name": "split-network"}],
            "attacks": [{"name": "model-completion"}],
            "seeds": 1,
        }
    )
    start = time.perf_counter()
    findings = run_sweep(plan_sweep(plan))
    took = time.perf_counter() - start
    (finding,) = findings
    held = took <= DIGITS_BAR
    print(
        f"digits, model-completion: {took:.1f} s from loading to score, top-1 accuracy {finding.value:.3f} "
        f"(blind {finding.blind:.3f}); bar {DIGITS_BAR:.0f} s, {verdict(held=held)}",
        flush=True,
    )


def main() -> None:
    parts = {"ratios": ratios, "digits": digits}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
