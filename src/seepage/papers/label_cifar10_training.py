"""CIFAR-10 between two parties: the setting of Table 2 of paper 001, its trainings, and what is kept of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from seepage.attacks.labels.active_completion import ActiveCompletion
from seepage.attacks.labels.model_completion import ModelCompletion
from seepage.data import Encoding, load_dataset, official_split, stratified_split
from seepage.federations.bottom import Precision
from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.federations.training_settings import TrainingSettings
from seepage.hooks import Defense, Hooks, Tampering, begin
from seepage.learners.completion.mixmatch import MixMatch
from seepage.networks.optimizers import OptimizerSettings
from seepage.papers.kept import Kept
from seepage.partition import Dealing, PartitionedTable, partition_table
from seepage.randomness import stream
from seepage.scores import top1
from seepage.shapes import Array
from seepage.transcript import Recording, Snapshot
from seepage.views import Knowledge, ThreatModel, View, grant, observe

LabelAttack = ModelCompletion | ActiveCompletion
TABLE_2: Final = 4
"""Known labels of each class in Table 2."""
STATE: Final = "state."
"""What the names of a bottom model's arrays begin with, where it is kept."""
SGD: Final = OptimizerSettings(
    name="sgd", learning_rate=0.1, momentum=0.9, weight_decay=5e-4, milestones=(0.5, 0.85), factor=0.1
)
"""The authors' optimizer; their rate falls after 50 and after 85 of 100 epochs."""
HALVES: Final = Dealing(kind="halves")
WITH_SERVER: Final = Dealing(kind="stripes", parties=3, labels_only=True)
"""A server holds the labels alone and two parties hold half a picture each: every gradient is defended."""
LONG: Final = MixMatch(epochs=10, iterations=500)
"""5,000 steps; on a frozen bottom model 300 came as far under one seed."""


@dataclass(frozen=True)
class Setting:
    """What is run.

    Parameters
    ----------
    data
        A data set of pictures; each party holds one half of every picture.
    federation
        Bottom models, top model and training.
    learner
        How MixMatch learns on the frozen bottom model.
    counts
        How many labels of each class are known: Table 3, and Table 2 first.
    dealing
        How pictures are cut, and whether a server holds the labels alone.
    defense
        What every party does to what it sends; None does nothing.
    """

    data: str
    federation: SplitNetwork | SummedNetwork
    learner: MixMatch = LONG
    counts: tuple[int, ...] = (4, 1, 2, 12, 32)
    dealing: Dealing = HALVES
    defense: Defense | None = None

    def passive(self, labels_per_class: int) -> ModelCompletion:
        """Return the passive attack."""
        return ModelCompletion(labels_per_class=labels_per_class, bottom="frozen", learner=self.learner)

    def active(self, labels_per_class: int) -> ActiveCompletion:
        """Return the active attack."""
        return ActiveCompletion(labels_per_class=labels_per_class, bottom="frozen", learner=self.learner)


def cifar10(device: str, epochs: int, batch: int) -> Setting:
    """Return the setting of Table 2: ResNet-18 bottom models, one output for each class, a top model of four layers."""
    precision: Precision = "bf16" if device != "cpu" else "full"
    federation = SplitNetwork(
        bottoms=BottomSettings(kind="resnet", planes=(64, 128, 256, 512), blocks=2),
        cut=10,
        top=(20, 10, 10),
        training=TrainingSettings(epochs=epochs, batch=batch, optimizer=SGD, precision=precision, device=device),
    )
    return Setting("cifar10", federation)


def dealt(setting: Setting, seed: int) -> PartitionedTable:
    """Return the data of one seed: every party holds one half of every picture."""
    table = load_dataset(setting.data)
    split = official_split(table) if table.official_test is not None else stratified_split(table, stream(seed, "split"))
    dealt = setting.dealing.deal(table, split.train, stream(seed, "partition"))
    return partition_table(table, dealt, split, Encoding())


def knowledge_of(data: PartitionedTable, attack: LabelAttack, seed: int) -> Knowledge:
    """Return what the adversary knows: labels of a few training rows."""
    threat = ThreatModel(adversaries=data.passive[-1:], labels_per_class=attack.labels_per_class)
    return grant(data, threat, stream(seed, "knowledge"))


def trained(setting: Setting, data: PartitionedTable, attack: LabelAttack, seed: int, kept: Kept) -> tuple[View, float]:
    """Return what the adversary holds after training, and the test accuracy of the joint model."""
    knowledge, federation = knowledge_of(data, attack, seed), setting.federation
    (party,) = knowledge.threat.adversaries
    told = (setting.data, seed, attack.name, repr(federation), repr(setting.dealing), repr(setting.defense))
    held = kept.of(told, lambda: _flat(*_train(setting, data, attack, seed, knowledge)))
    state = {name.removeprefix(STATE): array for name, array in held.items() if name.startswith(STATE)}
    described = json.loads(str(held["described"]))
    last = federation.training.epochs - 1
    bottom = Snapshot(party, last, described["architecture"], state, columns=tuple(described["columns"]))
    view = View(federation.agreement(data), knowledge, snapshots=(bottom,), epochs=federation.training.epochs)
    return view, float(held["utility"])


def _flat(view: View, utility: float) -> dict[str, Array]:
    """Lay the adversary's bottom model and the worth of the joint model out as arrays."""
    (bottom,) = view.snapshots
    described = json.dumps({"architecture": dict(bottom.architecture), "columns": list(bottom.columns)})
    state = {f"{STATE}{name}": array for name, array in bottom.state.items()}
    return {"utility": np.array(utility), "described": np.array(described), **state}


def _train(
    setting: Setting, data: PartitionedTable, attack: LabelAttack, seed: int, knowledge: Knowledge
) -> tuple[View, float]:
    tamperings = {}
    if attack.tampering is not None:
        (party,) = knowledge.threat.adversaries
        tamperings = {party: attack.tampering(knowledge, stream(seed, "tampering", attack.name, party))}
    return once(setting, data, knowledge, attack.needs.recording(), seed, tamperings)


def once(
    setting: Setting,
    data: PartitionedTable,
    knowledge: Knowledge,
    record: Recording,
    seed: int,
    tamperings: Mapping[str, Tampering] | None = None,
) -> tuple[View, float]:
    """Train once; return what the adversary saw of it, and the test accuracy of the joint model."""
    defenses = {}
    if setting.defense is not None:
        defenses = {
            party: begin(setting.defense, data.parts[party], stream(seed, "defense", party)) for party in data.parties
        }
    hooks = Hooks(defenses, tamperings or {})
    run = setting.federation.train(data, hooks=hooks, record=record, rng=stream(seed, "federation"))
    utility = top1(data.labels[data.test], run.predict(data.test).argmax(axis=1))
    return observe(run.transcript, knowledge), utility
