"""What the three network federations have in common: parties, links, epochs, batches."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor

from seepage.federations.active_party import ActiveParty
from seepage.federations.bottom import Bottom, MakeOptimizer, Precision
from seepage.federations.passive_party import PassiveParty
from seepage.federations.screening import screened
from seepage.federations.trained_run import TrainedRun
from seepage.hooks import Hooks
from seepage.networks.backbones import Backbone
from seepage.networks.first_weights import FirstWeights, with_first_weights
from seepage.networks.heads import Head
from seepage.networks.losses import CrossEntropy, balanced_weights
from seepage.networks.optimizers import Schedule, steady
from seepage.networks.seeding import torch_seeded
from seepage.partition import OwnPart, PartitionedTable
from seepage.shapes import Rows
from seepage.transcript import Agreement, Recorder, Recording, Snapshot


@dataclass(frozen=True, kw_only=True)
class NetworkSetup:
    """One federation of networks, ready to be trained.

    Parameters
    ----------
    architecture
        The bottom model for one party's part.
    head
        What the active party puts on top of so many outputs of all bottom models.
    optimizer
        The optimizer of one party's bottom model.
    head_optimizer
        The optimizer of the head; None where the head has nothing to learn.
    schedule
        How the rates of one party's optimizers change from epoch to epoch.
    batch
        Rows in a batch; None takes all training rows at once.
    precision
        Whether bottom models compute in 16 bits where that is safe.
    announces_curvature
        Whether the active party tells the others how sharply the loss bends, before the first step.
    first_weights
        How the weights of bottom models and head are drawn; a pretrained bottom model keeps its own.
    converged
        Told the logits after each epoch; training ends early when it says so.
    """

    architecture: Callable[[OwnPart], Backbone]
    head: Callable[[int], Head]
    optimizer: Callable[[OwnPart], MakeOptimizer]
    head_optimizer: MakeOptimizer | None
    epochs: int
    batch: int | None
    class_weights: bool
    device: str
    dtype: torch.dtype = torch.float32
    precision: Precision = "full"
    announces_curvature: bool = False
    converged: Callable[[Tensor], bool] | None = None
    schedule: Callable[[str], Schedule] = lambda party: steady  # noqa: ARG005
    first_weights: FirstWeights = "pytorch"


NetworkRun: TypeAlias = TrainedRun[ActiveParty, PassiveParty]
"""A trained federation of networks."""


def train_networks(
    data: PartitionedTable,
    setup: NetworkSetup,
    agreement: Agreement,
    *,
    hooks: Hooks,
    record: Recording,
    rng: Generator,
) -> NetworkRun:
    """Train a federation of networks, the active party driving."""
    order, chance, *streams = rng.spawn(3 + len(data.parties))
    recorder = Recorder(record)
    data = screened(data, hooks, recorder.hear)
    with torch_seeded(chance):
        bottoms = {
            party: _bottom(data.parts[party], setup, hooks, stream)
            for party, stream in zip(data.parties, streams[1:], strict=True)
            if data.parts[party].width
        }
        passive = {party: PassiveParty(bottoms[party], hooks.of(party)) for party in data.passive}
        active = _active(data, setup, agreement, hooks, recorder, bottoms, passive, streams[0])
        if setup.announces_curvature:
            active.announce_curvature(data.train)
        step = 0
        for epoch in range(setup.epochs):
            for rows in _batches(data.train, setup.batch, order):
                logits = active.train_batch(rows, epoch, step)
                step += 1
            recorder.end_epoch(epoch, lambda epoch=epoch: _snapshots(epoch, bottoms.values(), active))  # type: ignore[misc]
            if setup.converged is not None and setup.converged(logits):
                break
    return NetworkRun(agreement, active, passive, recorder)


def _snapshots(epoch: int, bottoms: Iterable[Bottom], active: ActiveParty) -> list[Snapshot]:
    return [*(bottom.snapshot(epoch) for bottom in bottoms), active.snapshot(epoch)]


def _batches(train: Rows, batch: int | None, order: Generator) -> Iterator[Rows]:
    if batch is None:
        yield train
        return
    shuffled = order.permutation(train)
    stops = list(range(batch, len(shuffled), batch))
    if stops and len(shuffled) - stops[-1] == 1 and batch > 1:
        stops.pop()  # batch normalization needs company: a last row joins the batch before it
    yield from np.split(shuffled, stops)


def _bottom(part: OwnPart, setup: NetworkSetup, hooks: Hooks, stream: Generator) -> Bottom:
    own = hooks.table(part)
    architecture = setup.architecture(own)
    with torch_seeded(stream):
        pretrained = getattr(architecture, "encoder", None) is not None
        begun = with_first_weights(architecture.build(), "pytorch" if pretrained else setup.first_weights)
        network = hooks.of(part.party).model(begun).to(device=setup.device, dtype=setup.dtype)
    if setup.device != "cpu":
        network = network.to(memory_format=torch.channels_last)  # convolutions on a GPU are twice as fast
    tampering, learns = hooks.tampering(part.party), any(True for _ in network.parameters())
    return Bottom(
        part.party,
        own.names,
        torch.from_numpy(own.features).to(device=setup.device, dtype=setup.dtype),
        architecture,
        network,
        tampering.optimizer(setup.optimizer(own)(network.parameters())) if learns else None,
        tampering.extra_loss,
        setup.precision,
        setup.schedule(part.party),
    )


def _active(
    data: PartitionedTable,
    setup: NetworkSetup,
    agreement: Agreement,
    hooks: Hooks,
    recorder: Recorder,
    bottoms: Mapping[str, Bottom],
    passive: Mapping[str, PassiveParty],
    stream: Generator,
) -> ActiveParty:
    hook = hooks.of(data.active)
    labels = torch.from_numpy(hooks.labels(data.active, data.labels)).to(setup.device)
    weights = None
    if setup.class_weights:
        in_training = labels[torch.from_numpy(data.train)]
        weights = balanced_weights(in_training, len(data.classes)).to(device=setup.device, dtype=setup.dtype)
    with torch_seeded(stream):
        architecture = setup.head(sum(bottom.architecture.outputs for bottom in bottoms.values()))
        begun = with_first_weights(architecture.build(), setup.first_weights)
        head = hook.model(begun).to(device=setup.device, dtype=setup.dtype)
    make = setup.head_optimizer
    return ActiveParty(
        name=data.active,
        labels=labels,
        bottom=bottoms.get(data.active),
        head=head,
        head_architecture=architecture,
        head_optimizer=make(head.parameters()) if make is not None else None,
        loss=CrossEntropy(agreement.outputs if not agreement.top_model else len(data.classes), weights),
        links={party: hooks.link(answering, recorder.hear) for party, answering in passive.items()},
        hook=hook,
        head_schedule=setup.schedule(data.active),
    )
