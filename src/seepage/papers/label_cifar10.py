"""Tables 2, 3, 4 and 6 and Figure 5 of paper 001 on CIFAR-10 itself, for a machine with a GPU.

Run it with ``make reproduce-gpu``, or ``python -m seepage.papers.label_cifar10 --device cuda``. It needs
PyTorch, NumPy, SciPy and scikit-learn, and none of what an audit needs besides: machines with large GPUs
rarely have more. Every number is written down as soon as it is known, one JSON object a line, and what was trained
is kept beside: a call that was ended, by ``--minutes`` or otherwise, is taken up by the next one. Calls side by
side, each with a seed or an attack of its own (``--seeds``, ``--attack``), may share the file; small batches leave
most of a large GPU to others. What each choice is worth, Table 6 and Figure 5 are asked for by ``--tables``, and run in
``--processes`` side by side, which ``--minutes`` ends.
"""

import argparse
import hashlib
import math
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.guesses import LabelGuess
from seepage.papers.kept import NOWHERE, Kept, Late
from seepage.papers.label_cifar10_file import append, first_lines, read, say, whole
from seepage.papers.label_cifar10_further import FURTHER
from seepage.papers.label_cifar10_table import ACTIVE, PASSIVE, lines
from seepage.papers.label_cifar10_training import TABLE_2, LabelAttack, Setting, cifar10, dealt, knowledge_of, trained
from seepage.papers.label_cifar10_work import run_further
from seepage.partition import PartitionedTable
from seepage.randomness import stream
from seepage.scores.label_guesses import informed_key, score_label_guess
from seepage.scores.label_twins import informed_network
from seepage.scores.remembered import Remembered
from seepage.shapes import Array
from seepage.views import View
from seepage.views.own_bottoms import own_bottoms

VARYING: Final = ("data", "seed", "attack", "labels_per_class")
KEY: Final = (*VARYING, "epochs", "batch", "optimizer", "steps")
"""What tells one line of the results file from another."""
BEFORE: Final = {"optimizer": "adam", "steps": 300}
"""What was the same for all, and not written down, in the first results."""


@dataclass(frozen=True)
class Measured:
    """One attack under one seed: what a line of the results file holds."""

    data: str
    seed: int
    attack: str
    labels_per_class: int
    epochs: int
    batch: int
    optimizer: str
    steps: int
    value: float
    blind: float
    blind_kind: str
    ceiling: float
    utility: float
    seconds: float
    other: dict[str, float]


def measure(
    setting: Setting,
    seed: int,
    done: Collection[tuple[Any, ...]] = (),
    kept: Kept = NOWHERE,
    only: str | None = None,
) -> Iterator[Measured]:
    """Train once with an honest and once with a malicious adversary, or with one of them `only`, and attack.

    Attacks whose key is among those that are `done` are left out, and so is a training that none is left of.
    What was trained and `kept` is not trained again.
    """
    data = dealt(setting, seed)
    honest: list[LabelAttack] = [setting.passive(count) for count in setting.counts]
    for planned in (honest, [setting.active(TABLE_2)]):
        wanted = [attack for attack in planned if only in (None, attack.name)]
        attacks = [attack for attack in wanted if key_of(_identity(setting, seed, attack)) not in done]
        if not attacks:
            continue
        began = time.monotonic()
        view, utility = trained(setting, data, attacks[0], seed, kept)
        say(f"seed {seed}: trained in {time.monotonic() - began:.0f} s, test accuracy {utility:.4f}")
        for attack in attacks:
            yield _attacked(setting, data, view, attack, seed, utility, kept)


def _identity(setting: Setting, seed: int, attack: LabelAttack) -> dict[str, Any]:
    training, learner = setting.federation.training, setting.learner
    trained = (training.epochs, training.batch, training.optimizer.name)
    values = (setting.data, seed, attack.name, attack.labels_per_class, *trained, learner.epochs * learner.iterations)
    return dict(zip(KEY, values, strict=True))


