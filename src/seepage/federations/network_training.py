"""What the three network federations have in common: parties, links, epochs, batches."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Protocol, TypeAlias

import numpy as np
import torch
from numpy.random import Generator
from torch import Tensor

from seepage.errors import BadSetting
from seepage.federations.active_party import ActiveParty
from seepage.federations.bottom import Bottom, MakeOptimizer, Precision
from seepage.federations.federation import Federation
from seepage.federations.passive_party import PassiveParty
from seepage.federations.run import Run
from seepage.federations.screening import Screener, screen
from seepage.hooks import Hook, Tampering, unchanged
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message
from seepage.networks.backbones import Backbone
from seepage.networks.first_weights import FirstWeights, with_first_weights
from seepage.networks.heads import Head
from seepage.networks.losses import CrossEntropy, balanced_weights
from seepage.networks.optimizers import Schedule, steady
from seepage.networks.seeding import OwnDraws, draws_nothing, torch_seeded
from seepage.partition import OwnPart
from seepage.reasons import WeightsTell
from seepage.shapes import NO_ROWS, Rows
from seepage.transcript import Agreement, Recorder


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
    equal_widths
        Whether every party sends as many numbers a row as was agreed; where not, each is asked.
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
    equal_widths: bool = True
    schedule: Callable[[str], Schedule] = lambda party: steady  # noqa: ARG005
    first_weights: FirstWeights = "pytorch"


NetworkRun: TypeAlias = Run[ActiveParty, PassiveParty]
"""A trained federation of networks."""


class NetworkFederation(Federation, Protocol):
    """A federation of networks: what its parties are made of follows from public terms and from what each holds."""

    def setup(self, terms: Agreement) -> NetworkSetup:
        """Return what every party builds and how it learns."""
        ...

    def party(
        self, part: OwnPart, terms: Agreement, *, hook: Hook, tampering: Tampering, chance: Generator
    ) -> PassiveParty:
        """Return a party without labels, made of its own part alone."""
        setup = self.setup(terms)
        return PassiveParty(Screener(part, hook), lambda kept: bottom_of(kept, setup, hook, tampering, chance))

    def drive(
        self,
        part: OwnPart,
        terms: Agreement,
        links: Mapping[str, Link],
        *,
        hook: Hook,
        tampering: Tampering,
        chance: Generator,
        recorder: Recorder,
    ) -> NetworkRun:
        """Train all, epoch by epoch and batch by batch."""
        setup = self.setup(terms)
        order, drawn, *own = chance.spawn(4)
        screen(part, links)
        with torch_seeded(drawn):
            active = _active(part, setup, terms, links, hook, tampering, *own)
            if setup.announces_curvature:
                active.announce_curvature(part.rows)
            step = 0
            for epoch in range(setup.epochs):
                batches = list(_batches(part.rows, setup.batch, order))
                for rows, following in zip_longest(batches, batches[1:]):
                    logits = active.train_batch(rows, epoch, step, following)
                    step += 1
                recorder.end_epoch(epoch, partial(active.snapshots, epoch))
                if setup.converged is not None and setup.converged(logits):
                    break
        return Run(terms, active, recorder)


def _batches(train: Rows, batch: int | None, order: Generator) -> Iterator[Rows]:
    if batch is None:
        yield train
        return
    shuffled = order.permutation(train)
    stops = list(range(batch, len(shuffled), batch))
    if stops and len(shuffled) - stops[-1] == 1 and batch > 1:
        stops.pop()  # batch normalization needs company: a last row joins the batch before it
    yield from np.split(shuffled, stops)


def bottom_of(part: OwnPart, setup: NetworkSetup, hook: Hook, tampering: Tampering, chance: Generator) -> Bottom:
    """Build a party's bottom model over its own columns."""
    own = tampering.table(hook.table(part))
    architecture = hook.architecture(setup.architecture(own))
    with torch_seeded(chance):
        pretrained = getattr(architecture, "encoder", None) is not None
        begun = with_first_weights(architecture.build(), "pytorch" if pretrained else setup.first_weights)
        network = hook.model(begun).to(device=setup.device, dtype=setup.dtype)
    if setup.device != "cpu":
        network = network.to(memory_format=torch.channels_last)  # convolutions on a GPU are twice as fast
    learns = any(True for _ in network.parameters())
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
        None if draws_nothing(network) else OwnDraws(chance, setup.device),
        hook.loss,
    )


def _widths(asker: str, links: Mapping[str, Link], setup: NetworkSetup, terms: Agreement) -> Iterator[int]:
    """Return how many numbers a row of everybody else has: as agreed, or as they say where that differs."""
    for party, link in links.items():
        if setup.equal_widths:
            yield terms.outputs
        else:
            reply = link.request(Message(Kind.SETUP, asker, party, OUTSIDE_TRAINING, 0, NO_ROWS, {}))
            yield int(reply.payload["width"][0])


def _active(
    part: OwnPart,
    setup: NetworkSetup,
    terms: Agreement,
    links: Mapping[str, Link],
    hook: Hook,
    tampering: Tampering,
    top: Generator,
    chance: Generator,
) -> ActiveParty:
    assert part.labels is not None
    trained_on = tampering.labels(hook.labels(part.labels))
    labels = torch.from_numpy(trained_on).to(setup.device)
    targets = None
    if hook.targets is not unchanged:
        targets = torch.from_numpy(hook.targets(trained_on)).to(device=setup.device, dtype=setup.dtype)
    weights = None
    if setup.class_weights:
        if hook.signal is not unchanged:
            raise BadSetting(str(WeightsTell("The agreed defense", terms.federation)))
        in_training = labels[torch.from_numpy(part.rows)]
        weights = balanced_weights(in_training, terms.classes).to(device=setup.device, dtype=setup.dtype)
    bottom = bottom_of(part, setup, hook, tampering, chance) if part.width else None
    with torch_seeded(top):
        own_width = bottom.architecture.outputs if bottom is not None else 0
        architecture = hook.architecture(setup.head(own_width + sum(_widths(part.party, links, setup, terms))))
        begun = with_first_weights(architecture.build(), setup.first_weights)
        head = hook.model(begun).to(device=setup.device, dtype=setup.dtype)
    make = setup.head_optimizer
    return ActiveParty(
        name=part.party,
        labels=labels,
        bottom=bottom,
        head=head,
        head_architecture=architecture,
        head_optimizer=make(head.parameters()) if make is not None else None,
        loss=CrossEntropy(terms.outputs if not terms.top_model else terms.classes, weights),
        links=links,
        hook=hook,
        head_schedule=setup.schedule(part.party),
        rounds=setup.epochs,
        targets=targets,
    )
