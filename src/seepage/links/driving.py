"""The driving end of a link to a party on another host: requests go out, and answers come back.

Requests are numbered: one that is sent again, because the connection broke, is answered as before and not done twice.
"""

import math
import secrets
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from seepage.errors import AuditError, BadMessage, BadPeer
from seepage.links.connection import (
    FINE,
    GREETING,
    HANDSHAKE,
    MARK,
    REFUSED,
    RUN,
    VERSION,
    WELCOME,
    WINDOW,
    Waits,
    check_certificate,
    exactly,
    framed,
    plain_words,
    prepare,
    read,
    secured,
)
from seepage.links.keys import Identity, Peer
from seepage.links.wire import LIMITS, Limits, from_bytes, to_bytes
from seepage.messages import TOLD, Link, Message

AGAIN: Final = (0.05, 0.2, 0.5, 1.0, 2.0)
"""Seconds between attempts to reach a peer; the last one counts from then on."""
UNKNOWN: Final = "Whoever is at {} does not have the certificate of '{}'. Compare fingerprints."
NOT_OURS: Final = "'{}' at {} does not accept our certificate. Compare fingerprints."


@dataclass(frozen=True, eq=False)
class _Sent:
    """A request that is not answered yet; without a message it says goodbye."""

    number: int
    data: bytes = field(repr=False)
    message: Message | None


