"""What the active party hands out for others to add up, and opens again."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

import numpy as np

from seepage.crypto import Sealer, make_sealer
from seepage.federations.trees.criterion import Statistics
from seepage.federations.trees.settings import SealingSettings
from seepage.hooks import Hook
from seepage.messages import Kind, Link, Message
from seepage.shapes import Array, Rows


@dataclass(eq=False)
class Outbox:
    """The active party's side of every link: it writes messages, numbers them and counts ciphertexts.

    Parameters
    ----------
    traffic
        How many ciphertexts crossed, by kind of message; in the clear, how many
        numbers stood for one.
    """

    name: str
    links: Mapping[str, Link]
    hook: Hook
    traffic: Counter[Kind] = field(default_factory=Counter)
    _step: int = 0

    def begin_round(self) -> None:
        """Count steps anew."""
        self._step = 0

    def ask(self, party: str, kind: Kind, epoch: int, rows: Rows, payload: Mapping[str, Array]) -> Message:
        """Send one message and return the reply."""
        return self.post(party, kind, epoch, rows, payload)()

    def post(
        self, party: str, kind: Kind, epoch: int, rows: Rows, payload: Mapping[str, Array]
    ) -> Callable[[], Message]:
        """Send one message and return what waits for the reply."""
        message = Message(kind, self.name, party, epoch, self._step, rows, payload)
        self._step += 1
        return self.links[party].post(self.hook.message(message))


@dataclass(eq=False)
class SealedColumn:
    """Statistics of all training rows, sealed when somebody has to add them up, and not before.

    Parameters
    ----------
    largest
        The largest magnitude of a single value, from which both sides work out the packing.
    """

    name: Literal["statistics", "labels"]
    outbox: Outbox
    sealing: SealingSettings
    train: Rows
    largest: int
    sealer: Sealer | None = None
    _sent: bool = False
    _values: Array | None = None

    def renew(self, values: Array) -> None:
        """Put other values in the place of those before."""
        self._values, self._sent = values, False

    def share(self, epoch: int) -> None:
        """Hand the sealed values to every passive party, once."""
        if self._sent:
            return
        assert self._values is not None
        slots = self._values.shape[1]
        if self.sealer is None:
            terms = asdict(self.sealing) | {"slots": slots, "largest": self.largest, "rows": len(self.train)}
            self.sealer = make_sealer(**terms)
        sealed = self.sealer.seal(self._values)
        payload = {
            "public_key": self.sealer.public,
            "terms": np.array([slots, self.largest], dtype=np.int64),
            self.name: sealed,
        }
        for party in self.outbox.links:
            self.outbox.ask(party, Kind.ENCRYPTED, epoch, self.train, payload)
            self.outbox.traffic[Kind.ENCRYPTED] += self.sealer.count(sealed)
        self._sent = True

    def open(self, reply: Message) -> Statistics:
        """Open the sums of a reply."""
        assert self.sealer is not None
        self.outbox.traffic[reply.kind] += self.sealer.count(reply.payload["sums"])
        return self.sealer.open(reply.payload["sums"])
