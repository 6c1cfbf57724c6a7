"""Equal content has one digest, and any change another."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hand_made import agreed, own_part
from seepage.guesses import LabelGuess
from seepage.messages import Kind, Message
from seepage.partition import PublicColumns
from seepage.transcript import Snapshot
from seepage.views import Auxiliary, Knowledge, KnownRows, Needs, ThreatModel, View
from seepage.views.digest import Digests, view_digest

SEVERAL = arrays.arrays(
    st.sampled_from([np.float32, np.float64, np.int64, np.int8, np.bool_]), arrays.array_shapes(max_dims=3, max_side=4)
)


def view_of(*payloads, settings=None) -> View:
    """A view with an array in every place that can hold one."""
    knowledge = Knowledge(
        threat=ThreatModel(adversaries=("shop",), auxiliary=Auxiliary(rows=5), property="job=clerk"),
        own={"shop": own_part("shop", np.arange(4.0)[:, None], ("age",), labels=np.arange(4))},
        train=np.arange(3), new=np.array([3]), known_rows=np.array([0]), known_labels=np.array([1]),
        others={"bank": PublicColumns(("income",), np.array([[0.0, 1.0]]), ("income",))},
        value_rows=np.array([1]), values={"bank": np.array([[0.5]])}, means={"bank": np.array([0.25])},
        complete={"bank": np.array([[0.5], [np.nan]])},
        guess=LabelGuess(np.arange(2), np.eye(2), steps={"first": np.array([0, 1])}),
        auxiliary=KnownRows(np.array([2]), np.array([2]), np.array([True])),
    )  # fmt: skip
    terms = agreed("summed-network", top_model=False, settings=settings or {})
    messages = [
        Message(Kind.GRADIENT, "bank", "shop", 0, step, np.array([step]), dict(payload))
        for step, payload in enumerate(payloads)
    ]
    snapshot = Snapshot("shop", 0, {"kind": "mlp", "hidden": (4,)}, {"weight": np.ones((2, 2)), "bias": np.zeros(2)})
    return View(terms, knowledge, tuple(messages), (snapshot,), epochs=1)


@given(first=SEVERAL, second=SEVERAL)
def test_order_of_keys_and_order_in_memory_do_not_count(first, second):
    laid = np.asfortranarray(first)
    apart = np.repeat(second[..., None], 2, axis=-1)[..., 0]
    assert view_digest(view_of({"a": first, "b": second})) == view_digest(view_of({"b": apart, "a": laid}))


@given(one=SEVERAL, other=SEVERAL)
def test_arrays_have_one_digest_where_type_shape_and_bytes_agree(one, other):
    same = one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    assert (view_digest(view_of({"a": one})) == view_digest(view_of({"a": other}))) == same


def arrays_in(thing) -> list[np.ndarray]:
    """All arrays of a view, wherever they are."""
    if isinstance(thing, np.ndarray):
        return [thing]
    if isinstance(thing, dict):
        return [array for value in thing.values() for array in arrays_in(value)]
    if isinstance(thing, tuple):
        return [array for value in thing for array in arrays_in(value)]
    if isinstance(thing, Message):
        return [thing.rows, *arrays_in(thing.payload)]
    return arrays_in(vars(thing)) if hasattr(thing, "__dict__") and not isinstance(thing, Kind) else []


@given(data=st.data())
def test_any_changed_byte_changes_it(data):
    view = view_of({"gradient": np.ones((1, 2))}, {"gradient": np.zeros((1, 2), dtype=np.float32)})
    before = view_digest(view)
    place = data.draw(st.sampled_from(range(len(arrays_in(view)))))
    raw = arrays_in(view)[place].reshape(-1).view(np.uint8)
    at, flipped = data.draw(st.integers(0, len(raw) - 1)), data.draw(st.integers(1, 255))
    raw[at] ^= flipped
    assert view_digest(view) != before
    raw[at] ^= flipped
    assert view_digest(view) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda view: replace(view, epochs=2),
        lambda view: replace(view, messages=view.messages[::-1]),
        lambda view: replace(view, messages=view.messages[:1]),
        lambda view: replace(view, messages=(replace(view.messages[0], epoch=1), *view.messages[1:])),
        lambda view: replace(view, messages=(replace(view.messages[0], kind=Kind.EMBEDDING), *view.messages[1:])),
        lambda view: replace(view, snapshots=()),
        lambda view: replace(view, agreement=replace(view.agreement, classes=3)),
        lambda view: replace(view, knowledge=replace(view.knowledge, guess=None)),
        lambda view: replace(view, knowledge=replace(view.knowledge, threat=ThreatModel(adversaries=("bank",)))),
        lambda view: view.narrowed(Needs(received=frozenset({Kind.GRADIENT}))),
    ],
)
def test_any_other_change_changes_it(change):
    view = view_of({"gradient": np.ones(2)}, {"gradient": np.zeros(2)})
    assert view_digest(change(view)) != view_digest(view)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(one=values, other=values)
def test_no_two_settings_are_written_alike(one, other):
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    digests = [view_digest(view_of(settings={"asked": value})) for value in (one, other)]
    assert (digests[0] == digests[1]) == same
    again = json.loads(json.dumps(one))
    backwards = dict(reversed(again.items())) if isinstance(again, dict) else again
    assert view_digest(view_of(settings={"asked": backwards})) == digests[0]


@given(names=st.permutations(["bank", "shop", "lab", "clinic"]))
def test_sets_count_in_no_order(names):
    one = view_digest(view_of(settings={"asked": frozenset(names)}))
    assert one == view_digest(view_of(settings={"asked": frozenset(sorted(names))}))
    assert one != view_digest(view_of(settings={"asked": frozenset(names[1:])}))


@given(payloads=st.lists(SEVERAL, max_size=4))
def test_messages_that_are_remembered_have_the_same_digest(payloads):
    digests = Digests()
    view = view_of(*({"gradient": one} for one in payloads))
    fewer = replace(view, messages=view.messages[1:])
    for seen in (view, fewer, view):
        assert view_digest(seen, digests) == view_digest(seen)


def test_a_message_is_read_once_for_many_views():
    payload = {"gradient": np.ones(2)}
    view, digests = view_of(payload), Digests()
    before = view_digest(view, digests)
    view.messages[0].payload["gradient"][0] = 7.0  # nobody may do this; it shows that the message is not read again
    assert view_digest(view, digests) == before != view_digest(view)


def test_what_was_declared_is_no_content():
    view = view_of({"gradient": np.ones(2)})
    one = view.narrowed(Needs(received=frozenset({Kind.GRADIENT})))
    other = view.narrowed(Needs(received=frozenset({Kind.GRADIENT, Kind.MODEL}), passive=True))
    assert view_digest(one) == view_digest(other)


@dataclass
class Gadget:
    run: object = None


@pytest.mark.parametrize("found", [object(), lambda: 0, np.array([object()]), Gadget(print), Gadget])
def test_what_has_no_content_of_its_own_is_refused(found):
    with pytest.raises(TypeError, match="was found in one"):
        view_digest(view_of(settings={"asked": found}))
