"""What is told of the tables of a paper: what they are called, what is said of them, and what the paper prints."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

PAPERS: Final = {"label": "labels", "feature": "features", "provfl": "properties", "tree": "trees"}
"""What names of tables begin with → the folder of a paper."""


def described(folder: str) -> dict[str, Mapping[str, Any]]:
    """Read ``tables.toml`` of a paper: table → what is told of it, with the sentences that several notes share.

    >>> print(described("trees")["figure6"]["title"])
    Figure 6 of paper 003: attacks by the depth of trees
    """
    told = tomllib.loads(files("seepage.papers").joinpath(folder, "tables.toml").read_text(encoding="utf-8"))
    shared = told.pop("shared")
    return {name: {**table, "note": table["note"].format(**shared)} for name, table in told.items()}
