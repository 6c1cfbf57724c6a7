"""Two parties in one process."""

from collections.abc import Callable
from dataclasses import dataclass

from seepage.messages import Link, Message, Party


@dataclass(frozen=True)
class InProcessLink(Link):
    """Hand messages over as they are: arrays are shared, never copied.

    The tap hears both directions, as somebody listening on a wire would.
    """

    party: Party
    tap: Callable[[Message], None]

    def post(self, message: Message) -> Callable[[], Message]:
        """Let the party answer when the reply is waited for."""
        self.tap(message)

        def wait() -> Message:
            reply = self.party.answer(message)
            self.tap(reply)
            return reply

        return wait
