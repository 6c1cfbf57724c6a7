"""One TLS connection between two parties: who is at the other end, and where a message begins and ends.

On the wire: whoever listens says that the certificate is accepted, the driver greets with a mark, the version and
the name of the run; then messages go to and fro, before each its number, what it is, and its size.
"""

import select
import socket
import ssl
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from seepage.errors import BadMessage, BadPeer
from seepage.links.keys import Identity, Peer, fingerprint_of
from seepage.links.wire import Limits

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
SHORT: Final = 0.0005
"""Seconds that one looks for something to come before one goes to sleep over it."""
PIECE: Final = 1 << 20
"""Bytes that are read or written at a time."""
HANDSHAKE: Final = 10.0
"""Seconds that somebody has to show a certificate and to greet."""
WINDOW: Final = 8
"""Requests that may wait for an answer at a time, and answers that are kept in case they get lost."""


def secured(protocol: int, own: Identity, peer: Peer) -> ssl.SSLContext:
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


def check_certificate(connection: ssl.SSLSocket, peer: Peer) -> None:
    """See once more that it is this very certificate, and not one that it has signed."""
    shown = connection.getpeercert(binary_form=True)
    if shown is None or fingerprint_of(ssl.DER_cert_to_PEM_cert(shown).encode()) != peer.fingerprint:
        raise BadPeer(f"The certificate is not that of '{peer.name}'.")


def prepare(connection: socket.socket) -> None:
    """Send what is short at once, and notice when the other end is gone."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def cut(connection: socket.socket) -> None:
    """Hang up, whoever is reading or writing: below TLS, since `SSLSocket.shutdown` would go on in the clear."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def plain_words(words: str) -> str:
    r"""Return what somebody else said, without what a terminal would take for an order.

    >>> plain_words("no\x1b[2J more")
    'no?[2J more'
    """
    return "".join(letter if letter.isprintable() else "?" for letter in words[:WORDS])


def framed(number: int, what: int, data: bytes) -> bytes:
    """Put before a message which it is."""
    return BEFORE.pack(number, what, len(data)) + data


def write(connection: ssl.SSLSocket, number: int, what: int, data: bytes) -> None:
    """Write one message, and before it which it is."""
    connection.sendall(framed(number, what, data))


@dataclass
class Waits:
    """How long messages were waited for lately: where that is next to nothing, looking is quicker than sleeping.

    To be woken takes a good part of what a batch of training takes. Over long roads, and while others need the
    processor, waits are longer than `SHORT`, and nobody looks.
    """

    usual: float = 0.0

    def for_something(self, connection: ssl.SSLSocket) -> None:
        """Look for a while whether something has come, where that is likely."""
        if connection.pending() or self.usual > SHORT:
            return
        watch, until = select.poll(), time.perf_counter() + SHORT
        watch.register(connection.fileno(), select.POLLIN)
        while not watch.poll(0) and time.perf_counter() < until:
            continue

    def took(self, seconds: float) -> None:
        """Remember a wait; single long ones, as between epochs, are no habit."""
        self.usual += (min(seconds, 10 * SHORT) - self.usual) / 16


def read(
    connection: ssl.SSLSocket,
    limits: Limits,
    until: float | None,
    waits: Waits,
    came: Callable[[], None] = lambda: None,
) -> tuple[int, int, bytes]:
    """Read one message, but none that is larger than it may be."""
    begin = time.perf_counter()
    waits.for_something(connection)
    first = exactly(connection, BEFORE.size, until, came)
    waits.took(time.perf_counter() - begin)
    number, what, size = BEFORE.unpack(first)
    if size > limits.size:
        raise BadMessage(f"A message of {size:,} bytes came; {limits.size:,} are the most that is read.")
    return number, what, exactly(connection, size, until, came)


def exactly(
    connection: ssl.SSLSocket, size: int, until: float | None, came: Callable[[], None] = lambda: None
) -> bytes:
    """Read so many bytes; memory grows as they come, and not because somebody says that they will."""
    kept, missing = [], size
    while missing:
        if until is not None and not connection.pending():
            connection.settimeout(max(0.001, until - time.monotonic()))
        piece = connection.recv(min(missing, PIECE))
        if not piece:
            raise ConnectionError("The connection was closed.")
        came()
        kept.append(piece)
        missing -= len(piece)
    return kept[0] if len(kept) == 1 else b"".join(kept)
