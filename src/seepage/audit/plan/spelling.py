"""How the same thing is called on the command line and in Python."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from seepage.errors import AuditError

KEYWORDS: Final = {
    "--quick": "depth='quick'", "--standard": "depth='standard'", "--thorough": "depth='thorough'",
    "--no-properties": "properties=[]", "--add": "add",
    "--address": "address", "--adversary": "adversary", "--adversary-share": "adversary_share",
    "--attack": "attacks", "--data": "data", "--defense": "defenses", "--device": "device", "--encoding": "encoding",
    "--engine": "engine", "--federation": "federations", "--hide-model": "model=False",
    "--hide-predictions": "predictions=False", "--id": "id_column",
    "--impute": "impute=True", "--insecure-key": "insecure_key", "--isolate": "isolate=True", "--jobs": "jobs",
    "--keep-missing": "keep_missing=True", "--label": "label",
    "--labels-only": "labels_only", "--model": "settings", "--out": "out", "--overlap": "overlap",
    "--parties": "parties", "--partition": "partition", "--party": "parties", "--property": "properties",
    "--rows": "rows", "--scaling": "scaling", "--seeds": "seeds", "--set": "settings", "--split": "split",
    "--text": "text", "--threads": "threads", "--timeout": "timeout", "--vocabulary": "vocabulary", "--words": "words",
}  # fmt: skip
"""Options of the command line, and the keywords of `seepage.audit` that ask for the same.

Messages are written as the command line has it; whoever called from Python reads the keywords.
"""

_OPTION: Final = re.compile(
    r"(?P<option>--[a-z][a-z-]*)"
    r"(?: (?P<value>[A-Z0-9][A-Z0-9,]*\b(?![=\w])"  # such as COLUMN, or 1
    r"|[\w.\[\]/-]+=[^\s)]*?(?=[.,;:]?(?:[\s)]|$))))?"  # such as NAME=COLUMN,COLUMN, without the sentence's own dot
)


def in_keywords(message: str) -> str:
    """Say the same to somebody who called from Python.

    >>> in_keywords("people.csv is a file, so its label column must be named: add --label COLUMN.")
    "people.csv is a file, so its label column must be named: add label='COLUMN'."
    >>> in_keywords("Use one job or more (--jobs 1).")
    'Use one job or more (jobs=1).'
    >>> in_keywords("Give it to a party (--party NAME=COLUMN,COLUMN), or name one with --property COLUMN=VALUE.")
    "Give it to a party (parties={'NAME': ['COLUMN', 'COLUMN']}), or name one with properties=['COLUMN=VALUE']."
    """
    return _OPTION.sub(_keyword, message)


@contextmanager
def keywords_in_errors() -> Iterator[None]:
    """Let what goes wrong inside name keywords instead of options."""
    try:
        yield
    except AuditError as error:
        error.args = tuple(in_keywords(part) if isinstance(part, str) else part for part in error.args)
        raise


def _keyword(found: re.Match[str]) -> str:
    option, value = found["option"], found["value"]
    if option not in KEYWORDS:
        return found[0]
    keyword = KEYWORDS[option]
    if value is None:
        return keyword
    name, _, held = value.partition("=")
    if option == "--party":
        return f"{keyword}={ {name: [column for column in held.split(',') if column]} }"
    if option in {"--model", "--set"}:
        return f"{keyword}={{{name!r}: {held if held[:1].isdigit() or held == '…' else repr(held)}}}"
    if option in {"--property", "--adversary"}:
        return f"{keyword}={[value]}"
    return f"{keyword}={value if value.isdecimal() else repr(value)}"
