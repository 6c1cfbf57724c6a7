"""Where the files of a named data set come from: a folder of yours, the cache, their public home."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from seepage.errors import DataUnavailable

DATA_VARIABLE: Final = "SEEPAGE_DATA"


@dataclass(frozen=True)
class Source:
    """One file: what it is called, how it is recognized, and where it lives.

    Parameters
    ----------
    name
        The data set it belongs to.
    home
        The page that describes the original.
    sha256
        Digest of the file; where `packed`, of what it holds. A file without one is taken at its word.
    url
        What a download fetches; None where the file is a prepared edition that
        has no public address of its own.
    packed
        Whether `url` serves the file compressed with gzip. It is stored unpacked.
    contents
        What the file should hold, where everyone has to bring it along.
    """

    name: str
    file: str
    home: str
    license: str = ""
    sha256: str | None = None
    url: str | None = None
    packed: bool = False
    contents: str | None = None

    def find(self) -> Path | None:
        """Return the file from a local folder after checking its digest, or None."""
        path = find_file(self.file)
        if path is not None and self.sha256 is not None and (found := digest_of(path)) != self.sha256:
            raise DataUnavailable(
                f"'{path}' is not the file that data set '{self.name}' needs: its SHA-256 is {found}, "
                f"expected {self.sha256}. Remove it, or put the right file in its place."
            )
        return path

    def fetch(self) -> Path:
        """Return the file, downloading it where it has a public address."""
        path = self.find()
        if path is not None:
            return path
        if self.url is None:
            how = (
                f"It is a prepared edition of {self.home} that cannot be downloaded; put it into one of these folders, "
                "or read the original as a table of your own (--data FILE --label COLUMN)."
            )
            if self.contents is not None:
                how = f"It comes from {self.home} and is expected in one of these folders as {self.contents}."
            message = f"Data set '{self.name}' is not here: no file '{self.file}' in {searched()}. {how}"
            raise DataUnavailable(message, wanted(self.file, self.contents))
        # Imported late: most data sets are found locally, and listing them should not load the network code.
        from seepage.data.download import download

        return download(self, cache_folder())


def find_file(file: str) -> Path | None:
    """Look for a file in $SEEPAGE_DATA, then in the user's cache."""
    own = _own_folder()
    if own is not None and (own / file).is_file():
        return own / file  # where one is named, a machine without a cache does as well
    return next((folder / file for folder in local_folders() if (folder / file).is_file()), None)


def local_folders() -> tuple[Path, ...]:
    """Return the folders that are searched, in this order."""
    return tuple(folder for folder in (_own_folder(), cache_folder()) if folder is not None)


def searched() -> str:
    """Return the folders that are searched, in words."""
    own = _own_folder()
    first = f"'{own}' (${DATA_VARIABLE})" if own is not None else f"${DATA_VARIABLE} (not set)"
    return f"{first} or '{cache_folder()}'"


def wanted(file: str, contents: str | None) -> str:
    """Say which file is expected where, in one sentence and without naming a folder of this machine.

    >>> print(wanted("law_school.csv", "a CSV file with a column 'admit'"))
    not here: expected is 'law_school.csv' in $SEEPAGE_DATA, a CSV file with a column 'admit'
    """
    return f"not here: expected is '{file}' in ${DATA_VARIABLE}" + (f", {contents}" if contents else "")


def cache_folder() -> Path:
    """Return the folder in which downloads are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("seepage")


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _own_folder() -> Path | None:
    named = os.environ.get(DATA_VARIABLE)
    if not named:
        return None
    if not Path(named).is_dir():
        raise DataUnavailable(
            f"${DATA_VARIABLE} names '{named}', which is no folder. Point it at the folder that holds your data sets, "
            "or unset it."
        )
    return Path(named)
