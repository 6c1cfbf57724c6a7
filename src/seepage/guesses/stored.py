"""Guesses as bytes: JSON for what is said of the arrays, safetensors for the arrays, nothing that can run.

A guess may come from code that nobody here has read, so that these bytes are never unpickled. They are: the
length of the JSON (eight bytes, the least first), the JSON, and a safetensors file.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, cast, get_args

import numpy as np

from seepage.errors import BadGuess
from seepage.guesses.kinds import Branches, Guess, NormHistograms
from seepage.shapes import Array

VERSION: Final = 1
_LENGTH: Final = 8
_GUESSES: Final[dict[str, type[Any]]] = {kind.__name__: kind for kind in get_args(Guess)}
_PARTS: Final[dict[str, type[Any]]] = {**_GUESSES, **{kind.__name__: kind for kind in (Branches, NormHistograms)}}
_NUMBERS: Final = "biuf"


def guess_to_bytes(guess: Guess) -> bytes:
    """Write a guess so that `guess_from_bytes` gives back the same bits.

    >>> from seepage.guesses import LabelGuess
    >>> guess = LabelGuess(np.array([5, 9]), np.array([[0.25, 0.75], [0.5, 0.5]]), notes={"epoch": 3.0})
    >>> again = guess_from_bytes(guess_to_bytes(guess))
    >>> again.rows, again.labels, dict(again.notes)
    (array([5, 9]), array([1, 0]), {'epoch': 3.0})
    """
    from safetensors.numpy import save

    kind = next((name for name, kind in _GUESSES.items() if isinstance(guess, kind)), None)
    if kind is None:
        raise BadGuess(f"a {type(guess).__name__} is no guess; return one of {', '.join(_GUESSES)}.")
    arrays: dict[str, Array] = {}
    header = json.dumps({"version": VERSION, "guess": _out(guess, arrays)}).encode()
    return len(header).to_bytes(_LENGTH, "little") + header + save(arrays)


def guess_from_bytes(content: bytes) -> Guess:
    """Read a guess, or refuse what is none.

    >>> guess_from_bytes(b"nothing")
    Traceback (most recent call last):
        ...
    seepage.errors.BadGuess: what came back is no guess that can be read.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        end = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
        header = json.loads(content[_LENGTH:end])
        if header["version"] != VERSION:
            raise ValueError(f"version {header['version']}")
        guess = _in(header["guess"], load(content[end:]))
        if not isinstance(guess, tuple(_GUESSES.values())):
            raise TypeError(f"a {type(guess).__name__}")
    except (
        AttributeError, IndexError, KeyError, OverflowError, RecursionError, SafetensorError, TypeError, ValueError,
    ) as error:  # fmt: skip
        raise BadGuess("what came back is no guess that can be read.") from error
    return cast("Guess", guess)


def _out(value: Any, arrays: dict[str, Array]) -> Any:
    """Return a value for JSON; arrays are put aside under a number."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in _NUMBERS or value.dtype.itemsize > 8:
            raise BadGuess(f"an array of {value.dtype} cannot be scored; make it one of numbers.")
        name = str(len(arrays))
        arrays[name] = np.asarray(value, dtype=value.dtype.newbyteorder("="), order="C")
        return {"array": name}
    if is_dataclass(value) and not isinstance(value, type):
        kind = next(name for name, kind in _PARTS.items() if isinstance(value, kind))
        return {
            "kind": kind,
            "fields": {field.name: _out(getattr(value, field.name), arrays) for field in fields(_PARTS[kind])},
        }
    if isinstance(value, Mapping):
        return {"pairs": [[_out(key, arrays), _out(one, arrays)] for key, one in value.items()]}
    if isinstance(value, tuple | list):
        return [_out(one, arrays) for one in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str | bool | int | float):
        return value
    raise BadGuess(f"a {type(value).__name__} has no place in a guess; it is made of arrays, numbers and names.")


def _in(value: Any, arrays: Mapping[str, Array]) -> Any:
    if isinstance(value, list):
        return tuple(_in(one, arrays) for one in value)
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    if "pairs" in value:
        return {_in(key, arrays): _in(one, arrays) for key, one in value["pairs"]}
    return _PARTS[value["kind"]](**{name: _in(one, arrays) for name, one in value["fields"].items()})
