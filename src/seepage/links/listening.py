"""The answering end of a link: one peer on another host, whose requests are answered one after the other."""

import logging
import socket
import ssl
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Final

from seepage.errors import AuditError, BadMessage, BadPeer
from seepage.links.connection import (
    BROKEN,
    FINE,
    GREETING,
    HANDSHAKE,
    MARK,
    PIECE,
    REFUSED,
    VERSION,
    WELCOME,
    WINDOW,
    WORDS,
    Waits,
    check_certificate,
    cut,
    exactly,
    framed,
    plain_words,
    prepare,
    read,
    secured,
    write,
)
from seepage.links.keys import Identity, Peer
from seepage.links.wire import LIMITS, Limits, from_bytes, to_bytes
from seepage.messages import Party

LOG: Final = logging.getLogger("seepage.links")
STRANGERS: Final = 32
"""Connections that may be open before anybody knows whose they are."""
A_MOMENT: Final = 0.1
DRAINED: Final = 2.0
"""Seconds to go on reading after a refusal, so that it is not lost to what was under way."""


@dataclass(eq=False)
class Listener:
    """The answering end of a link: one peer, whose requests are answered one after the other.

    Parameters
    ----------
    port
        Where it listens: the one that was asked for, or for port 0 the one that was free.
    """

    party: Party
    own: Identity
    peer: Peer
    limits: Limits = LIMITS
    port: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False)
    _over: Event = field(default_factory=Event, repr=False)
    _heard: float = field(default_factory=time.monotonic, repr=False)
    _run: bytes | None = field(default=None, repr=False)
    _number: int = field(default=0, repr=False)
    _answers: "deque[tuple[int, bytes]]" = field(default_factory=lambda: deque(maxlen=WINDOW), repr=False)
    _door: Lock = field(default_factory=Lock, repr=False)
    _strangers: "deque[socket.socket]" = field(default_factory=deque, repr=False)
    _ended: Event = field(default_factory=Event, repr=False)
    _present: "ssl.SSLSocket | None" = field(default=None, repr=False)
    _threads: list[Thread] = field(default_factory=list, repr=False)

    def wait(self, silence: float, first: float | None = None) -> None:
        """Wait until the peer says that all is over, or say that it was silent for so many seconds.

        Parameters
        ----------
        first
            Seconds to wait until it says something at all; as many as later on, unless told otherwise.
        """
        while not self._over.wait(min(1.0, silence / 4)):
            with self._lock:  # whoever is at work is not silent
                quiet, begun = time.monotonic() - self._heard, self._run is not None
            if quiet > (silence if begun or first is None else first):
                raise BadPeer(f"'{self.peer.name}' has said nothing for {silence:g} s, and has not said goodbye.")

    def accept(self, server: socket.socket, context: ssl.SSLContext) -> None:
        """Let callers in, until all is over; of those whom nobody knows yet, the one who came first goes first."""
        while not self._ended.is_set():
            try:
                plain, where = server.accept()
                thread = Thread(target=self._let_in, args=(plain, where[0], context), daemon=True)
                with self._door:
                    self._strangers.append(plain)
                    crowded = self._strangers.popleft() if len(self._strangers) > STRANGERS else None
                if crowded is not None:
                    LOG.warning("Too many callers without a certificate: the first was sent away.")
                    cut(crowded)
                self._threads = [one for one in self._threads if one.is_alive()] + [thread]
                thread.start()
            except (OSError, RuntimeError) as error:  # such as no file descriptor left: that passes
                if not self._ended.wait(A_MOMENT):
                    LOG.warning("Nobody could be let in for a moment: %s", error)

    def end(self) -> None:
        """Hang up; what is being answered is let go."""
        self._ended.set()
        with self._door:
            for plain in self._strangers:
                cut(plain)
        until = time.monotonic() + HANDSHAKE
        self._hang_up()  # whoever is at work finds out when it answers
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _let_in(self, plain: socket.socket, where: str, context: ssl.SSLContext) -> None:
        """See who it is, and answer the peer alone."""
        stranger: socket.socket = plain
        try:
            prepare(plain)
            plain.settimeout(HANDSHAKE)
            with context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False) as connection:
                self._renamed(stranger, connection)
                stranger = connection
                connection.do_handshake()
                check_certificate(connection, self.peer)
                connection.sendall(WELCOME)
                mark, version, run = GREETING.unpack(exactly(connection, GREETING.size, time.monotonic() + HANDSHAKE))
                if mark != MARK or version != VERSION:
                    raise BadMessage("It does not speak this version of Seepage.")
                self._renamed(connection, None)
                self._serve(connection, run)
        except (AuditError, OSError) as error:
            LOG.warning("Refused a connection from %s: %s", where, getattr(error, "reason", None) or error)
        finally:
            self._renamed(stranger, None)
            plain.close()

    def _renamed(self, stranger: socket.socket, now: socket.socket | None) -> None:
        """Remember a stranger as the connection that it has become, or forget it."""
        with self._door:
            if stranger in self._strangers:
                self._strangers.remove(stranger)
                if now is not None:
                    self._strangers.append(now)

    def _serve(self, connection: ssl.SSLSocket, run: bytes) -> None:
        """Answer one request after the other, or refuse in one sentence that is logged here as well."""
        connection.settimeout(None)
        with self._lock:
            another = self._run not in (None, run)
            if not another:
                self._run = run
                self._hang_up()  # a connection that broke on the other side only
                self._present = connection
        if another:
            LOG.warning("Refused '%s': another run has begun here already.", self.peer.name)
            _refuse(connection, 0, REFUSED, b"Another run has begun here already. Start this side anew.")
            return
        waits = Waits()
        answered: list[bytes] = []  # while more has come already, answers wait for each other
        while not self._ended.is_set():
            number = 0
            try:
                number, _, data = read(connection, self.limits, None, waits, self._hear)
                what, answer = FINE, self._answered(number, data)
            except OSError:
                LOG.info("The connection to '%s' is over.", self.peer.name)
                return
            except AuditError as error:
                LOG.warning("Refused '%s': %s", self.peer.name, error)
                what, answer = REFUSED, str(error)[:WORDS].encode()
            except Exception:  # a party may have defenses of anybody: the peer hears that much, our log all
                LOG.exception("A request of '%s' could not be answered.", self.peer.name)
                what, answer = BROKEN, b""
            if what != FINE:
                with suppress(OSError):
                    connection.sendall(b"".join(answered))
                _refuse(connection, number, what, answer)
                return  # what follows may follow from what was refused
            answered.append(framed(number, what, answer))
            if not connection.pending() or sum(map(len, answered)) > PIECE:
                with suppress(OSError):
                    connection.sendall(b"".join(answered))
                answered.clear()
            if not data:  # the goodbye is answered first
                self._over.set()

    def _hear(self) -> None:
        self._heard = time.monotonic()

    def _hang_up(self) -> None:
        if self._present is not None:
            cut(self._present)
            self._present = None

    def _answered(self, number: int, data: bytes) -> bytes:
        """Answer a request once, however often it comes."""
        with self._lock:
            for before, answer in self._answers:
                if before == number:
                    return answer
            over = bool(self._answers) and not self._answers[-1][1]  # the answer to a goodbye is empty, and no other
            if over:
                raise BadMessage("This run is over.")
            if number != self._number:
                raise BadMessage(f"Request {number} came where request {self._number} was expected.")
            answer = self._done(data)
            self._number = number + 1
            self._answers.append((number, answer))
            self._hear()
            return answer

    def _done(self, data: bytes) -> bytes:
        if not data:
            return b""
        message = from_bytes(data, self.limits)
        if (message.sender, message.receiver) != (self.peer.name, self.own.name):
            who = f"from '{plain_words(message.sender)}' to '{plain_words(message.receiver)}'"
            raise BadMessage(f"A message {who} came over the wrong link.")
        return to_bytes(self.party.answer(message))


