"""A party without labels."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from seepage.errors import AuditError
from seepage.federations.bottom import Bottom
from seepage.hooks import Hook
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.networks.joint_network import pack_part
from seepage.shapes import Array


@dataclass(frozen=True, eq=False)
class PassiveParty:
    """Embeds rows when asked to, and learns from the gradients that come back.

    It holds its own columns and its own model; it meets the others in messages only.
    """

    bottom: Bottom
    hook: Hook
    _waiting: list[Tensor] = field(default_factory=list, repr=False)

    @property
    def name(self) -> str:
        """The party's name."""
        return self.bottom.party

    def answer(self, message: Message) -> Message:
        """Do what the message asks, and reply."""
        if message.kind is Kind.EMBEDDING:
            return self.hook.message(message.reply({"embedding": self._embed(message)}))
        if message.kind is Kind.GRADIENT:
            self._learn(message)
            return message.reply({})
        if message.kind is Kind.CURVATURE:
            self.bottom.bend(float(message.payload["curvature"][0]))
            return message.reply({})
        if message.kind is Kind.MODEL:
            bottom = self.bottom
            part = pack_part(bottom.columns, (bottom.architecture, bottom.network))
            return self.hook.message(message.reply(part))
        if message.kind is Kind.PREDICTION:
            return message.reply({})
        raise AuditError(f"'{self.name}' does not know what to do with a message of kind '{message.kind}'.")

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
        (embedding,) = self._waiting
        self._waiting.clear()
        gradient = torch.tensor(message.payload["gradient"]).to(embedding)
        self.bottom.learn(embedding, gradient, message.rows, message.epoch)
