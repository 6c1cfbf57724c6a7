"""A party without labels."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from seepage.errors import AuditError
from seepage.federations.bottom import Bottom, tensor_of
from seepage.federations.screening import Screener
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.networks.joint_network import pack_part
from seepage.partition import OwnPart
from seepage.shapes import Array
from seepage.transcript import Snapshot


@dataclass(eq=False)
class PassiveParty:
    """Embeds rows when asked to, and learns from the gradients that come back.

    It holds its own columns and its own model; it meets the others in messages only.

    Parameters
    ----------
    screener
        What it brings along, and its defense.
    build
        Its model over what is left of that once columns are screened.
    """

    screener: Screener
    build: Callable[[OwnPart], Bottom] = field(repr=False)
    _waiting: list[Tensor] = field(default_factory=list, repr=False)

    @property
    def name(self) -> str:
        """The party's name."""
        return self.screener.part.party

    @cached_property
    def bottom(self) -> Bottom:
        """Its own model, built when it is first needed."""
        return self.build(self.screener.part)

    def answer(self, message: Message) -> Message:
        """Do what the message asks, and reply."""
        if message.kind is Kind.CORRELATION:
            return self.screener.answer(message)
        if message.kind is Kind.SETUP:
            return message.reply({"width": np.array([self.bottom.architecture.outputs])})
        if message.kind is Kind.EMBEDDING:
            return self.screener.hook.message(message.reply({"embedding": self._embed(message)}))
        if message.kind is Kind.GRADIENT:
            self._learn(message)
            return message.reply({})
        if message.kind is Kind.CURVATURE:
            self.bottom.bend(float(message.payload["curvature"][0]))
            return message.reply({})
        if message.kind is Kind.MODEL:
            bottom = self.bottom
            part = pack_part(bottom.columns, (bottom.architecture, bottom.network))
            return self.screener.hook.message(message.reply(part))
        if message.kind is Kind.PREDICTION:
            return message.reply({})
        raise AuditError(f"'{self.name}' does not know what to do with a message of kind '{message.kind}'.")

    def snapshots(self, epoch: int) -> list[Snapshot]:
        """Return its own model as it is now."""
        return [self.bottom.snapshot(epoch)]

    def _embed(self, message: Message) -> Array:
        """ParticipantForwardProp of Algorithm 3."""
        if message.epoch == OUTSIDE_TRAINING:
            self.bottom.network.eval()
            with torch.no_grad():
                embedding = self.bottom.forward(message.rows)
            self.bottom.network.train()
            return embedding.cpu().numpy()
        embedding = self.bottom.forward(message.rows)
        self._waiting[:] = [embedding]
        return embedding.detach().cpu().numpy()

    def _learn(self, message: Message) -> None:
        if not self._waiting:
            raise AuditError(f"'{self.name}' was sent a gradient without having been asked for embeddings.")
        embedding = self._waiting.pop()
        gradient = tensor_of(message.payload["gradient"]).to(embedding)
        self.bottom.learn(embedding, gradient, message.rows, message.epoch)
