"""Tables 2, 3 and 4 of paper 001 on CIFAR-10 itself, for a machine with a GPU.

Run it with ``make reproduce-gpu``, or ``python -m seepage.papers.label_cifar10 --device cuda``. It needs
PyTorch, NumPy, SciPy and scikit-learn, and none of what an audit needs besides: machines with large GPUs
rarely have more. Every number is written down as soon as it is known, one JSON object a line.
"""

import argparse
import json
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from seepage.attacks.labels.active_completion import ActiveCompletion
from seepage.attacks.labels.model_completion import ModelCompletion
from seepage.data import Encoding, load_dataset, official_split, stratified_split
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hooks
from seepage.papers.label_cifar10_table import lines
from seepage.partition import Dealing, PartitionedTable, partition_table
from seepage.randomness import stream
from seepage.scores import top1
from seepage.scores.label_guesses import score_label_guess
from seepage.scores.once import Once
from seepage.views import Knowledge, ThreatModel, View, grant, observe

LabelAttack = ModelCompletion | ActiveCompletion
TABLE_2: Final = 4
"""Known labels of each class in Table 2."""
KEY: Final = ("data", "seed", "attack", "labels_per_class", "epochs", "batch")
"""What tells one line of the results file from another."""


@dataclass(frozen=True)
class Setting:
    """What is run.

    Parameters
    ----------
    data
        A data set of pictures; each party holds one half of every picture.
    federation
        Bottom models, top model and training.
    counts
        How many labels of each class are known: Table 3.
    """

    data: str
    federation: SplitNetwork
    counts: tuple[int, ...] = (1, 2, 4, 12, 32)


@dataclass(frozen=True)
class Measured:
    """One attack under one seed: what a line of the results file holds."""

    data: str
    seed: int
    attack: str
    labels_per_class: int
    epochs: int
    batch: int
    value: float
    blind: float
    blind_kind: str
    ceiling: float
    utility: float
    seconds: float
    other: dict[str, float]


def cifar10(device: str, epochs: int, batch: int) -> Setting:
    """Return the setting of Table 2: ResNet-18 bottom models, one output for each class, a top model of four layers."""
    federation = SplitNetwork(
        bottom="resnet",
        planes=(64, 128, 256, 512),
        blocks=2,
        cut=10,
        top=(20, 10, 10),
        epochs=epochs,
        batch=batch,
        precision="bf16" if device != "cpu" else "full",
        device=device,
    )
    return Setting("cifar10", federation)


def measure(setting: Setting, seed: int, done: Collection[tuple[Any, ...]] = ()) -> Iterator[Measured]:
    """Train once with an honest and once with a malicious adversary, and attack both.

    Attacks whose key is among those that are `done` are left out, and so is a training that none is left of.
    """
    data = _dealt(setting, seed)
    honest: list[LabelAttack] = [ModelCompletion(labels_per_class=count) for count in setting.counts]
    for planned in (honest, [ActiveCompletion(labels_per_class=TABLE_2)]):
        attacks = [attack for attack in planned if _key(_identity(setting, seed, attack)) not in done]
        if not attacks:
            continue
        began = time.monotonic()
        view, utility = _trained(setting, data, attacks[0], seed)
        _say(f"seed {seed}: trained in {time.monotonic() - began:.0f} s, test accuracy {utility:.4f}")
        for attack in attacks:
            yield _attacked(setting, data, view, attack, seed, utility)


def _identity(setting: Setting, seed: int, attack: LabelAttack) -> dict[str, Any]:
    federation, known = setting.federation, attack.labels_per_class
    values = (setting.data, seed, attack.name, known, federation.epochs, federation.batch)
    return dict(zip(KEY, values, strict=True))


def _key(line: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in KEY)


def _dealt(setting: Setting, seed: int) -> PartitionedTable:
    table = load_dataset(setting.data)
    split = official_split(table) if table.official_test is not None else stratified_split(table, stream(seed, "split"))
    dealt = Dealing(kind="halves").deal(table, split.train, stream(seed, "partition"))
    return partition_table(table, dealt, split, Encoding())


