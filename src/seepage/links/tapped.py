"""A link that somebody listens to."""

from collections.abc import Callable
from dataclasses import dataclass

from seepage.messages import Link, Message


@dataclass(frozen=True)
class TappedLink(Link):
    """Lets a tap hear what crosses another link, in both directions: one road serves many recordings, one by one."""

    link: Link
    tap: Callable[[Message], None]

    def post(self, message: Message) -> Callable[[], Message]:
        """Send the message on, and return what waits for the reply."""
        self.tap(message)
        wait = self.link.post(message)

        def heard() -> Message:
            reply = wait()
            self.tap(reply)
            return reply

        return heard
