"""What each kind of message must carry, checked before anything is made of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from seepage.json_arrays import from_array
from seepage.messages import OUTSIDE_TRAINING, Kind, Message
from seepage.payload_shapes import shape_of
from seepage.shapes import Array, Rows
from seepage.transcript.transcript import Agreement, Snapshot

Payload = Mapping[str, Array]
NUMBERS: Final[Mapping[Kind, str]] = {
    Kind.EMBEDDING: "embedding",
    Kind.GRADIENT: "gradient",
    Kind.PREDICTION: "confidence",
}
"""Messages that carry real numbers, a line for each row."""
TREES: Final = {
    Kind.INSTANCE_SPACE: ("node", "tree"),
    Kind.CHILD_SPACES: ("node", "left", "tree"),
    Kind.SPLIT_CHOICE: ("node", "candidate", "tree"),
    Kind.DIRECTION: ("node", "tree", "round"),
}
"""Messages about rows in the nodes of a tree, and what each carries."""
SETUPS: Final = ({"width"}, {"begin", "seed", "total", "wanted"})
"""What a setup holds: the answer to how many columns take part, or how some of them are drawn."""
SMALL: Final = 4096
"""Numbers up to this say something else than sizes of layers, and build nothing large."""
LARGEST: Final = np.float64(1e30)
MOST_EPOCHS: Final = 10_000_000
MOST_ROWS: Final = 100_000_000
"""A row number is a place in a table; arrays are as long as the largest."""
ROOT: Final = 1
"""The heap number of a tree's root."""


class NotFinite(ValueError):
    """Numbers that no transcript holds, though an engine may send them: it diverged, or a step overflowed."""


def demand(holds: bool, expected: str, refusal: type[ValueError] = ValueError) -> None:
    """Refuse what a file holds, saying what it should hold."""
    if not holds:
        raise refusal(f"what should be {expected}")


def read_payload(kind: Kind, rows: Rows, payload: Payload) -> tuple[Rows, Payload]:
    """Return what a message of a file says, as all that read it take it: numbers in 32 bits or more, each row once.

    Engines that draw batches with replacement send a row twice. Its last embedding counts, and what came back for
    it is added up, as its owner does who learns from it.

    >>> rows, said = read_payload(Kind.GRADIENT, np.array([4, 2, 4]), {"gradient": np.array([[1.0], [2.0], [3.0]])})
    >>> rows.tolist(), said["gradient"].tolist()
    ([2, 4], [[2.0], [4.0]])
    """
    if kind not in NUMBERS or set(payload) != {NUMBERS[kind]}:
        demand(len(np.unique(rows)) == len(rows), "each row once in a message")
        return rows, _in_64_bits(payload) if kind in TREES else payload
    content = payload[NUMBERS[kind]]
    if content.dtype == np.float16:
        content = content.astype(np.float32)
    once, places, at = np.unique(rows[::-1], return_index=True, return_inverse=True)
    if len(once) < len(rows) and content.ndim == 2 and len(content) == len(rows):
        backwards = content[::-1]
        content = backwards[places]
        if kind is Kind.GRADIENT:
            content = np.zeros_like(content)
            np.add.at(content, at, backwards)
        rows = once
    return rows, {NUMBERS[kind]: content}


def _in_64_bits(payload: Payload) -> Payload:
    """Return heap numbers in so many bits that those of their children fit."""
    return {
        name: array.astype(np.int64, copy=False) if array.dtype.kind in "iu" else array
        for name, array in payload.items()
    }


def width_of(message: Message) -> tuple[str, int] | None:
    """Return whose numbers a row an embedding or a gradient is about, and how many these are."""
    if message.kind not in {Kind.EMBEDDING, Kind.GRADIENT}:
        return None
    owner = message.sender if message.kind is Kind.EMBEDDING else message.receiver
    return owner, message.payload[NUMBERS[message.kind]].shape[1]


def check_widths(messages: Sequence[Message]) -> None:
    """Refuse embeddings of one party, and gradients for one, that have now so many numbers and now others."""
    widths: dict[str, int] = {}
    for owner, width in filter(None, map(width_of, messages)):
        demand(widths.setdefault(owner, width) == width, f"{widths[owner]} numbers a row of '{owner}' in every message")


def check_place(sender: str, receiver: str, epoch: int, step: int, rows: Rows, agreement: Agreement) -> None:
    """Refuse a message from nobody, to nobody, about rows that nobody has, or sent when there was no time."""
    demand(type(epoch) is int and epoch >= OUTSIDE_TRAINING, "epoch as a number from -1 on")
    demand(epoch <= MOST_EPOCHS, f"epoch as a number up to {MOST_EPOCHS}")
    demand(type(step) is int and step >= 0, "step as a number from 0 on")
    _rows(rows)
    for name in (sender, receiver):
        demand(name in agreement.parties, "sender and receiver among the parties")