@dataclass(eq=False)
class TlsLink(Link):
    """The driver's end of a link to one peer.

    Parameters
    ----------
    address
        Where the peer listens, as HOST:PORT.
    tap
        Hears all that crosses, in both directions.
    deadline
        Seconds that one request may take to be answered.
    patience
        Seconds to go on trying while the peer cannot be reached.
    """

    own: Identity
    peer: Peer
    address: str
    tap: Callable[[Message], None]
    deadline: float = 120.0
    patience: float = 30.0
    limits: Limits = LIMITS
    _run: bytes = field(default_factory=lambda: secrets.token_bytes(RUN), repr=False)
    _number: int = field(default=0, repr=False)
    _pending: "deque[_Sent]" = field(default_factory=deque, repr=False)
    _connection: "ssl.SSLSocket | None" = field(default=None, repr=False)
    _next: int = field(default=0, repr=False)
    _lost: str | None = field(default=None, repr=False)
    _answers: dict[int, bytes] = field(default_factory=dict, repr=False)
    _waits: Waits = field(default_factory=Waits, repr=False)

    def post(self, message: Message) -> Callable[[], Message]:
        """Send the message, and return what waits for the reply.

        What is only told goes out with what is asked next: the reply to it is known beforehand. What cannot be sent
        now is sent when somebody waits for it, or for what comes after it.
        """
        if self._lost is not None:
            raise BadPeer(self._lost)
        data = to_bytes(message)
        if len(data) > self.limits.size:
            raise BadMessage(f"A message of {len(data):,} bytes is to be sent; {self.limits.size:,} are the most.")
        if len(self._pending) >= WINDOW:
            self._settled(self._pending[0].number)
        self.tap(message)
        sent = self._put(data, message)
        if message.kind in TOLD:
            reply = message.reply({})
            self.tap(reply)
            return lambda: reply
        if self._connection is not None:
            try:
                self._send(self._connection)
            except OSError:  # who cannot be reached now is tried again when an answer is needed
                self.close()

        def wait() -> Message:
            reply = from_bytes(self._settled(sent.number), self.limits)
            _check_place(reply, message)
            self.tap(reply)
            return reply

        return wait

    def goodbye(self) -> None:
        """Say that all is over, so that the peer does not wait for more."""
        self._settled(self._put(b"", None).number)
        self.close()

    def _put(self, data: bytes, message: Message | None) -> _Sent:
        """Put a request behind all others that wait for an answer."""
        sent = _Sent(self._number, data, message)
        self._pending.append(sent)
        self._number += 1
        return sent

    def close(self) -> None:
        """Let go of the connection, without a word."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _settled(self, number: int) -> bytes:
        """Send what is pending until one number is answered, and return that; answers before it are kept."""
        if self._lost is not None:
            raise BadPeer(self._lost)
        until, tries = math.inf, 0
        while number not in self._answers:
            try:
                if self._connection is None:
                    self._connection, self._next = self._connected(), 0
                self._send(self._connection)
                answer = self._answer(self._connection)
                until, tries = math.inf, 0
            except OSError as error:
                if isinstance(error, TimeoutError) and error.errno is None:  # ours, and not that of the network
                    why = f"did not answer within {self.deadline:g} s. Ask whether it is still at work."
                    raise self._given_up(why) from error
                self.close()
                until = min(until, time.monotonic() + self.patience)
                if time.monotonic() >= until:
                    raise self._given_up("cannot be reached. Is it listening, and the port open?") from error
                time.sleep(AGAIN[min(tries, len(AGAIN) - 1)])
                tries += 1
            except AuditError:
                self._forget()
                raise
            except BaseException:  # such as Ctrl-C: half of an answer may have been read
                self.close()
                raise
            else:
                done = self._pending.popleft()
                if done.message is not None and done.message.kind in TOLD and done.number != number:
                    _check_place(from_bytes(answer, self.limits), done.message)
                else:
                    self._answers[done.number] = answer
        return self._answers.pop(number)

    def _given_up(self, why: str) -> BadPeer:
        """Say why the run is lost; nobody knows what of it was done, so nothing more is asked."""
        self._forget()
        self._lost = f"'{self.peer.name}' at {self.address} {why}"
        return BadPeer(self._lost)

    def _forget(self) -> None:
        """Begin anew with what could not be said: it may be said better."""
        self._number = self._pending[0].number
        self._pending.clear()
        self._answers.clear()
        self.close()

    def _connected(self) -> ssl.SSLSocket:
        """Reach the peer, and see that it is the one."""
        host, _, port = self.address.rpartition(":")
        if not host or not port.isdecimal():
            raise BadPeer(f"'{self.address}' is no place. Give HOST:PORT, such as shop.example:7443.")
        context = secured(ssl.PROTOCOL_TLS_CLIENT, self.own, self.peer)
        with ExitStack() as stack:
            try:
                plain = socket.create_connection((host.strip("[]"), int(port)), timeout=HANDSHAKE)
                stack.callback(plain.close)
                prepare(plain)
                made = context.wrap_socket(plain)
                stack.callback(made.close)
                check_certificate(made, self.peer)
                exactly(made, len(WELCOME), time.monotonic() + HANDSHAKE)
                made.sendall(GREETING.pack(MARK, VERSION, self._run))
            except (ssl.SSLCertVerificationError, BadPeer) as error:
                raise BadPeer(UNKNOWN.format(self.address, self.peer.name)) from error
            except ssl.SSLError as error:
                if "ALERT" in str(error.reason or ""):  # in TLS 1.3 a client hears this when it reads
                    raise BadPeer(NOT_OURS.format(self.peer.name, self.address)) from error
                raise
            except TimeoutError as error:  # somebody listens, and says nothing
                raise ConnectionError(str(error)) from error
            except UnicodeError as error:
                raise BadPeer(f"'{self.address}' is no place. Give HOST:PORT, such as shop.example:7443.") from error
            made.settimeout(None)
            stack.pop_all()
            return made

    def _send(self, connection: ssl.SSLSocket) -> None:
        """Send what was not sent over this connection yet, all at once; nothing is waited for."""
        unsent = [one for one in self._pending if one.number >= self._next]
        if unsent:
            connection.settimeout(self.deadline)
            connection.sendall(b"".join(framed(one.number, FINE, one.data) for one in unsent))
            self._next = unsent[-1].number + 1

    def _answer(self, connection: ssl.SSLSocket) -> bytes:
        """Wait for the answer to what was asked first."""
        number, what, answer = read(connection, self.limits, time.monotonic() + self.deadline, self._waits)
        if what == REFUSED:
            raise BadPeer(f"'{self.peer.name}' refused: {plain_words(answer.decode(errors='replace'))}")
        if what != FINE:
            raise BadPeer(f"'{self.peer.name}' at {self.address} could not answer. Its own log says why.")
        if number != self._pending[0].number:
            raise BadMessage(f"'{self.peer.name}' answered request {number} instead of {self._pending[0].number}.")
        return answer


def _check_place(reply: Message, message: Message) -> None:
    """Refuse an answer that is to something else."""
    expected = (message.receiver, message.sender, message.epoch, message.step)
    if (reply.sender, reply.receiver, reply.epoch, reply.step) != expected:
        raise BadMessage(f"'{message.receiver}' answered something else than it was asked.")
