"""Machine code for adding rows up by bins and by groups."""

from functools import cache
from typing import Any, Final

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic

from seepage.shapes import Array, Integers
from seepage.threads import over_ranges

WIDEST: Final = 32
"""Rows with more slots are added in slices, as one kernel is compiled for each number of slots."""


def _define_add_slots(typing_context: Any, into: Any, at: Any, values: Any, start: Any, width: Any) -> Any:  # noqa: ARG001
    """Compile ``into[at : at + width] += values[start : start + width]`` as one vector addition.

    Written as a loop, LLVM has to allow for arrays that overlap and adds slot after slot, half as fast at ten slots.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del signature  # the types are those above
        places = []
        for kind, array, offset in ((into, arguments[0], arguments[1]), (values, arguments[2], arguments[3])):
            data = context.make_array(kind)(context, builder, array).data
            vector = ir.VectorType(ir.IntType(kind.dtype.bitwidth), width.literal_value)
            places.append((builder.bitcast(builder.gep(data, [offset]), vector.as_pointer()), kind.dtype.bitwidth // 8))
        (target, target_bytes), (source, source_bytes) = places
        total, more = builder.load(target, align=target_bytes), builder.load(source, align=source_bytes)
        if more.type != total.type:
            more = builder.sext(more, total.type)
        builder.store(builder.add(total, more), target, align=target_bytes)
        return context.get_dummy_value()

    if not isinstance(width, types.IntegerLiteral):
        return None  # ask again with the number itself: it is known when the kernel is compiled
    return types.void(into, types.uintp, values, types.uintp, width), generate


_add_slots: Any = intrinsic(_define_add_slots)


@cache
def _bin_kernel(slots: int) -> Any:
    """Return the histogram kernel for rows with this many slots."""

    @njit(cache=True, nogil=True)
    def add(
        values: Array, rows: Integers, starts: Integers, codes: Array, bins: int, first: int, last: int, sums: Integers
    ) -> None:
        for part in range(starts.size - 1):
            ahead = np.uintp(part) * np.uintp(codes.shape[1])
            for i in range(starts[part], starts[part + 1]):
                row = np.uintp(rows[i])
                for column in range(first, last):
                    place = (ahead + np.uintp(column)) * np.uintp(bins) + np.uintp(codes[row, column])
                    _add_slots(sums, place * np.uintp(slots), values, row * np.uintp(slots), slots)

    return add


@cache
def _group_kernel(slots: int) -> Any:
    """Return the kernel that adds groups of rows with this many slots."""

    @njit(cache=True, nogil=True)
    def add(values: Array, order: Integers, starts: Integers, sums: Integers) -> None:
        for group in range(starts.size - 1):
            for i in range(starts[group], starts[group + 1]):
                _add_slots(sums, np.uintp(group) * np.uintp(slots), values, np.uintp(order[i]) * np.uintp(slots), slots)

    return add


def bin_sums(values: Array, rows: Integers, starts: Integers, codes: Array, bins: int) -> Integers:
    """Add parts of the rows up by the bins of every column; the arguments must have been checked."""
    columns = codes.shape[1]
    sums = np.zeros(((starts.size - 1) * columns * bins, values.shape[1]), dtype=np.int64)
    for low in range(0, values.shape[1], WIDEST):
        part, total = _slices(values, sums, low)
        kernel, flat, into = _bin_kernel(part.shape[1]), part.ravel(), total.ravel()
        over_ranges(
            lambda first, last, kernel=kernel, flat=flat, into=into: kernel(  # type: ignore[misc]
                flat, rows, starts, codes, bins, first, last, into
            ),
            columns,
        )
        sums[:, low : low + WIDEST] = total
    return sums


def group_sums(values: Array, order: Integers, starts: Integers) -> Integers:
    """Add rows up by groups; the arguments must have been checked."""
    sums = np.zeros((starts.size - 1, values.shape[1]), dtype=np.int64)
    for low in range(0, values.shape[1], WIDEST):
        part, total = _slices(values, sums, low)
        kernel, flat = _group_kernel(part.shape[1]), part.ravel()
        over_ranges(
            lambda first, last, kernel=kernel, flat=flat, total=total: kernel(  # type: ignore[misc]
                flat, order, starts[first : last + 1], total[first:last].ravel()
            ),
            starts.size - 1,
        )
        sums[:, low : low + WIDEST] = total
    return sums


def _slices(values: Array, sums: Integers, low: int) -> tuple[Array, Integers]:
    """Return up to `WIDEST` slots of the rows and of the sums, without copying where these are all."""
    return (
        np.ascontiguousarray(values[:, low : low + WIDEST]),
        np.ascontiguousarray(sums[:, low : low + WIDEST]),
    )


@njit(cache=True, nogil=True)
def running(sums: Integers, starts: Integers) -> Integers:
    """Return sums that run on from row to row and begin anew at each start; the arguments must have been checked."""
    found = sums.astype(np.int64)
    block = 0
    for row in range(sums.shape[0]):
        while block < starts.size and starts[block] < row:
            block += 1
        if row and not (block < starts.size and starts[block] == row):
            for slot in range(sums.shape[1]):
                found[row, slot] += found[row - 1, slot]
    return found