def _rows(rows: Rows) -> None:
    demand(rows.ndim == 1 and rows.dtype.kind in "iu" and bool((rows >= 0).all()), "row numbers from 0 on")
    demand(bool((rows < MOST_ROWS).all()), f"row numbers below {MOST_ROWS}")


def check_snapshot(snapshot: Snapshot) -> None:
    """Refuse a model that is described as larger than the numbers that are there for it, and answers without rows."""
    epoch = snapshot.epoch
    demand(type(epoch) is int and 0 <= epoch <= MOST_EPOCHS, "a model's epoch as a number from 0 on")
    if snapshot.recorded:
        demand(set(snapshot.state) in ({"rows", "outputs"}, set()), "answers with their rows")
        rows, outputs = snapshot.state["rows"], snapshot.state["outputs"]
        _rows(rows)
        demand(len(np.unique(rows)) == len(rows), "one answer for each row")
        demand(outputs.ndim == 2 and len(outputs) == len(rows), "an answer for each row")
        demand(outputs.dtype.kind == "f", "answers that are real numbers")
        demand(_finite(outputs), "answers that are finite numbers", NotFinite)
        return
    _no_larger(snapshot.architecture, snapshot.state)


def read_answers(snapshot: Snapshot) -> Snapshot:
    """Return answers of a model as all that read them take them: rows in 64 bits, numbers in 32 bits or more."""
    types = {"rows": np.dtype(np.int64), "outputs": np.result_type(snapshot.state.get("outputs", 0.0), np.float32)}
    state = {name: array.astype(types[name], copy=False) for name, array in snapshot.state.items()}
    return replace(snapshot, state=state)


def _no_larger(architecture: Mapping[str, Any], weights: Payload) -> None:
    """Refuse a model that is described as larger than the numbers that are there for it: nobody begins to build it."""
    numbers = sum(array.size for array in weights.values())
    for value in architecture.values():
        entries = value if isinstance(value, list) else [value]
        demand(not isinstance(value, list) or len(value) <= len(weights), "as many layers as there are weights")
        sizes = [entry for entry in entries if type(entry) is int]
        demand(all(0 <= size <= max(numbers, SMALL) for size in sizes), "a model no larger than its weights")


def check_payload(kind: Kind, rows: Rows, payload: Payload, agreement: Agreement, *, own_widths: bool = False) -> None:
    """Refuse a payload that is not what messages of this kind carry.

    Parameters
    ----------
    own_widths
        Whether each party may have a width of its own under a top model, as in recordings of other engines
        (`check_widths`); between parties of ours it is the agreed one, unless parties have said their own.
    """
    demand(kind in agreement.kinds, f"a kind of message that crosses under {agreement.federation}")
    if kind in NUMBERS:
        _numbers(kind, rows, payload, agreement, own_widths=own_widths and agreement.top_model)
    elif kind in TREES:
        _of_trees(kind, rows, payload)
    elif kind in _CHECKS:
        _CHECKS[kind](rows, payload)
    else:
        _registered(kind, rows, payload, agreement.classes)


def _numbers(kind: Kind, rows: Rows, payload: Payload, agreement: Agreement, *, own_widths: bool) -> None:
    demand(set(payload) == {NUMBERS[kind]}, f"a payload called {NUMBERS[kind]}")
    content = payload[NUMBERS[kind]]
    demand(content.ndim == 2 and len(content) == len(rows), "a payload with one line for each row")
    width = agreement.classes if kind is Kind.PREDICTION else agreement.outputs
    any_width = kind is not Kind.PREDICTION and (own_widths or Kind.SETUP in agreement.kinds)
    demand(any_width or content.shape[1] == width, f"a {kind} of {width} numbers a row")
    demand(content.shape[1] > 0, f"a {kind} of one number a row or more")
    demand(content.dtype.kind == "f", f"a {kind} of real numbers")
    demand(_finite(content), f"a {kind} of finite numbers", NotFinite)


def _finite(numbers: Array) -> bool:
    """Whether all are numbers, of a size that can be computed with in 32 bits."""
    return bool((np.abs(numbers) < LARGEST).all())


