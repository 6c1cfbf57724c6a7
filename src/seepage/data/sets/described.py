"""What is told of the data sets that have a name: one file, ``sets.toml``, and the sources that it describes."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from seepage.data.sources import Source

DESCRIBED: Final[Mapping[str, Mapping[str, Any]]] = tomllib.loads(
    files("seepage.data.sets").joinpath("sets.toml").read_text(encoding="utf-8")
)
"""Data set → what the file says of it, in the order in which data sets are listed."""


def source_of(name: str, original: str | None = None) -> Source:
    """Return the prepared file of a data set, or one of those that it was made from.

    >>> source_of("adult").file, source_of("adult", "test").file
    ('adult.parquet', 'adult.test')
    """
    told = DESCRIBED[name]
    file = told if original is None else told["originals"][original]
    recognized = {key: file[key] for key in ("file", "sha256", "url", "packed", "contents") if key in file}
    return Source(name=name, home=told["home"], license=told.get("license", ""), **recognized)
