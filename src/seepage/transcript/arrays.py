"""Named arrays on disk: safetensors, read where they lie instead of being copied into memory."""

import json
import math
from collections.abc import Mapping
from mmap import ACCESS_COPY, MADV_DONTNEED, mmap
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.errors import BadTranscript
from seepage.files import write_private
from seepage.shapes import Array

LONGEST_HEADER: Final = 100_000_000
"""So many bytes may describe arrays, as in the library."""
TYPES: Final[Mapping[str, type[np.generic]]] = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "U32": np.uint32,
    "I32": np.int32, "U64": np.uint64, "I64": np.int64, "F16": np.float16, "F32": np.float32, "F64": np.float64,
}  # fmt: skip
BRAIN: Final = "BF16"
"""A float32 without its lower half, which NumPy has no name for."""


def write_arrays(arrays: Mapping[str, Array], path: Path) -> None:
    """Write named arrays as safetensors."""
    from safetensors.numpy import save

    write_private(path, save({name: np.asarray(array, order="C") for name, array in arrays.items()}))


def read_arrays(path: Path) -> dict[str, Array]:
    """Read named arrays; a safetensors file can hold numbers and nothing else.

    They stay in the file until somebody looks at them, so that many epochs take no memory by themselves. Whoever
    writes into one changes a copy.
    """
    refuse_links(path)
    if not path.is_file():
        raise BadTranscript(f"{path.parent} lacks {path.name}, which its index speaks of. Copy the folder whole.")
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= min(size - 8, LONGEST_HEADER):
                raise ValueError("no header")
            described = json.loads(file.read(length))
            held = mmap(file.fileno(), 0, access=ACCESS_COPY)
        described.pop("__metadata__", None)
        content = np.frombuffer(held, dtype=np.uint8)[8 + length :]
        return {name: _array(about, content) for name, about in described.items()}
    except (AttributeError, KeyError, OSError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise BadTranscript(f"{path} is truncated or not a safetensors file. Copy the folder again.") from error


def put_aside(arrays: Mapping[str, Array]) -> None:
    """Let go of the memory of arrays that were looked at and not written into; they stay in their file."""
    held = {id(base): base for array in arrays.values() if isinstance(base := _lies_in(array), mmap)}
    for one in held.values():
        if hasattr(one, "madvise"):
            one.madvise(MADV_DONTNEED)


def _lies_in(array: Array) -> object:
    """Return what an array is a part of."""
    base: object = array
    while isinstance(base, np.ndarray | memoryview):
        base = base.base if isinstance(base, np.ndarray) else base.obj
    return base


def refuse_links(path: Path) -> None:
    """Refuse a file that lies somewhere else: what a recording speaks of is inside its folder."""
    if path.is_symlink():
        raise BadTranscript(f"{path} is a link. Copy the file itself into the folder.")


def _array(about: Mapping[str, Any], held: Array) -> Array:
    """Return one array of a file."""
    begin, end = about["data_offsets"]
    shape, name = tuple(about["shape"]), about["dtype"]
    kind = np.dtype(np.uint16 if name == BRAIN else TYPES[name])
    numbers = (begin, end, *shape)
    if not all(type(number) is int and number >= 0 for number in numbers) or not begin <= end <= len(held):
        raise ValueError("places outside the file")
    if end - begin != math.prod(shape) * kind.itemsize:
        raise ValueError("another number of bytes than its shape has")
    found = np.asarray(held[begin:end])
    if begin % kind.itemsize:
        found = found.copy()  # not where such numbers can be read
    found = found.view(kind).reshape(shape)
    return (found.astype(np.uint32) << 16).view(np.float32) if name == BRAIN else found