@contextmanager
def listening(party: Party, own: Identity, peer: Peer, address: str, limits: Limits = LIMITS) -> Iterator[Listener]:
    """Answer one peer at an address, and nobody else.

    Parameters
    ----------
    address
        HOST:PORT of an interface of this machine; port 0 takes one that is free.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise BadPeer(f"'{address}' is no place to listen at. Give HOST:PORT, such as 127.0.0.1:7443.")
    listener, context = Listener(party, own, peer, limits), secured(ssl.PROTOCOL_TLS_SERVER, own, peer)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = socket.create_server((host.strip("[]"), int(port)), family=family)
    except (OSError, OverflowError) as error:
        raise BadPeer(
            f"Nothing can listen at {address} ({error}). Choose another port, or an address of this machine."
        ) from error
    listener.port = server.getsockname()[1]
    accepting = Thread(target=listener.accept, args=(server, context), daemon=True)
    accepting.start()
    try:
        yield listener
    finally:
        listener.end()
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)
        server.close()
        accepting.join(HANDSHAKE)


def _refuse(connection: ssl.SSLSocket, number: int, what: int, why: bytes) -> None:
    """Say why, and read on for a while: a connection that is closed on what was not read loses what was said."""
    until = time.monotonic() + DRAINED
    with suppress(OSError):
        connection.settimeout(DRAINED)
        write(connection, number, what, why)
        socket.socket.shutdown(connection, socket.SHUT_WR)
        while time.monotonic() < until and socket.socket.recv(connection, PIECE):
            continue
