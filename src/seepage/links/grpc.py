"""Parties on hosts of their own: messages as bytes over gRPC, with mutual TLS and certificates known beforehand.

One end listens for one peer and answers its requests, one after the other; the other end drives. Requests are
numbered: one that is sent again, because the connection broke, is answered as before and not done twice.

A run is one stream in each direction. A message travels in pieces; before the first stand its number and its size.
"""

import logging
import math
import os
import secrets
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Final

from seepage.errors import AuditError, BadMessage, BadPeer
from seepage.links.keys import ADDRESSED, Identity, Peer, fingerprint_of
from seepage.links.wire import LIMITS, Limits, from_bytes, to_bytes
from seepage.messages import Message, Party

LOG: Final = logging.getLogger("seepage.links")
SERVICE: Final = "seepage.v1.Link"
RUN: Final = "Run"
PIECE: Final = 1 << 20
"""Bytes of a message that travel at once."""
BEFORE: Final = struct.Struct("<QQ")
"""What stands before a message: its number, and its size. An empty one says goodbye."""
WORDS: Final = 300
"""Letters that a refusal may have: it comes from somebody else."""
AGAIN: Final = (0.05, 0.2, 0.5, 1.0, 2.0)
"""Seconds between attempts to reach a peer; the last one counts from then on."""
COMMON: Final = (
    ("grpc.max_receive_message_length", 2 * PIECE),
    ("grpc.max_send_message_length", 2 * PIECE),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)
LISTENING: Final = (
    *COMMON,
    ("grpc.so_reuseport", 0),  # nobody else takes the port over
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.max_concurrent_streams", 2),
)
DRIVING: Final = (*COMMON, ("grpc.ssl_target_name_override", ADDRESSED), ("grpc.enable_http_proxy", 0))
LOOKING: Final = 0.2
"""Seconds between looks at whether an answer takes too long."""
STREAMS: Final = 8
"""Connections that may be open at once: those that broke are noticed after a while."""


@dataclass(eq=False)
class GrpcLink:
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
    _session: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    _number: int = field(default=0, repr=False)
    _channel: Any = field(default=None, repr=False)
    _stream: "_Stream | None" = field(default=None, repr=False)

    def request(self, message: Message) -> Message:
        """Deliver the message and bring the reply back."""
        self.tap(message)
        reply = from_bytes(self._delivered(to_bytes(message)), self.limits)
        expected = (message.receiver, message.sender, message.epoch, message.step)
        if (reply.sender, reply.receiver, reply.epoch, reply.step) != expected:
            raise BadMessage(f"'{self.peer.name}' answered something else than it was asked.")
        self.tap(reply)
        return reply

    def goodbye(self) -> None:
        """Say that all is over, so that the peer does not wait for more."""
        self._delivered(b"")
        self.close()

    def close(self) -> None:
        """Let go of the connection, without a word."""
        if self._stream is not None:
            self._stream.close()
        if self._channel is not None:
            self._channel.close()
        self._stream = self._channel = None

    def _delivered(self, data: bytes) -> bytes:
        """Send one request until it is answered, under one number."""
        grpc = _grpc()
        until, tries = time.monotonic() + self.patience, 0
        while True:
            try:
                answer = self._reached(grpc).exchanged(self._number, data, self.deadline)
            except grpc.RpcError as error:
                self._stream = None
                if error.code() is not grpc.StatusCode.UNAVAILABLE or time.monotonic() > until:
                    raise self._lost(grpc, error) from error
                time.sleep(AGAIN[min(tries, len(AGAIN) - 1)])
                tries += 1
            else:
                self._number += 1
                return answer

    def _reached(self, grpc: Any) -> "_Stream":
        if self._channel is None:
            mine = grpc.ssl_channel_credentials(self.peer.certificate, self.own.key, self.own.certificate)
            self._channel = grpc.secure_channel(self.address, mine, options=DRIVING)
        if self._stream is None:
            self._stream = _Stream.opened(self._channel.stream_stream(f"/{SERVICE}/{RUN}"), self._session, self.limits)
        return self._stream

    def _lost(self, grpc: Any, error: Any) -> AuditError:
        """Say in one sentence why no answer came."""
        codes, where, said = grpc.StatusCode, f"'{self.peer.name}' at {self.address}", str(error.details() or "")
        if error.code() is codes.FAILED_PRECONDITION:
            return BadPeer(f"'{self.peer.name}' refused: {said[:WORDS]}")
        if error.code() is codes.CANCELLED:
            return BadPeer(f"{where} did not answer within {self.deadline:g} s. Ask whether it is still at work.")
        if error.code() is not codes.UNAVAILABLE:
            return BadPeer(f"{where} could not answer ({error.code().name}). Its own log says why.")
        if "handshake" in said.lower() or "certificate" in said.lower():
            return BadPeer(
                f"Whoever is at {self.address} does not have the certificate of '{self.peer.name}', or does not accept "
                "ours. Compare fingerprints."
            )
        return BadPeer(f"{where} cannot be reached, or refuses our certificate. Is it listening, and the port open?")