def _knowledge(data: PartitionedTable, attack: LabelAttack, seed: int) -> Knowledge:
    threat = ThreatModel(adversaries=data.passive[-1:], labels_per_class=attack.labels_per_class)
    return grant(data, threat, stream(seed, "knowledge"))


def _trained(setting: Setting, data: PartitionedTable, attack: LabelAttack, seed: int) -> tuple[View, float]:
    knowledge = _knowledge(data, attack, seed)
    tamperings = {}
    if attack.tampering is not None:
        (party,) = knowledge.threat.adversaries
        tamperings = {party: attack.tampering(knowledge, stream(seed, "tampering", attack.name, party))}
    record, rng = attack.needs.recording(), stream(seed, "federation")
    run = setting.federation.train(data, hooks=Hooks(tamperings=tamperings), record=record, rng=rng)
    utility = top1(data.labels[data.test], run.predict(data.test).argmax(axis=1))
    return observe(run.transcript, knowledge), utility


def _attacked(
    setting: Setting, data: PartitionedTable, view: View, attack: LabelAttack, seed: int, utility: float
) -> Measured:
    view = replace(view, knowledge=_knowledge(data, attack, seed))
    began = time.monotonic()
    guess = attack.run(view, stream(seed, "attack", attack.name))
    seconds = time.monotonic() - began
    score = score_label_guess(guess, data.labels, view, "train", seed, Once(), attack.learner)
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all seeds, write every number down, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m seepage.papers.label_cifar10", description=__doc__)
    parser.add_argument("--device", default="cuda", help="cuda, or cpu for patient people (default: %(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="default: 0 1 2")
    parser.add_argument("--epochs", type=int, default=24, help="passes over the training rows (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=512, help="rows in a batch (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="results, one JSON object a line; more are appended")
    chosen = parser.parse_args(arguments)
    _check_device(chosen.device)
    setting = cifar10(chosen.device, chosen.epochs, chosen.batch)
    run(setting, chosen.seeds, chosen.out)


def run(setting: Setting, seeds: Sequence[int], out: Path) -> None:
    """Measure what is not in the file yet, append to it, and print the tables of all that it holds of this setting."""
    held = read(out)
    if out.is_file() and not out.read_text(encoding="utf-8").endswith("\n"):  # a cut line would spoil the next one
        out.write_text("".join(json.dumps(line) + "\n" for line in held), encoding="utf-8")
    done = {_key(line) for line in held}
    with out.open("a", encoding="utf-8") as file:
        for seed in seeds:
            for measured in measure(setting, seed, done):
                file.write(json.dumps(asdict(measured)) + "\n")
                file.flush()
                _say(
                    f"seed {seed}: {measured.attack}, {measured.labels_per_class} labels a class: "
                    f"{measured.value:.4f} in training, {measured.other['top1_new']:.4f} outside, linear probe "
                    f"{measured.other['top1_linear_probe']:.4f} and {measured.other['top1_linear_probe_new']:.4f}; "
                    f"blind {measured.blind:.4f} ({measured.blind_kind}); {measured.seconds:.0f} s"
                )
    asked = (setting.data, setting.federation.epochs, setting.federation.batch)
    _say("\n".join(lines([line for line in read(out) if (line["data"], line["epochs"], line["batch"]) == asked])))


def read(path: Path) -> list[dict[str, Any]]:
    """Return what was measured so far; a last line that was cut off in writing does not count."""
    if not path.is_file():
        return []
    written = path.read_text(encoding="utf-8").splitlines()
    try:
        json.loads(written[-1] if written else "{}")
    except json.JSONDecodeError:
        written.pop()
    return [json.loads(line) for line in written]


def _say(text: str) -> None:
    """Tell people at once how far it is."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _check_device(device: str) -> None:
    import torch

    if device != "cpu" and not torch.cuda.is_available():
        sys.exit(f"device is '{device}', but PyTorch sees no GPU here. Use --device cpu, and patience.")


if __name__ == "__main__":
    main()
