"""How much crossed, from whom to whom, whatever is recorded of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seepage.messages import SEALED_KINDS, Kind, Message


@dataclass(frozen=True)
class Tally:
    """Counts messages and their bytes by kind, sender and receiver.

    Bytes are those of payloads and of the row numbers that go with them, as they lie in memory. Bare requests and
    acknowledgements carry nothing and are not counted, nor is what a party keeps to itself.

    >>> import numpy as np
    >>> tally = Tally()
    >>> tally.count(Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.arange(4), {"gradient": np.ones((4, 2))}))
    >>> tally.count(Message(Kind.GRADIENT, "shop", "bank", 0, 0, np.arange(4), {}))
    >>> tally.crossed()
    ({'kind': 'gradient', 'sender': 'bank', 'receiver': 'shop', 'messages': 1, 'bytes': 96, 'sealed': False},)
    """

    counts: dict[tuple[Kind, str, str], tuple[int, int]] = field(default_factory=dict)

    def count(self, message: Message) -> None:
        """Count one message."""
        if not message.payload or message.sender == message.receiver:
            return
        key = (message.kind, message.sender, message.receiver)
        messages, size = self.counts.get(key, (0, 0))
        carried = message.rows.nbytes + sum(array.nbytes for array in message.payload.values())
        self.counts[key] = (messages + 1, size + carried)

    def reset(self, counts: Mapping[tuple[Kind, str, str], tuple[int, int]]) -> None:
        """Go back to what was counted before."""
        self.counts.clear()
        self.counts.update(counts)

    def crossed(self) -> tuple[dict[str, Any], ...]:
        """Return what was counted so far, as findings hold it."""
        return tuple(
            {
                "kind": kind.value,
                "sender": sender,
                "receiver": receiver,
                "messages": messages,
                "bytes": size,
                "sealed": kind in SEALED_KINDS,
            }
            for (kind, sender, receiver), (messages, size) in self.counts.items()
        )
