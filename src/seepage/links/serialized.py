"""Two parties in one process that share no memory: what crosses is bytes."""

from collections.abc import Callable
from dataclasses import dataclass

from seepage.links.wire import from_bytes, to_bytes
from seepage.messages import Message, Party


@dataclass(frozen=True, slots=True)
class SerializedLink:
    """Write every message, and read it again on the other side, as a wire would have it.

    The tap hears what was read, in both directions.
    """

    party: Party
    tap: Callable[[Message], None]

    def request(self, message: Message) -> Message:
        """Deliver the message and bring the reply back."""
        return self._across(self.party.answer(self._across(message)))

    def _across(self, message: Message) -> Message:
        read = from_bytes(to_bytes(message))
        self.tap(read)
        return read