@dataclass(eq=False)
class _Stream:
    """One connection while it lasts: what goes out waits in a queue, what comes in is read as messages."""

    outgoing: "SimpleQueue[bytes | None]"
    call: Any
    answers: Iterator[tuple[int, bytes]]
    _until: float = math.inf
    _closed: Event = field(default_factory=Event)

    @classmethod
    def opened(cls, call: Callable[..., Any], session: str, limits: Limits) -> "_Stream":
        """Begin to speak."""
        outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        made = call(iter(outgoing.get, None), metadata=(("seepage-session", session),))
        opened = cls(outgoing, made, _messages(made, limits))
        Thread(target=opened._watch, daemon=True).start()
        return opened

    def _watch(self) -> None:
        """Hang up when an answer takes too long: reading one has no time limit of its own."""
        while not self._closed.wait(LOOKING):
            if time.monotonic() > self._until:
                self.call.cancel()

    def exchanged(self, number: int, data: bytes, deadline: float) -> bytes:
        """Send one message and wait for the answer to it."""
        for piece in _pieces(number, data):
            self.outgoing.put(piece)
        self._until = time.monotonic() + deadline
        try:
            answered, answer = next(self.answers)
        except BaseException:
            self.close()
            raise
        self._until = math.inf
        if answered != number:
            raise BadMessage(f"Answer {answered} came to request {number}.")
        return answer

    def close(self) -> None:
        """Say nothing more."""
        self._closed.set()
        self.outgoing.put(None)


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
    _session: str | None = field(default=None, repr=False)
    _number: int = field(default=0, repr=False)
    _last: tuple[bytes, bytes] = field(default=(b"", b""), repr=False)

    def wait(self, silence: float) -> None:
        """Wait until the peer says that all is over, or say that it was silent for so many seconds."""
        while not self._over.wait(min(1.0, silence / 4)):
            with self._lock:  # whoever is at work is not silent
                quiet = time.monotonic() - self._heard
            if quiet > silence:
                raise BadPeer(f"'{self.peer.name}' has said nothing for {silence:g} s, and has not said goodbye.")

    def run(self, pieces: Iterable[bytes], context: Any) -> Iterator[bytes]:
        """Answer one request after the other, or refuse in one sentence that is logged here as well."""
        grpc = _grpc()
        try:
            session = self._greeted(context)
            for number, data in _messages(pieces, self.limits):
                yield from _pieces(number, self._answered(session, number, data))
        except grpc.RpcError:
            LOG.info("The connection to '%s' broke.", self.peer.name)
        except AuditError as error:
            LOG.warning("Refused '%s': %s", self.peer.name, error)
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(error)[:WORDS])
        except Exception:
            LOG.exception("A request of '%s' could not be answered.", self.peer.name)
            context.abort(grpc.StatusCode.INTERNAL, "")

    def _greeted(self, context: Any) -> str:
        """Return which run the peer is in, once it is certain that it is the peer."""
        if [fingerprint_of(one) for one in context.auth_context()["x509_pem_cert"]] != [self.peer.fingerprint]:
            raise BadPeer("The certificate is another one.")
        session = dict(context.invocation_metadata()).get("seepage-session")
        if not isinstance(session, str) or not 1 <= len(session) <= 64:
            raise BadMessage("A connection does not say to which run it belongs.")
        return session

    def _answered(self, session: str, number: int, data: bytes) -> bytes:
        """Answer a request once, however often it comes."""
        with self._lock:
            if self._session not in (None, session):
                raise BadMessage("Another run has begun here already. Start this side anew.")
            digest = sha256(data).digest()
            if number == self._number - 1 and digest == self._last[0]:
                return self._last[1]
            if number != self._number or self._over.is_set():
                raise BadMessage(f"Request {number} came where request {self._number} was expected.")
            answer = self._done(data)
            self._session, self._number, self._last = session, number + 1, (digest, answer)
            self._heard = time.monotonic()
            return answer

    def _done(self, data: bytes) -> bytes:
        if not data:
            self._over.set()
            return b""
        message = from_bytes(data, self.limits)
        if (message.sender, message.receiver) != (self.peer.name, self.own.name):
            raise BadMessage(f"A message from '{message.sender}' to '{message.receiver}' came over the wrong link.")
        return to_bytes(self.party.answer(message))


