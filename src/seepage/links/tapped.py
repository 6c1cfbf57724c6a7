"""A link that somebody listens to."""

from collections.abc import Callable
from dataclasses import dataclass

from seepage.messages import Link, Message


@dataclass(frozen=True, slots=True)
class TappedLink:
    """Lets a tap hear what crosses another link, in both directions: one road serves many recordings, one by one."""

    link: Link
    tap: Callable[[Message], None]

    def request(self, message: Message) -> Message:
        """Deliver the message and bring the reply back."""
        self.tap(message)
        reply = self.link.request(message)
        self.tap(reply)
        return reply
