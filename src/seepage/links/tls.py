"""Parties on hosts of their own: messages as bytes over TLS 1.3, where each side knows the other's certificate.

One end listens for one peer and answers its requests, one after the other; the other end drives. Requests are
numbered: one that is sent again, because the connection broke, is answered as before and not done twice.

On the wire: whoever listens says that the certificate is accepted, the driver greets with a mark, the version and
the name of the run; then messages go to and fro, before each its number, what it is, and its size.
"""

import logging
import math
import secrets
import socket
import ssl
import struct
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Final

from seepage.errors import AuditError, BadMessage, BadPeer
from seepage.links.keys import Identity, Peer, fingerprint_of
from seepage.links.wire import LIMITS, Limits, from_bytes, to_bytes
from seepage.messages import TOLD, Message, Party

LOG: Final = logging.getLogger("seepage.links")
MARK: Final = b"seepage-link"
VERSION: Final = 1
RUN: Final = 16
"""Bytes of the name of a run."""
GREETING: Final = struct.Struct(f"<{len(MARK)}sB{RUN}s")
WELCOME: Final = b"+"
"""What a caller hears first whose certificate is accepted."""
BEFORE: Final = struct.Struct("<QBQ")
"""What stands before a message: its number, what it is, and its size. An empty request says goodbye."""
FINE, REFUSED, BROKEN = range(3)
WORDS: Final = 300
"""Letters that a refusal may have: it comes from somebody else."""
PIECE: Final = 1 << 20
"""Bytes that are read or written at a time."""
AGAIN: Final = (0.05, 0.2, 0.5, 1.0, 2.0)
"""Seconds between attempts to reach a peer; the last one counts from then on."""
HANDSHAKE: Final = 10.0
"""Seconds that somebody has to show a certificate and to greet."""
WINDOW: Final = 8
"""Requests that may wait for an answer at a time, and answers that are kept in case they get lost."""
STRANGERS: Final = 32
"""Connections that may be open before anybody knows whose they are."""
A_MOMENT: Final = 0.1
DRAINED: Final = 2.0
"""Seconds to go on reading after a refusal, so that it is not lost to what was under way."""
UNKNOWN: Final = "Whoever is at {} does not have the certificate of '{}'. Compare fingerprints."
NOT_OURS: Final = "'{}' at {} does not accept our certificate. Compare fingerprints."


@dataclass(frozen=True, eq=False)
class _Sent:
    """A request that is not answered yet; without a message it says goodbye."""

    number: int
    data: bytes = field(repr=False)
    message: Message | None


