"""Keys of a party, and how others know that it is the one they speak to: certificates that are known beforehand."""

import hashlib
import os
import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from seepage.errors import BadPeer
from seepage.files import check_place, private_folder, write_private

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

DAYS: Final = 90
"""How long keys are good for, unless asked otherwise."""
MOST_DAYS: Final = 825
LONGEST: Final = 64
"""Letters in a name, which a certificate can hold."""


@dataclass(frozen=True)
class Peer:
    """Another party, as its certificate says, which cannot be anybody else's."""

    name: str
    certificate: bytes = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """What both sides read out to each other, once, over a road that they trust."""
        return fingerprint_of(self.certificate)


@dataclass(frozen=True)
class Identity(Peer):
    """A party and where its private key lies, which no message, log or report ever holds."""

    folder: Path

    @property
    def file(self) -> Path:
        """The certificate, as others have it."""
        return self.folder / f"{self.name}.crt"

    @property
    def key_file(self) -> Path:
        """The private key."""
        return self.folder / f"{self.name}.key"


def make_keys(name: str, folder: Path, days: int = DAYS) -> Identity:
    """Make a key pair: NAME.key stays where it is, NAME.crt goes to the partner."""
    x509 = _x509()
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        check_name(name)
    except ValueError as error:
        raise BadPeer(str(error)) from error
    if not 1 <= days <= MOST_DAYS:
        raise BadPeer(f"Keys cannot be good for {days} days. Give 1 to {MOST_DAYS}.")
    for file in (folder / f"{name}.key", folder / f"{name}.crt"):
        if file.exists():
            known = _known_fingerprint(folder / f"{name}.crt")
            raise BadPeer(f"{file} is there already, and may be in use{known}. Move it away, or choose another name.")
    key = ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(called)
        .issuer_name(called)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))  # clocks differ
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    own = Identity(name, made.public_bytes(serialization.Encoding.PEM), folder)
    private_folder(check_place(folder))
    write_private(own.key_file, secret)
    write_private(own.file, own.certificate)
    return own


def check_name(name: str) -> None:
    """Refuse a name that cannot be in a certificate, and be that of a file.

    >>> check_name("../shop")
    Traceback (most recent call last):
        ...
    ValueError: '../shop' cannot be in a certificate. Use 1 to 64 letters, digits, dashes or dots.
    """
    if not 0 < len(name) <= LONGEST or not all(one.isalnum() or one in "-_." for one in name) or name.startswith("."):
        raise ValueError(f"'{name}' cannot be in a certificate. Use 1 to {LONGEST} letters, digits, dashes or dots.")


def is_fingerprint(written: str) -> bool:
    """Whether this is a fingerprint, however it was written down.

    >>> is_fingerprint("AB:cd " * 16), is_fingerprint("zz")
    (True, False)
    """
    plain = _plain(written)
    return len(plain) == 64 and all(letter in "0123456789abcdef" for letter in plain)


def read_identity(folder: Path, name: str) -> Identity:
    """Read a party's own keys, or say what is wrong with them."""
    path = folder / f"{name}.key"
    certificate = _checked(_bytes(folder / f"{name}.crt"), folder / f"{name}.crt", name)
    key = _bytes(path)
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadPeer(f"{path} can be read by others, and is no secret then. Make new keys, and keep them to yourself.")
    if _public(key, path) != _public_of(certificate):
        raise BadPeer(f"{path} does not belong to {name}.crt. Give both as 'seepage keys {name}' made them.")
    return Identity(name, certificate, folder)


def read_peer(path: Path, name: str, fingerprint: str) -> Peer:
    """Read another party's certificate, and see that it is the one whose fingerprint was read out."""
    certificate = _checked(_bytes(path), path, name)
    found = fingerprint_of(certificate)
    if _plain(found) != _plain(fingerprint):
        raise BadPeer(
            f"{path} has the fingerprint {found}, but '{name}' was to have {fingerprint}. Somebody may have swapped "
            "it on its way: ask for it again, and have the fingerprint read out to you."
        )
    return Peer(name, certificate)


def fingerprint_of(certificate: bytes) -> str:
    """Return the SHA-256 of a certificate, in groups that can be read out."""
    from cryptography.hazmat.primitives.serialization import Encoding

    digest = hashlib.sha256(_loaded(certificate).public_bytes(Encoding.DER)).hexdigest()
    return " ".join(digest[start : start + 4] for start in range(0, len(digest), 4))


def _known_fingerprint(path: Path) -> str:
    """Say which fingerprint a certificate has that is there: it may have been forgotten."""
    try:
        return f" (fingerprint {fingerprint_of(path.read_bytes())})"
    except (OSError, ValueError):
        return ""


def _plain(fingerprint: str) -> str:
    """Return a fingerprint however it was written down.

    >>> _plain("AB:cd 12")
    'abcd12'
    """
    return "".join(letter for letter in fingerprint.lower() if letter not in " :-")


def _checked(certificate: bytes, path: Path, name: str) -> bytes:
    """See that a certificate is one, is of this party and is good today."""
    try:
        found = _loaded(certificate)
    except ValueError as error:
        raise BadPeer(f"{path} is no certificate. Give the .crt file that 'seepage keys {name}' made.") from error
    held = [str(attribute.value) for attribute in found.subject.get_attributes_for_oid(_x509().NameOID.COMMON_NAME)]
    if held != [name]:
        raise BadPeer(f"{path} is the certificate of '{held[0] if held else 'nobody'}', not of '{name}'.")
    now = datetime.now(UTC)
    if not found.not_valid_before_utc <= now <= found.not_valid_after_utc:
        raise BadPeer(
            f"{path} is good from {found.not_valid_before_utc:%Y-%m-%d} to {found.not_valid_after_utc:%Y-%m-%d}, and "
            f"not today. Make new keys ('seepage keys {name}') and read out their fingerprint."
        )
    from cryptography.hazmat.primitives.serialization import Encoding

    return found.public_bytes(Encoding.PEM)  # and nothing that stood around it


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadPeer(f"{path} cannot be read ({error.strerror}). Make keys with 'seepage keys NAME'.") from error


def _loaded(certificate: bytes) -> "Certificate":
    found: Certificate = _x509().load_pem_x509_certificate(certificate)
    return found


def _public(key: bytes, path: Path) -> Any:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(key, None).public_key()
    except (TypeError, ValueError) as error:
        raise BadPeer(f"{path} is no private key. Make keys with 'seepage keys NAME'.") from error


def _public_of(certificate: bytes) -> Any:
    return _loaded(certificate).public_key()


def _x509() -> Any:
    try:
        from cryptography import x509
    except ImportError as error:
        raise BadPeer("Keys need a package more. Install it with: pip install 'seepage[hosts]'") from error
    return x509
