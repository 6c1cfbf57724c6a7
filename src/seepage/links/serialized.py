"""Two parties in one process that share no memory: what crosses is bytes."""

from collections.abc import Callable
from dataclasses import dataclass

from seepage.links.wire import from_bytes, to_bytes
from seepage.messages import Link, Message, Party


@dataclass(frozen=True)
class SerializedLink(Link):
    """Write every message, and read it again on the other side, as a wire would have it.

    The tap hears what was read, in both directions.
    """

    party: Party
    tap: Callable[[Message], None]

    def post(self, message: Message) -> Callable[[], Message]:
        """Let the party answer when the reply is waited for."""
        sent = self._across(message)
        return lambda: self._across(self.party.answer(sent))

    def _across(self, message: Message) -> Message:
        read = from_bytes(to_bytes(message))
        self.tap(read)
        return read