@dataclass(eq=False)
class TlsLink:
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

    def request(self, message: Message) -> Message:
        """Deliver the message and bring the reply back; what is only told is not waited for, but before the next."""
        if self._lost is not None:
            raise BadPeer(self._lost)
        data = to_bytes(message)
        if len(data) > self.limits.size:
            raise BadMessage(f"A message of {len(data):,} bytes is to be sent; {self.limits.size:,} are the most.")
        self.tap(message)
        self._pending.append(_Sent(self._number, data, message))
        self._number += 1
        if message.kind in TOLD and len(self._pending) < WINDOW and self._connection is not None:
            try:
                self._send(self._connection)
            except OSError:  # who cannot be reached now is tried again when an answer is needed
                self.close()
            reply = message.reply({})
        else:
            reply = from_bytes(self._settled(), self.limits)
            _check_place(reply, message)
        self.tap(reply)
        return reply

    def goodbye(self) -> None:
        """Say that all is over, so that the peer does not wait for more."""
        self._pending.append(_Sent(self._number, b"", None))
        self._number += 1
        self._settled()
        self.close()

    def close(self) -> None:
        """Let go of the connection, without a word."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _settled(self) -> bytes:
        """Send what is pending until all of it is answered, each under one number; return the last answer."""
        until, tries, answer = math.inf, 0, b""
        while self._pending:
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
                told = self._pending.popleft().message
                if self._pending and told is not None:
                    _check_place(from_bytes(answer, self.limits), told)
        return answer

    def _given_up(self, why: str) -> BadPeer:
        """Say why the run is lost; nobody knows what of it was done, so nothing more is asked."""
        self._forget()
        self._lost = f"'{self.peer.name}' at {self.address} {why}"
        return BadPeer(self._lost)

    def _forget(self) -> None:
        """Begin anew with what could not be said: it may be said better."""
        self._number = self._pending[0].number
        self._pending.clear()
        self.close()

    def _connected(self) -> ssl.SSLSocket:
        """Reach the peer, and see that it is the one."""
        host, _, port = self.address.rpartition(":")
        if not host or not port.isdecimal():
            raise BadPeer(f"'{self.address}' is no place. Give HOST:PORT, such as shop.example:7443.")
        context = _context(ssl.PROTOCOL_TLS_CLIENT, self.own, self.peer)
        with ExitStack() as stack:
            try:
                plain = socket.create_connection((host.strip("[]"), int(port)), timeout=HANDSHAKE)
                stack.callback(plain.close)
                _prepare(plain)
                made = context.wrap_socket(plain)
                stack.callback(made.close)
                _check_certificate(made, self.peer)
                _exactly(made, len(WELCOME), time.monotonic() + HANDSHAKE)
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
        """Send what was not sent over this connection yet; nothing is waited for."""
        for one in self._pending:
            if one.number >= self._next:
                connection.settimeout(self.deadline)
                _write(connection, one.number, FINE, one.data)
                self._next = one.number + 1

    def _answer(self, connection: ssl.SSLSocket) -> bytes:
        """Wait for the answer to what was asked first."""
        number, what, answer = _read(connection, self.limits, time.monotonic() + self.deadline)
        if what == REFUSED:
            raise BadPeer(f"'{self.peer.name}' refused: {_plain(answer.decode(errors='replace'))}")
        if what != FINE:
            raise BadPeer(f"'{self.peer.name}' at {self.address} could not answer. Its own log says why.")
        if number != self._pending[0].number:
            raise BadMessage(f"'{self.peer.name}' answered request {number} instead of {self._pending[0].number}.")
        return answer


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

    def wait(self, silence: float) -> None:
        """Wait until the peer says that all is over, or say that it was silent for so many seconds."""
        while not self._over.wait(min(1.0, silence / 4)):
            with self._lock:  # whoever is at work is not silent
                quiet = time.monotonic() - self._heard
            if quiet > silence:
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
                    _cut(crowded)
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
                _cut(plain)
        until = time.monotonic() + HANDSHAKE
        self._hang_up()  # whoever is at work finds out when it answers
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _let_in(self, plain: socket.socket, where: str, context: ssl.SSLContext) -> None:
        """See who it is, and answer the peer alone."""
        stranger: socket.socket = plain
        try:
            _prepare(plain)
            plain.settimeout(HANDSHAKE)
            with context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False) as connection:
                self._renamed(stranger, connection)
                stranger = connection
                connection.do_handshake()
                _check_certificate(connection, self.peer)
                connection.sendall(WELCOME)
                mark, version, run = GREETING.unpack(_exactly(connection, GREETING.size, time.monotonic() + HANDSHAKE))
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
        while not self._ended.is_set():
            number = 0
            try:
                number, _, data = _read(connection, self.limits, None, self._hear)
                what, answer = FINE, self._answered(number, data)
            except OSError:
                LOG.info("The connection to '%s' is over.", self.peer.name)
                return
            except AuditError as error:
                LOG.warning("Refused '%s': %s", self.peer.name, error)
                what, answer = REFUSED, str(error)[:WORDS].encode()
            except Exception:
                LOG.exception("A request of '%s' could not be answered.", self.peer.name)
                what, answer = BROKEN, b""
            if what != FINE:
                _refuse(connection, number, what, answer)
                return  # what follows may follow from what was refused
            with suppress(OSError):
                _write(connection, number, what, answer)
            if not data:  # the goodbye is answered first
                self._over.set()

    def _hear(self) -> None:
        self._heard = time.monotonic()

    def _hang_up(self) -> None:
        if self._present is not None:
            with suppress(OSError):  # that of `SSLSocket` would take TLS away first, and let bytes in the clear through
                socket.socket.shutdown(self._present, socket.SHUT_RDWR)
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
            who = f"from '{_plain(message.sender)}' to '{_plain(message.receiver)}'"
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
    listener, context = Listener(party, own, peer, limits), _context(ssl.PROTOCOL_TLS_SERVER, own, peer)
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


def _context(protocol: int, own: Identity, peer: Peer) -> ssl.SSLContext:
    """Return what accepts one certificate, shows ours, and speaks TLS 1.3 and nothing older."""
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # the certificate says who it is, and not where
    context.verify_mode = ssl.CERT_REQUIRED
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    try:
        context.load_verify_locations(cadata=peer.certificate.decode("ascii"))
        context.load_cert_chain(own.file, own.key_file)
    except (OSError, ValueError) as error:
        raise BadPeer(
            f"The keys of '{own.name}', or the certificate of '{peer.name}', cannot be used: {error}"
        ) from error
    return context


def _check_certificate(connection: ssl.SSLSocket, peer: Peer) -> None:
    """See once more that it is this very certificate, and not one that it has signed."""
    shown = connection.getpeercert(binary_form=True)
    if shown is None or fingerprint_of(ssl.DER_cert_to_PEM_cert(shown).encode()) != peer.fingerprint:
        raise BadPeer(f"The certificate is not that of '{peer.name}'.")


def _check_place(reply: Message, message: Message) -> None:
    """Refuse an answer that is to something else."""
    expected = (message.receiver, message.sender, message.epoch, message.step)
    if (reply.sender, reply.receiver, reply.epoch, reply.step) != expected:
        raise BadMessage(f"'{message.receiver}' answered something else than it was asked.")


def _prepare(connection: socket.socket) -> None:
    """Send what is short at once, and notice when the other end is gone."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _refuse(connection: ssl.SSLSocket, number: int, what: int, why: bytes) -> None:
    """Say why, and read on for a while: a connection that is closed on what was not read loses what was said."""
    until = time.monotonic() + DRAINED
    with suppress(OSError):
        connection.settimeout(DRAINED)
        _write(connection, number, what, why)
        socket.socket.shutdown(connection, socket.SHUT_WR)
        while time.monotonic() < until and socket.socket.recv(connection, PIECE):
            continue


