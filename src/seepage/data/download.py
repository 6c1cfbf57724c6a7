"""Fetch a file from its public home; it only ever appears whole and checked."""

import hashlib
import os
import tempfile
import zlib
from http.client import HTTPException, HTTPMessage, HTTPResponse
from pathlib import Path
from typing import IO, Final, NoReturn
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from seepage.data.sources import Source, searched, wanted
from seepage.errors import DataUnavailable

TIMEOUT_SECONDS: Final = 30.0
CHUNK: Final = 1 << 20
GZIP: Final = 16 + zlib.MAX_WBITS
LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def download(source: Source, folder: Path) -> Path:
    """Fetch a file into a folder under a temporary name, check it, and only then give it its own."""
    assert source.url is not None
    _refuse_insecure(source, source.url)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
    except OSError as error:
        raise DataUnavailable(f"'{folder}' cannot be written to ({error.strerror}); free or mend it.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            found = _receive(source, file)
        if found != source.sha256:
            raise DataUnavailable(
                f"{source.url} is not the file that data set '{source.name}' needs: its SHA-256 is {found}, "
                f"expected {source.sha256}. It may have changed at its home ({source.home}); nothing was kept."
            )
        os.replace(temporary, folder / source.file)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return folder / source.file


def _receive(source: Source, file: IO[bytes]) -> str:
    """Write what arrives, unpacked, and return its digest."""
    assert source.url is not None
    opener = build_opener(_SecureRedirects(source))
    digest, received = hashlib.sha256(), 0
    unpacker = zlib.decompressobj(GZIP) if source.packed else None
    try:
        request = Request(source.url, headers={"User-Agent": "seepage"})  # noqa: S310 (the scheme was checked)
        with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
            while chunk := response.read(CHUNK):
                received += len(chunk)
                content = unpacker.decompress(chunk) if unpacker else chunk
                digest.update(content)
                file.write(content)
            _refuse_part(source, response, received)
    except HTTPError as error:
        error.close()
        _give_up(source, f"its home answered {error.code}")
    except (OSError, HTTPException) as error:
        _give_up(source, f"its home cannot be reached ({_reason(error)})")
    except zlib.error:
        _give_up(source, "what arrived is not compressed with gzip")
    return digest.hexdigest()


def _refuse_part(source: Source, response: HTTPResponse, received: int) -> None:
    announced = response.headers.get("Content-Length")
    if announced is not None and received < int(announced):
        _give_up(source, f"the download broke off after {received} of {announced} bytes")


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    return str(getattr(reason, "strerror", None) or reason or type(error).__name__)


def _give_up(source: Source, why: str) -> NoReturn:
    packed = " (unpacked)" if source.packed else ""
    raise DataUnavailable(
        f"Data set '{source.name}' is not here: no file '{source.file}' in {searched()}, and {source.url} could not be "
        f"downloaded: {why}. Fetch it elsewhere and put it into one of these folders as '{source.file}'{packed}.",
        wanted(source.file, source.contents),
    ) from None


def _refuse_insecure(source: Source, url: str) -> None:
    parts = urlsplit(url)
    # A server on this very machine stands in for the public home in tests.
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise DataUnavailable(
            f"Data set '{source.name}' would be fetched from {url}, but only https is allowed. "
            f"Get it from {source.home} by hand."
        )


class _SecureRedirects(HTTPRedirectHandler):
    """Follow a redirect only to where a download may start as well."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        try:
            _refuse_insecure(self.source, newurl)
        except DataUnavailable:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)
