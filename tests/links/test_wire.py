"""Messages as bytes: what is written is read again, and whatever else comes is refused in a sentence."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from seepage.errors import BadMessage
from seepage.links.wire import MARK, VERSION, Limits, from_bytes, to_bytes
from seepage.messages import Kind, Message
from trained_runs import address, carried

NUMBERS = st.one_of(
    arrays.boolean_dtypes(),
    arrays.integer_dtypes(),
    arrays.unsigned_integer_dtypes(),
    arrays.floating_dtypes(sizes=(16, 32, 64)),
)
CONTENTS = arrays.arrays(NUMBERS, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
TOLD = Message(Kind.GRADIENT, "bank", "shop", 3, 9, np.array([4, 2]), {"gradient": np.eye(2)})


@given(
    kind=st.sampled_from(Kind),
    names=st.tuples(
        st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"]))
    ),
    epoch=st.integers(-1, 2**40),
    step=st.integers(0, 2**40),
    rows=arrays.arrays(np.int64, st.integers(0, 5)),
    payload=st.dictionaries(st.text("abc", min_size=1, max_size=3), CONTENTS, max_size=3),
)
def test_what_is_written_is_read_again(kind, names, epoch, step, rows, payload):
    said = Message(kind, *names, epoch, step, rows, payload)
    heard = from_bytes(to_bytes(said))
    assert address(heard) == address(said) and list(heard.payload) == list(payload)
    assert np.array_equal(heard.rows, rows)
    for name, array in payload.items():
        read = heard.payload[name]
        assert read.shape == array.shape and read.dtype == array.dtype.newbyteorder("=") and not read.flags.writeable
        np.testing.assert_array_equal(read, array)


@settings(max_examples=500)
@given(data=st.data())
def test_damage_is_refused_or_harmless(data):
    whole = bytearray(to_bytes(TOLD))
    for _ in range(data.draw(st.integers(1, 4))):
        what = data.draw(st.sampled_from(["change", "cut", "add"]))
        place = data.draw(st.integers(0, len(whole)))
        if what == "change" and place < len(whole):
            whole[place] = data.draw(st.integers(0, 255))
        elif what == "cut":
            del whole[place:]
        elif what == "add":
            whole[place:place] = data.draw(st.binary(max_size=8))
    refused = None
    try:
        heard = from_bytes(bytes(whole))
    except BadMessage as error:
        refused = str(error)
    if refused is None:
        assert isinstance(heard.kind, Kind) and heard.rows.dtype == np.int64
    else:
        assert len(refused) < 200 and refused.endswith(".")


def with_header(**changes):
    """The bytes of a message whose header says something else."""
    whole = to_bytes(TOLD)
    (length,) = struct.unpack_from("<I", whole, 5)
    header = json.loads(whole[9 : 9 + length]) | changes
    written = json.dumps(header).encode()
    return struct.pack("<4sBI", MARK, VERSION, len(written)) + written + whole[9 + length :]


ROWS = {"name": "rows", "dtype": "<i8", "shape": [2]}


@pytest.mark.parametrize(
    ("came", "said"),
    [
        (b"", "no message of Seepage"),
        (b"GET / HTTP/1.1\r\n\r\n", "no message of Seepage"),
        (b"seep\x02" + to_bytes(TOLD)[5:], "version 2 came; this is version 1"),
        (to_bytes(TOLD)[:-1], "ends before its last array does"),
        (to_bytes(TOLD) + b"\0", "goes on after its last array"),
        (with_header(kind="shell"), "does not say kind"),
        (with_header(epoch=-2), "does not say kind"),
        (with_header(code="import os"), "does not say kind"),
        (with_header(arrays=[{"name": "rows", "dtype": "|O", "shape": [2]}]), "does not say kind"),
        (with_header(arrays=[{"name": "rows", "dtype": "<i8", "shape": [-2]}]), "does not say kind"),
        (with_header(arrays=[{"name": "rows", "dtype": "<i8", "shape": [2**39]}]), "ends before"),
        (with_header(arrays=[{"name": "rows", "dtype": "<i8", "shape": [2, 3]}]), "which rows it is about"),
        (with_header(arrays=[{"name": "gradient", "dtype": "<f8", "shape": [6]}]), "which rows it is about"),
        (with_header(arrays=[ROWS, {**ROWS, "shape": [4]}]), "names an array twice"),
        (struct.pack("<4sBI", MARK, VERSION, 2**31) + b"{}", "header of a message is longer"),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(came, said):
    with pytest.raises(BadMessage, match=said):
        from_bytes(came)


def test_no_more_is_read_than_was_agreed():
    whole = to_bytes(TOLD)
    with pytest.raises(BadMessage, match=f"{len(whole) - 1:,} are the most"):
        from_bytes(whole, Limits(size=len(whole) - 1))
    assert carried(from_bytes(whole, Limits(size=len(whole)))) == carried(TOLD)


def test_objects_cannot_be_sent():
    with pytest.raises(BadMessage, match="something else than numbers"):
        to_bytes(Message(Kind.MODEL, "bank", "shop", 0, 0, np.arange(1), {"code": np.array([print])}))