def _of_trees(kind: Kind, rows: Rows, payload: Payload) -> None:
    """Nodes of rows, sides of rows, and which tree; who is asked for directions answers with sides alone."""
    answer = kind is Kind.DIRECTION and "left" in payload
    names = ("left",) if answer else TREES[kind]
    demand(set(payload) == set(names), f"a payload of {', '.join(names)}")
    choice = kind is Kind.SPLIT_CHOICE
    demand(not choice or len(rows) == 0, "a choice without rows")
    if "node" in names:
        node = payload["node"]
        demand(node.ndim == 1 and node.dtype.kind in "iu", "heap numbers of nodes")
        demand(bool((node >= ROOT).all()), f"heap numbers from {ROOT} on")
        demand(choice or len(node) == len(rows), "a node for each row")
    if "left" in names:
        left = payload["left"]
        demand(left.dtype == np.bool_ and left.shape == (len(rows),), "left as yes or no for each row")
    if choice:
        chosen = payload["candidate"]
        demand(chosen.shape == payload["node"].shape and chosen.dtype.kind in "iu", "a candidate for each node")
        demand(bool((chosen >= 0).all()), "candidates from 0 on")
    for name in (name for name in ("tree", "round") if name in names):
        number = payload[name]
        demand(number.shape == (1,) and number.dtype.kind in "iu" and number[0] >= 0, f"{name} as one number from 0 on")


def _registered(kind: Kind, rows: Rows, payload: Payload, classes: int) -> None:
    """A message of another package carries what that registered for it."""
    shape = shape_of(kind)
    demand(shape is not None, "a kind of message that a transcript holds")
    misfit = shape.misfit(payload, rows=len(rows), classes=classes) if shape is not None else None
    demand(misfit is None, f"{kind} messages with {misfit}")
    real = [array for array in payload.values() if array.dtype.kind == "f"]
    demand(all(map(_finite, real)), f"{kind} messages of finite numbers", NotFinite)


def _model(rows: Rows, payload: Payload) -> None:
    """A part of a model is read by those who use it; here it must be numbers with a description."""
    demand(len(rows) == 0, "a model without rows")
    demand("about" in payload and payload["about"].dtype == np.uint8, "a model with a description called about")
    demand(all(array.dtype.kind in "fiub" for array in payload.values()), "a model of numbers")
    finite = (array for name, array in payload.items() if name != "threshold")  # an infinite one parts gaps from values
    demand(all(bool(np.isfinite(array).all()) for array in finite), "a model of finite numbers", NotFinite)
    about = from_array(payload["about"])
    columns = about.get("columns")
    demand(
        isinstance(columns, list) and all(isinstance(name, str) for name in columns), "the columns of a model by name"
    )
    weights = {name: array for name, array in payload.items() if name != "about"}
    for part in ("bottom", "head"):
        architecture = about.get(part)
        demand(architecture is None or isinstance(architecture, dict), f"the {part} of a model as a table")
        _no_larger(architecture or {}, weights)


def _opaque(rows: Rows, payload: Payload) -> None:
    """Ciphertexts and sums are for their receiver; nothing is made of them here."""
    del rows
    demand(all(array.dtype.kind in "iub" for array in payload.values()), "whole numbers or bytes")


def _correlation(rows: Rows, payload: Payload) -> None:
    """Sealed columns have a line for each row, their products none; nothing is made of either here."""
    demand(len(payload) == 1 and set(payload) <= {"sealed", "products"}, "a payload called sealed or products")
    (content,) = payload.values()
    demand(content.ndim == 2 and content.dtype.kind in "fiu", "numbers in rows and columns")
    demand(bool(np.isfinite(content).all()), "finite numbers", NotFinite)
    demand("products" in payload or len(content) == len(rows), "sealed columns with one line for each row")


def _curvature(rows: Rows, payload: Payload) -> None:
    demand(set(payload) == {"curvature"}, "a payload of curvature")
    demand(len(rows) == 0, "a curvature without rows")
    number = payload["curvature"]
    demand(number.shape == (1,) and number.dtype.kind == "f", "curvature as one real number")
    demand(bool(np.isfinite(number).all()), "a curvature that is finite", NotFinite)
    demand(bool((number > 0).all()), "a curvature above 0")


def _setup(rows: Rows, payload: Payload) -> None:
    """How many columns take part, or what is drawn of them: a number each."""
    demand(len(rows) == 0, "a setup without rows")
    demand(set(payload) in SETUPS, "a payload of width, or of begin, seed, total and wanted")
    for number in payload.values():
        demand(number.shape == (1,) and number.dtype.kind in "iu" and number[0] >= 0, "whole numbers from 0 on")


_CHECKS: Final[Mapping[Kind, Callable[[Rows, Payload], None]]] = {
    Kind.ENCRYPTED: _opaque,
    Kind.SPLIT_SUMS: _opaque,
    Kind.PURITY: _opaque,
    Kind.MODEL: _model,
    Kind.CORRELATION: _correlation,
    Kind.CURVATURE: _curvature,
    Kind.SETUP: _setup,
}
