"""The party that holds the labels and drives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from seepage.errors import AuditError
from seepage.federations.bottom import Bottom, tensor_of
from seepage.hooks import Hook, Signal, no_loss, unchanged
from seepage.messages import OUTSIDE_TRAINING, Kind, Link, Message
from seepage.networks.architectures import state_of
from seepage.networks.heads import Head, head_to_json
from seepage.networks.joint_network import pack_part
from seepage.networks.losses import CrossEntropy
from seepage.networks.nesterov import bend
from seepage.networks.optimizers import Schedule, forget_gradients, pace, steady
from seepage.shapes import NO_ROWS, Array, Matrix, Rows
from seepage.transcript import Snapshot


@dataclass(frozen=True, eq=False)
class ActiveParty:
    """Asks for embeddings, computes the loss on its labels, and sends gradients back.

    Its own bottom model, if it has columns at all, is joined to the head inside
    the party: nothing of that crosses a link. Where a defense acts on the own side too, both are kept apart, and what
    would cross between them is rewritten. A defense that acts on the signal stands between the labels and everything.

    Parameters
    ----------
    rounds
        How many epochs there are, at most.
    """

    chunk: ClassVar[int] = 8192

    name: str
    labels: Tensor
    bottom: Bottom | None
    head: nn.Module
    head_architecture: Head
    head_optimizer: torch.optim.Optimizer | None
    loss: CrossEntropy
    links: Mapping[str, Link]
    hook: Hook
    head_schedule: Schedule = steady
    rounds: int = 1
    targets: Tensor | None = None
    _asked: dict[str, Callable[[], Message]] = field(default_factory=dict, repr=False)

    def answer(self, message: Message) -> Message:
        """Refuse: requests go out from here."""
        raise AuditError(f"'{self.name}' is the active party: it asks, and does not answer '{message.kind}'.")

    @property
    def traffic(self) -> Mapping[str, int]:
        """No message of a network is encrypted."""
        return {}

    def train_batch(self, rows: Rows, epoch: int, step: int, following: Rows | None = None) -> Tensor:
        """Do one round of Algorithm 3 (without a top model) or 2 (with one); return the logits.

        Parameters
        ----------
        following
            The rows of the next round, which others are asked about while the own models learn.
        """
        if not self._asked:
            self._ask_all(rows, epoch, step)
        own = self.bottom.forward(rows) if self.bottom is not None else None
        received = {party: tensor.requires_grad_() for party, tensor in self._received().items()}
        embeddings = list(received.values())
        handed = self._handed(own, rows, epoch, step) if own is not None else None
        logits: Tensor = self.head([handed, *embeddings] if handed is not None else embeddings)
        self._pull(logits, self._learned(rows))
        self._add_received(embeddings, rows)
        for party, embedding in received.items():
            assert embedding.grad is not None
            self._send(party, Kind.GRADIENT, {"gradient": embedding.grad.cpu().numpy()}, rows, epoch, step)
        if following is not None:
            self._ask_all(following, epoch, step + 1)
        if self.bottom is not None and own is not None and handed is not None:  # others learn meanwhile
            assert handed.grad is not None
            own_side = self.hook.own_side
            back = self._to_itself(Kind.GRADIENT, handed.grad, rows, epoch, step) if own_side else handed.grad
            self.bottom.learn(own, back, rows, epoch)
        if self.head_optimizer is not None:
            pace(self.head_optimizer, self.head_schedule(epoch))
            self.head_optimizer.step()
            forget_gradients(self.head_optimizer)
        return logits.detach()

    def announce_curvature(self, rows: Rows) -> None:
        """Tell everybody how sharply the loss bends on the labels that are trained on, before the first step.

        Class weights make it depend on how many rows each class has, which no one else knows.
        """
        curvature = self.loss.curvature(self.labels[torch.from_numpy(rows)])
        for party in self.links:
            self._send(party, Kind.CURVATURE, {"curvature": np.array([curvature])}, NO_ROWS, epoch=0, step=0)
        if self.bottom is not None:
            self.bottom.bend(curvature)
        if self.head_optimizer is not None:
            bend(self.head_optimizer, curvature)

    def snapshots(self, epoch: int) -> list[Snapshot]:
        """Return its own models as they are now: the bottom model where there are columns, and the head."""
        head = Snapshot(self.name, epoch, head_to_json(self.head_architecture), state_of(self.head), part="head")
        return [head] if self.bottom is None else [self.bottom.snapshot(epoch), head]

    def own_model(self) -> dict[str, Array]:
        """Return the head, and the own bottom model where there are columns."""
        bottom = self.bottom
        return pack_part(
            bottom.columns if bottom is not None else (),
            (bottom.architecture, bottom.network) if bottom is not None else None,
            (self.head_architecture, self.head),
        )

    def confidences(self, rows: Rows, step: int) -> Matrix:
        """Return the confidences of some rows."""
        modules = [self.head] if self.bottom is None else [self.head, self.bottom.network]
        for module in modules:
            module.eval()
        with torch.no_grad():
            self._ask_all(rows, OUTSIDE_TRAINING, step)
            embeddings = list(self._received().values())
            own = [self.bottom.forward(rows)] if self.bottom is not None else []
            if self.hook.own_side:
                own = [self._to_itself(Kind.EMBEDDING, handed, rows, OUTSIDE_TRAINING, step) for handed in own]
            confidences = self.loss.probabilities(self.head([*own, *embeddings]))
        for module in modules:
            module.train()
        return confidences.cpu().numpy()

    def _ask_all(self, rows: Rows, epoch: int, step: int) -> None:
        """Ask everybody for embeddings, and wait for nobody yet."""
        for party, link in self.links.items():
            self._asked[party] = link.post(Message(Kind.EMBEDDING, self.name, party, epoch, step, rows, {}))

    def _received(self) -> dict[str, Tensor]:
        """Return the embeddings that everybody was asked for."""
        waiting, device = dict(self._asked), self.labels.device
        self._asked.clear()
        return {party: tensor_of(wait().payload["embedding"]).to(device) for party, wait in waiting.items()}

    def _pull(self, logits: Tensor, labels: Tensor) -> None:
        """Send what the loss says back through the head, or what a defense says in its place."""
        if self.hook.signal is unchanged:
            self.loss(logits, labels).backward()  # type: ignore[no-untyped-call]
            return
        pulls = self.loss.pulls(logits.detach(), labels).cpu().numpy()
        said = self.hook.signal(Signal(pulls=pulls, rounds=self.rounds)).pulls
        logits.backward(torch.from_numpy(said).to(logits) / len(said))  # type: ignore[no-untyped-call]

    def _learned(self, rows: Rows) -> Tensor:
        """Return what the network is to say of some rows: their labels, or what a defense has put in their place."""
        learned = self.labels if self.targets is None else self.targets
        return learned[torch.from_numpy(rows)]

    def _add_received(self, received: list[Tensor], rows: Rows) -> None:
        """Add the gradients of what a defense makes of embeddings that came in, and of labels, to those of the loss."""
        if self.hook.received_loss is no_loss:
            return
        labels = self.labels[torch.from_numpy(rows)]
        for embedding in received:
            added = self.hook.received_loss(embedding, labels, rows)
            if added is not None:
                added.backward()  # type: ignore[no-untyped-call]

    def _handed(self, own: Tensor, rows: Rows, epoch: int, step: int) -> Tensor:
        """Return what the own bottom model hands to the head, from which gradients come back as from anybody."""
        handed = self._to_itself(Kind.EMBEDDING, own, rows, epoch, step) if self.hook.own_side else own.detach()
        return handed.requires_grad_()

    def _to_itself(self, kind: Kind, values: Tensor, rows: Rows, epoch: int, step: int) -> Tensor:
        """Return what the own side gets where a defense acts on it too: a message that crosses no link."""
        payload = {kind.value: values.detach().cpu().numpy()}
        message = self.hook.message(Message(kind, self.name, self.name, epoch, step, rows, payload))
        return torch.from_numpy(message.payload[kind.value]).to(values)

    def _send(self, party: str, kind: Kind, payload: Mapping[str, Array], rows: Rows, epoch: int, step: int) -> None:
        message = Message(kind, self.name, party, epoch, step, rows, payload)
        self.links[party].request(self.hook.message(message))