def _plain(words: str) -> str:
    r"""Return what somebody else said, without what a terminal would take for an order.

    >>> _plain("no\x1b[2J more")
    'no?[2J more'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in words[:WORDS])


def _write(connection: ssl.SSLSocket, number: int, what: int, data: bytes) -> None:
    first = BEFORE.pack(number, what, len(data))
    connection.sendall(first + data if len(data) < PIECE else first)
    if len(data) >= PIECE:
        connection.sendall(data)


def _read(
    connection: ssl.SSLSocket, limits: Limits, until: float | None, came: Callable[[], None] = lambda: None
) -> tuple[int, int, bytes]:
    """Read one message, but none that is larger than it may be."""
    number, what, size = BEFORE.unpack(_exactly(connection, BEFORE.size, until, came))
    if size > limits.size:
        raise BadMessage(f"A message of {size:,} bytes came; {limits.size:,} are the most that is read.")
    return number, what, _exactly(connection, size, until, came)


def _exactly(
    connection: ssl.SSLSocket, size: int, until: float | None, came: Callable[[], None] = lambda: None
) -> bytes:
    """Read so many bytes; memory grows as they come, and not because somebody says that they will."""
    kept, missing = [], size
    while missing:
        if until is not None:
            connection.settimeout(max(0.001, until - time.monotonic()))
        piece = connection.recv(min(missing, PIECE))
        if not piece:
            raise ConnectionError("The connection was closed.")
        came()
        kept.append(piece)
        missing -= len(piece)
    return kept[0] if len(kept) == 1 else b"".join(kept)
