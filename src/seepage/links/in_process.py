"""Two parties in one process."""

from collections.abc import Callable
from dataclasses import dataclass

from seepage.messages import Message, Party


@dataclass(frozen=True, slots=True)
class InProcessLink:
    """Hand messages over as they are: arrays are shared, never copied.

    The tap hears both directions, as somebody listening on a wire would.
    """

    party: Party
    tap: Callable[[Message], None]

    def request(self, message: Message) -> Message:
        """Deliver the message and bring the reply back."""
        self.tap(message)
        reply = self.party.answer(message)
        self.tap(reply)
        return reply