@contextmanager
def listening(party: Party, own: Identity, peer: Peer, address: str, limits: Limits = LIMITS) -> Iterator[Listener]:
    """Answer one peer at an address, and nobody else.

    Parameters
    ----------
    address
        HOST:PORT of an interface of this machine; port 0 takes one that is free.
    """
    grpc = _grpc()
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise BadPeer(f"'{address}' is no place to listen at. Give HOST:PORT, such as 127.0.0.1:7443.")
    listener = Listener(party, own, peer, limits)
    server = grpc.server(ThreadPoolExecutor(max_workers=STREAMS), options=LISTENING)
    answering = grpc.stream_stream_rpc_method_handler(listener.run)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {RUN: answering}),))
    credentials = grpc.ssl_server_credentials(
        [(own.key, own.certificate)], root_certificates=peer.certificate, require_client_auth=True
    )
    try:
        listener.port = server.add_secure_port(address, credentials)
    except RuntimeError as error:
        raise BadPeer(f"Nothing can listen at {address}. Is the port taken, or the address elsewhere?") from error
    server.start()
    try:
        yield listener
    finally:
        server.stop(grace=1.0).wait()


def _pieces(number: int, data: bytes) -> Iterator[bytes]:
    """Cut a message into pieces; before the first stand its number and its size."""
    view = memoryview(data)
    yield BEFORE.pack(number, len(data)) + view[:PIECE]
    for start in range(PIECE, len(data), PIECE):
        yield bytes(view[start : start + PIECE])


def _messages(pieces: Iterable[bytes], limits: Limits) -> Iterator[tuple[int, bytes]]:
    """Put messages together again, and stop where one is larger than it may be.

    >>> [(number, len(data)) for number, data in _messages(_pieces(3, bytes(2_500_000)), LIMITS)]
    [(3, 2500000)]
    """
    coming = iter(pieces)
    for first in coming:
        if len(first) < BEFORE.size:
            raise BadMessage("What came is no message of Seepage.")
        number, size = BEFORE.unpack_from(first)
        if size > limits.size:
            raise BadMessage(f"A message of {size:,} bytes came; {limits.size:,} are the most that is read.")
        kept, missing = [first[BEFORE.size :]], size - len(first) + BEFORE.size
        while missing > 0:
            piece = next(coming, b"")
            if not piece:
                raise BadMessage("A message ends before it is whole.")
            kept.append(piece)
            missing -= len(piece)
        if missing:
            raise BadMessage("A message is longer than it said.")
        yield number, b"".join(kept)


def _grpc() -> Any:
    """Import gRPC, which otherwise writes to standard error what is said here in a sentence."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        import grpc
    except ImportError as error:
        raise BadPeer("Links over a network need a package more: pip install 'seepage[grpc]'") from error
    return grpc
