"""Turn typed columns into a matrix of numbers, learning from training rows alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from seepage.data.indicators import Indicators, hashed, one_hot, ordinal
from seepage.data.scaling import Scale, ScalingKind, learned_scale, pixel_scales, scaled_pixels
from seepage.data.table import Column, Table
from seepage.data.text import pushed_together
from seepage.errors import BadTable
from seepage.layouts import ImageShape, TextShape
from seepage.shapes import Array, Matrix, Rows

EncodingKind: TypeAlias = Literal["one-hot", "ordinal", "hash"]
MissingKind: TypeAlias = Literal["fill", "keep"]


@dataclass(frozen=True)
class Encoding:
    """How categories become numbers, and how numbers are scaled.

    Parameters
    ----------
    kind
        Categories become one indicator each (``one-hot``), their place in the
        alphabet (``ordinal``), or one of `hash_width` indicators (``hash``).
    scaling
        Numbers get mean 0 and deviation 1 (``standard``), or move into [0, 1]
        by the public range of the column, else that of the training rows, and
        are clipped (``minmax``). Indicators stay 0 and 1.
    missing
        Missing numbers become the median of the training rows (``fill``), or
        stay missing for federations that can follow them (``keep``).

    Examples
    --------
    >>> Encoding(kind="ordinal", scaling="minmax")
    Encoding(kind='ordinal', scaling='minmax', hash_width=32, missing='fill')
    """

    kind: EncodingKind = "one-hot"
    scaling: ScalingKind = "standard"
    hash_width: int = 32
    missing: MissingKind = "fill"

    def __post_init__(self) -> None:
        if self.kind not in get_args(EncodingKind):
            raise ValueError(f"kind must be one of {', '.join(get_args(EncodingKind))}, got {self.kind!r}")
        if self.scaling not in get_args(ScalingKind):
            raise ValueError(f"scaling must be one of {', '.join(get_args(ScalingKind))}, got {self.scaling!r}")
        if self.missing not in get_args(MissingKind):
            raise ValueError(f"missing must be one of {', '.join(get_args(MissingKind))}, got {self.missing!r}")
        if self.hash_width < 1:
            raise ValueError(f"hash_width must be 1 or more, got {self.hash_width}")


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table as numbers.

    Parameters
    ----------
    matrix
        Rows by encoded columns, 32-bit.
    names
        The encoded columns, such as ``age`` and ``job=clerk``.
    attributes
        For each encoded column, the index in `columns` of its attribute.
    columns
        The attributes that were encoded.
    limits
        The least and the largest value of each encoded column: its public
        range, else that of the training rows.
    """

    matrix: Matrix
    names: tuple[str, ...]
    attributes: Array
    columns: tuple[str, ...]
    limits: Matrix


def encode(table: Table, train: Rows, encoding: Encoding, columns: Sequence[str] | None = None) -> Encoded:
    """Encode all columns, or those named in the order given.

    What is learned (levels, medians, means, ranges) is learned from the rows
    `train` alone, so that nothing about test rows can reach training rows.

    Notes
    -----
    Pixels of a picture are scaled by one mean and deviation per channel, over
    the pixels that are encoded together: a party that holds half a picture
    scales by what it can see itself.

    Words of a text keep their numbers, whatever the encoding says, and move to
    the front of the columns that are encoded together.
    """
    chosen = table.column_names if columns is None else tuple(columns)
    attributes = tuple(table[name] for name in chosen)
    if isinstance(table.layout, ImageShape) and attributes:
        return _encode_pixels(table.layout.channel_of(table.places(chosen)), attributes, train, encoding)
    if isinstance(table.layout, TextShape) and attributes:
        return _encode_words(table.layout, attributes)
    fitted = [_fit(column, train, encoding) for column in attributes]
    widths = [1 if isinstance(how, Scale) else len(how.names) for _, how in fitted]
    matrix = np.zeros((table.rows, sum(widths)), dtype=np.float32)
    for (column, how), stop, width in zip(fitted, np.cumsum(widths), widths, strict=True):
        block = matrix[:, stop - width : stop]
        if isinstance(how, Scale):
            block[:, 0] = _in_32_bits(table.name, column, how.applied(column.values))
        else:
            how.write(column.values, block)
    names = [name for column, how in fitted for name in ((column.name,) if isinstance(how, Scale) else how.names)]
    limits = [
        pair for (column, how), width in zip(fitted, widths, strict=True) for pair in _limits(column, how, train, width)
    ]
    ranges = np.array(limits, dtype=np.float64).reshape(-1, 2)
    return Encoded(matrix, tuple(names), np.repeat(np.arange(len(chosen)), widths), chosen, ranges)


def _in_32_bits(name: str, column: Column, scaled: Array) -> Matrix:
    """Refuse a number that is finite, but not as a model reads it: one far beyond what training rows vary by."""
    with np.errstate(over="ignore"):
        narrow = scaled.astype(np.float32)
    beyond = np.flatnonzero(np.isinf(narrow))
    if len(beyond):
        raise BadTable(
            f"{name}: column '{column.name}' holds {column.values[beyond[0]]:.4g} in row {beyond[0] + 1}, so much more "
            "than other rows that 32 bits cannot hold it once the column is scaled. Mend the cell, or use "
            "--scaling minmax, which clips."
        )
    return narrow


def _limits(column: Column, how: Scale | Indicators, train: Rows, width: int) -> list[tuple[float, float]]:
    """Return the range of each encoded column: its public limits, else those of the training rows."""
    if not isinstance(how, Scale) or how.clip:
        return [(0.0, 1.0)] * width
    ends = np.asarray(column.limits if column.limits is not None else column.values[train], dtype=np.float64)
    scaled = how.applied(ends)
    held = scaled[np.isfinite(scaled)]
    return [(float(held.min()), float(held.max())) if held.size else (0.0, 1.0)]


def _fit(column: Column, train: Rows, encoding: Encoding) -> tuple[Column, Scale | Indicators]:
    if column.is_categorical and encoding.kind == "one-hot":
        return column, one_hot(column, train)
    if column.is_categorical and encoding.kind == "hash":
        return column, hashed(column, encoding.hash_width)
    numeric = ordinal(column, train) if column.is_categorical else column
    scale = learned_scale(numeric, train, encoding.scaling)
    if encoding.missing == "fill":
        return numeric, scale
    gaps = np.where(column.values < 0, np.nan, numeric.values) if column.is_categorical else numeric.values
    return Column(numeric.name, gaps, limits=numeric.limits), replace(scale, fill=np.nan)


def _encode_pixels(channels: Array, pixels: tuple[Column, ...], train: Rows, encoding: Encoding) -> Encoded:
    names = tuple(pixel.name for pixel in pixels)
    shift, width = pixel_scales(pixels, channels, train, encoding.scaling)
    matrix = scaled_pixels(pixels, shift, width, clip=encoding.scaling == "minmax")
    ends = np.stack((matrix[train].min(axis=0), matrix[train].max(axis=0)), axis=1).astype(np.float64)
    if encoding.scaling == "minmax":
        ends[:] = (0.0, 1.0)
    return Encoded(matrix, names, np.arange(len(names)), names, ends)


def _encode_words(text: TextShape, words: tuple[Column, ...]) -> Encoded:
    names = tuple(word.name for word in words)
    matrix = pushed_together(np.stack([word.values for word in words], axis=1)).astype(np.float32)
    limits = np.tile([0.0, text.vocabulary - 1.0], (len(names), 1))
    return Encoded(matrix, names, np.arange(len(names)), names, limits)