def key_of(line: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what tells a line of the results file from others."""
    return tuple({**BEFORE, **line}[name] for name in KEY)


def _attacked(
    setting: Setting, data: PartitionedTable, view: View, attack: LabelAttack, seed: int, utility: float, kept: Kept
) -> Measured:
    ceiling = _ceiling(setting, view, data, kept)
    kept.begin()
    view = replace(view, knowledge=knowledge_of(data, attack, seed))
    began = time.monotonic()
    guess = attack.run(view.narrowed(attack.needs), stream(seed, "attack", attack.name))
    seconds = time.monotonic() - began
    once = Remembered()
    once.of(informed_key(view), lambda: [ceiling])
    score = score_label_guess(guess, data.labels, view, "train", seed, once)
    return Measured(
        **_identity(setting, seed, attack),
        value=score.value,
        blind=score.blind,
        blind_kind=score.blind_kind,
        ceiling=score.ceiling,
        utility=utility,
        seconds=seconds,
        other=dict(score.other),
    )


def _ceiling(setting: Setting, view: View, data: PartitionedTable, kept: Kept) -> LabelGuess:
    """Label all rows with own columns and all labels, once for all attacks."""
    every = np.sort(np.concatenate((data.train, data.test)))

    def work_out() -> dict[str, Array]:
        return {"scores": informed_network(own_bottoms(view), view, data.labels, Remembered()).about(every).scores}

    digest = hashlib.sha256(data.train.tobytes() + view.knowledge.features.tobytes()).hexdigest()
    return LabelGuess(every, kept.of((setting.data, "ceiling", digest, repr(setting.federation)), work_out)["scores"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all seeds, write every number down, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m seepage.papers.label_cifar10", description=__doc__)
    parser.add_argument("--device", default="cuda", help="cuda, or cpu for patient people (default: %(default)s)")
    parser.add_argument("--tables", nargs="+", choices=FURTHER, default=[], help="instead of Tables 2 to 4")
    parser.add_argument("--processes", type=int, default=1, help="side by side, for --tables (default: %(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=None, help="default: 0 1 2; for --tables 0")
    parser.add_argument("--attack", choices=(PASSIVE, ACTIVE), default=None, help="one of the two; default: both")
    parser.add_argument("--epochs", type=int, default=30, help="passes over the training rows (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=128, help="rows in a batch (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=5000, help="steps of MixMatch (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=None, help="begin nothing after so many minutes; call again")
    parser.add_argument("--out", type=Path, required=True, help="results, one JSON object a line; more are appended")
    chosen = parser.parse_args(arguments)
    _check_device(chosen.device)
    setting = cifar10(chosen.device, chosen.epochs, chosen.batch)
    learner = replace(setting.learner, iterations=max(1, chosen.steps // setting.learner.epochs))
    setting = replace(setting, learner=learner)
    if chosen.tables:
        run_further(setting, chosen.tables, chosen.seeds or [0], chosen.out, chosen.minutes, chosen.processes)
    else:
        run(setting, chosen.seeds or [0, 1, 2], chosen.out, chosen.minutes, chosen.attack)


def run(
    setting: Setting, seeds: Sequence[int], out: Path, minutes: float | None = None, only: str | None = None
) -> None:
    """Measure what is not in the file yet, append to it, and print the tables of all that it holds of this setting.

    Nothing is begun after so many minutes. What was trained lies beside the file, for the next call.
    """
    late = time.monotonic() + 60 * minutes if minutes is not None else math.inf
    kept = Kept(out.with_suffix(".trained"), late)
    done = {key_of(line) for line in first_lines(whole(out))}
    try:
        for seed in seeds:
            for measured in measure(setting, seed, done, kept, only):
                append(out, asdict(measured))
                say(_sentence(measured))
    except Late:
        say(f"{minutes:g} minutes are over. Call again: what is done is not done again.")
    asked = key_of(_identity(setting, 0, setting.passive(TABLE_2)))[len(VARYING) :]
    told = [line for line in first_lines(read(out)) if line["data"] == setting.data]
    say("\n".join(lines([line for line in told if key_of(line)[len(VARYING) :] == asked])))


def _sentence(measured: Measured) -> str:
    return (
        f"seed {measured.seed}: {measured.attack}, {measured.labels_per_class} labels a class: "
        f"{measured.value:.4f} in training, {measured.other['top1_new']:.4f} outside, linear probe "
        f"{measured.other['top1_linear_probe']:.4f} and {measured.other['top1_linear_probe_new']:.4f}; "
        f"blind {measured.blind:.4f} ({measured.blind_kind}); {measured.seconds:.0f} s"
    )


def _check_device(device: str) -> None:
    import torch

    if device != "cpu" and not torch.cuda.is_available():
        sys.exit(f"device is '{device}', but PyTorch sees no GPU here. Use --device cpu, and patience.")


if __name__ == "__main__":
    main()
