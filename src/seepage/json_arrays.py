"""Plain values as an array of bytes, so that they can travel beside arrays."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from seepage.shapes import Array


def to_array(values: Mapping[str, Any]) -> Array:
    """Write plain values as UTF-8 JSON.

    >>> from_array(to_array({"columns": ["age"], "width": 3}))
    {'columns': ['age'], 'width': 3}
    """
    return np.frombuffer(json.dumps(values, ensure_ascii=False).encode(), dtype=np.uint8).copy()


def from_array(array: Array) -> dict[str, Any]:
    """Read what `to_array` wrote."""
    try:
        values = json.loads(np.asarray(array, dtype=np.uint8).tobytes().decode())
    except (RecursionError, ValueError) as error:
        raise ValueError("a description that is not JSON") from error
    if not isinstance(values, dict):
        raise ValueError("a description that is not a JSON object")
    return values
