"""A message as bytes and back: what a wire carries, and nothing in it that could run.

Four bytes that say what this is, one for the version, four for the length of a header, the header as JSON, and then the
bytes of every array, one after the other.
"""

import json
import struct
from dataclasses import dataclass
from math import prod
from typing import Annotated, Final, Literal, TypeAlias, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from seepage.errors import BadMessage
from seepage.messages import Kind, Message
from seepage.shapes import Array

MARK: Final = b"seep"
VERSION: Final = 1
ROWS: Final = "rows"
"""The first array of every message: the rows that it speaks about."""
_BEGIN: Final = struct.Struct("<4sBI")
_Number: TypeAlias = Annotated[int, Field(ge=-1, lt=2**62)]
_Size: TypeAlias = Annotated[int, Field(ge=0, lt=2**40)]
_Type: TypeAlias = Literal[
    "|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"
]  # numbers alone: an object would have to be unpickled


_TYPES: Final = frozenset(get_args(_Type))


class _Array(BaseModel):
    """What one array is: the bytes follow the header."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    dtype: _Type
    shape: Annotated[tuple[_Size, ...], Field(max_length=8)]


class _Header(BaseModel):
    """All of a message but the contents of its arrays."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    sender: str
    receiver: str
    epoch: _Number
    step: _Number
    arrays: tuple[_Array, ...]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How large a message may be that is read.

    Parameters
    ----------
    size
        Bytes of all of it.
    header
        Bytes of the header.
    """

    size: int = 1 << 30
    header: int = 1 << 20


LIMITS: Final = Limits()


def to_bytes(message: Message) -> bytes:
    """Write a message.

    >>> told = Message(Kind.EMBEDDING, "shop", "bank", 0, 7, np.array([3, 1]), {"embedding": np.eye(2)})
    >>> heard = from_bytes(to_bytes(told))
    >>> heard.receiver, heard.step, heard.rows, heard.payload["embedding"].flags.writeable
    ('bank', 7, array([3, 1]), False)
    """
    named = {ROWS: message.rows, **message.payload}
    arrays = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for name, array in named.items()}
    if any(array.dtype.str not in _TYPES for array in arrays.values()):
        raise BadMessage(f"A message of kind '{message.kind}' holds something else than numbers, and cannot be sent.")
    told = [{"name": name, "dtype": array.dtype.str, "shape": named[name].shape} for name, array in arrays.items()]
    place = {"kind": message.kind, "sender": message.sender, "receiver": message.receiver}
    header = json.dumps({**place, "epoch": int(message.epoch), "step": int(message.step), "arrays": told})
    written = header.encode()
    contents = (array.tobytes() for array in arrays.values())
    return b"".join([_BEGIN.pack(MARK, VERSION, len(written)), written, *contents])


def from_bytes(data: bytes, limits: Limits = LIMITS) -> Message:
    """Read a message that somebody else wrote; its arrays cannot be written to."""
    if len(data) > limits.size:
        raise BadMessage(f"A message of {len(data):,} bytes came; {limits.size:,} are the most that is read.")
    if len(data) < _BEGIN.size or not data.startswith(MARK):
        raise BadMessage("What came is no message of Seepage.")
    _, version, length = _BEGIN.unpack_from(data)
    if version != VERSION:
        raise BadMessage(f"A message of version {version} came; this is version {VERSION}. All sides need the same.")
    begin = _BEGIN.size + length
    if length > limits.header or begin > len(data):
        raise BadMessage("The header of a message is longer than it may be, or than what came.")
    try:
        header = _Header.model_validate_json(data[_BEGIN.size : begin])
    except ValidationError as error:
        raise BadMessage("The header of a message does not say kind, parties, epoch, step and arrays.") from error
    arrays = _arrays(header, data, begin)
    rows = arrays.pop(ROWS, None)
    if rows is None or rows.dtype != np.int64 or rows.ndim != 1:
        raise BadMessage("A message does not say which rows it is about.")
    return Message(header.kind, header.sender, header.receiver, header.epoch, header.step, rows, arrays)


def _arrays(header: _Header, data: bytes, begin: int) -> dict[str, Array]:
    """Return the arrays that follow a header, as views of what came."""
    arrays: dict[str, Array] = {}
    for told in header.arrays:
        dtype, count = np.dtype(told.dtype), prod(told.shape)
        end = begin + count * dtype.itemsize
        if end > len(data) or told.name in arrays:
            raise BadMessage("A message ends before its last array does, or names an array twice.")
        try:
            arrays[told.name] = np.frombuffer(data, dtype, count, begin).reshape(told.shape)
        except ValueError as error:  # nothing times far too much
            raise BadMessage("An array of a message has a shape that nothing has.") from error
        begin = end
    if begin != len(data):
        raise BadMessage("A message goes on after its last array.")
    return arrays
