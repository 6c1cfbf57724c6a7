"""What the two sides of a network exchange about each row, as far as one adversary can know it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from seepage.errors import IncompatibleView
from seepage.messages import Kind, Message
from seepage.shapes import Integers, Matrix, Rows
from seepage.transcript import Epochs, Snapshot
from seepage.views.auxiliary import Auxiliary
from seepage.views.needs import Needs
from seepage.views.own_bottoms import columns_read, rebuilt, recorded_outputs
from seepage.views.view import View

ResultKind: TypeAlias = Literal["AO", "AG", "VO", "VG"]
"""Outputs (O) and gradients (G) of the adversary (A) and of the victim (V)."""
Gradients: TypeAlias = Literal["replayed", "sent"]
PENULTIMATE: Final = -2
LARGEST: Final = 1e30
"""Results larger than this do not fit into 32 bits together with their squares."""


@dataclass(frozen=True, eq=False)
class IntermediateResults:
    """Record-level intermediate results of one epoch: §III-B of paper 000.

    Parameters
    ----------
    rows
        Training rows, in ascending order.
    of
        Kind of result → rows by width.
    """

    rows: Rows
    of: Mapping[ResultKind, Matrix]

    def at(self, rows: Rows) -> Integers:
        """Return where some rows stand; refuse rows that took no part."""
        places = np.searchsorted(self.rows, rows)
        if len(rows) and (places.max() >= len(self.rows) or not np.array_equal(self.rows[places], rows)):
            raise IncompatibleView("Auxiliary rows are needed whose intermediate results were recorded.")
        return places

    def joined(self) -> Matrix:
        """Return all kinds of results of each row side by side."""
        return np.concatenate(list(self.of.values()), axis=1)


def results_needs(auxiliary: Auxiliary, epoch: int, gradients: Gradients = "replayed") -> Needs:
    """Return what an adversary needs to compare intermediate results of an epoch with those of auxiliary rows."""
    epochs = Epochs.only(epoch)
    return Needs(
        received=frozenset({Kind.EMBEDDING}),
        sent=frozenset({Kind.GRADIENT} if gradients == "sent" else ()),
        epochs=epochs,
        snapshots=epochs,
        auxiliary=auxiliary,
        labels_if_held=True,
    )


def intermediate_results(
    view: View, epoch: int = PENULTIMATE, gradients: Gradients = "replayed"
) -> IntermediateResults:
    r"""Return the intermediate results of one epoch that the adversary can know.

    Its own outputs (AO) are those of its own bottom models at the end of the
    epoch. The active party also has the victim's outputs (VO) as they came in
    during the epoch, and it replays the optimization: with its own head at the
    end of the epoch and the labels of the task, it computes for each row

    .. math:: g_i = \nabla_{v_i} \ell(h_\phi(v_i), y_i)

    without the factor of a batch's mean, for its own side (AG) and for the
    victim's (VG). Labels that it replaced during training play no part in this.

    Parameters
    ----------
    epoch
        Counted from 0; −2 is the last but one.
    gradients
        ``replayed``, or ``sent`` for the victim's gradients as they really
        crossed, defended or not; its own the active party computes itself either way.

    Notes
    -----
    What the active party did not record of its own models is left out: without its head nothing is replayed.

    Where people whom nobody else knows stand in for the adversary's rows, the
    victim's results at these rows are those of somebody else, and gradients there
    mix both people. The adversary knows that, so AO alone is left.
    """
    terms, knowledge = view.agreement, view.knowledge
    number = _absolute(view, epoch)
    passive = terms.active not in view.adversaries
    own = {
        party: _own_outputs(view, party, number)
        for party in view.adversaries
        if _has_model(view, party, number, "bottom") or (passive and _has_columns(view, party))
    }
    if passive:
        if not own:
            raise IncompatibleView("The adversary has neither columns nor messages to read. Choose another one.")
        return IntermediateResults(np.sort(knowledge.train), {"AO": _side_by_side(own, terms.parties)})
    train = np.sort(knowledge.train)
    received = _by_party(view.received(Kind.EMBEDDING, Epochs.only(number)), "embedding")
    rows = train
    for seen, _ in received.values():
        rows = np.intersect1d(rows, seen)
    laid = _laid(received, rows)
    mine = {party: outputs[np.searchsorted(train, rows)] for party, outputs in own.items()}
    replayed = _replayed(view, number, rows, {**laid, **mine}) if _has_model(view, terms.active, number, "head") else {}
    victims = _victims(view, tuple(laid))
    ours = tuple(dict.fromkeys(party for party in (*mine, *laid) if party in view.adversaries))
    own_results: dict[ResultKind, Matrix] = {"AO": _side_by_side({**laid, **mine}, ours)} if ours else {}
    if ours and replayed:
        own_results["AG"] = _side_by_side(replayed, ours)
    known = knowledge.auxiliary
    if known is not None and not known.aligned:
        return IntermediateResults(rows, _of_strangers(own_results))
    theirs = replayed if gradients == "replayed" else _laid(_by_party(_gradients(view, number), "gradient"), rows)
    told: dict[ResultKind, Matrix] = {"VO": _side_by_side(laid, victims)}
    if theirs:
        told["VG"] = _side_by_side(theirs, victims)
    return IntermediateResults(rows, {**own_results, **told})


def _absolute(view: View, epoch: int) -> int:
    """Return the number of an epoch, counted from 0; a single epoch counts as the last but one as well."""
    trained = view.epochs
    (number,) = Epochs.only(epoch).of(trained).numbers or (0,)
    if 0 < trained <= number or (0 < trained < -epoch and epoch != PENULTIMATE):
        raise IncompatibleView(
            f"Epoch {epoch} is asked for, but {trained} were trained, counted from 0. "
            f"Choose one of them ({-trained} to {trained - 1}; -2 is the last but one)."
        )
    return number


def _of_strangers(own: Mapping[ResultKind, Matrix]) -> dict[ResultKind, Matrix]:
    """Keep what speaks of people whom nobody else knows: the adversary's own outputs."""
    if "AO" not in own:
        raise IncompatibleView(
            "The adversary has no columns, and auxiliary rows that nobody else knows say nothing about what others "
            "sent. Use aligned auxiliary rows (auxiliary.aligned=true)."
        )
    return {"AO": own["AO"]}


def _has_columns(view: View, party: str) -> bool:
    part = view.knowledge.own.get(party)
    return part is not None and part.width > 0


@contextmanager
def _as_recorded(snapshot: Snapshot) -> Iterator[None]:
    """Refuse a stored model that cannot be built, or that does not read what it should."""
    try:
        if not all(np.isfinite(array).all() for array in snapshot.state.values()):
            raise ValueError("some of its parameters are no numbers")
        yield
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise IncompatibleView(
            f"The own model of '{snapshot.party}' at the end of epoch {snapshot.epoch} does not fit what it reads or "
            "what is described.\nRecord it again."
        ) from error


def _computable(*results: Matrix) -> None:
    """Refuse what classifiers cannot learn from in 32 bits."""
    if not all(bool((np.abs(result) < LARGEST).all()) for result in results):
        raise ValueError("its answers are no numbers, or too large ones")


def _has_model(view: View, party: str, epoch: int, part: str) -> bool:
    """Whether a party's own model of an epoch is there: to be built again or, of a bottom model, its answers."""
    found = view.snapshot(party, epoch, part)
    return found is not None and (part == "bottom" or not found.recorded)


def _snapshot(view: View, party: str, epoch: int, part: str) -> Snapshot:
    found = view.snapshot(party, epoch, part)
    if found is None:
        raise IncompatibleView(
            f"The own model of '{party}' at the end of epoch {epoch} is not known. "
            "Record the run with snapshots of that epoch, or choose another one."
        )
    return found


def _own_outputs(view: View, party: str, epoch: int) -> Matrix:
    """Return what the party's own bottom model makes of its own training rows, stand-ins included."""
    import torch

    snapshot = _snapshot(view, party, epoch, "bottom")
    train = np.sort(view.knowledge.train)
    source, known = train.copy(), view.knowledge.auxiliary
    if known is not None and not known.aligned:
        source[np.searchsorted(train, known.rows)] = known.source
    if snapshot.recorded:
        return recorded_outputs(snapshot, source)
    wide = any(array.dtype == np.float64 for array in snapshot.state.values())
    precision = torch.float64 if wide else torch.float32
    with _as_recorded(snapshot), torch.no_grad():
        network = rebuilt(snapshot, precision=precision).eval()
        features = torch.from_numpy(columns_read(snapshot, view.knowledge.own[party])[source]).to(precision)
        outputs = torch.cat([network(chunk) for chunk in torch.split(features, 8192)]).numpy()
        _computable(outputs)
    return np.asarray(outputs)


def _by_party(messages: Sequence[Message], key: str) -> dict[str, tuple[Rows, Matrix]]:
    """Gather what was said about rows, by the party whose results they are; gradients without a batch's mean."""
    said: dict[str, list[Message]] = {}
    for message in messages:
        said.setdefault(message.sender if key == "embedding" else message.receiver, []).append(message)
    gathered = {}
    for party, own in said.items():
        rows, last = np.unique(np.concatenate([message.rows for message in own])[::-1], return_index=True)
        scale = [1 if key == "embedding" else len(message.rows) for message in own]
        values = np.concatenate([by * message.payload[key] for by, message in zip(scale, own, strict=True)])
        gathered[party] = rows, values[::-1][last]
    return gathered


def _laid(gathered: Mapping[str, tuple[Rows, Matrix]], rows: Rows) -> dict[str, Matrix]:
    """Lay out what was gathered for some rows."""
    return {party: values[np.searchsorted(seen, rows)] for party, (seen, values) in gathered.items()}


def _gradients(view: View, epoch: int) -> Sequence[Message]:
    said = view.sent(Kind.GRADIENT, Epochs.only(epoch))
    if not said:
        raise IncompatibleView(f"No gradients of epoch {epoch} were recorded. Record them, or replay them.")
    return said


def _replayed(view: View, epoch: int, rows: Rows, outputs: Mapping[str, Matrix]) -> dict[str, Matrix]:
    """Return the gradient of each row's own loss with respect to what each party sent for it."""
    import torch

    from seepage.networks.losses import CrossEntropy, balanced_weights

    terms = view.agreement
    own = view.knowledge.own.get(terms.active)
    if own is None or own.labels is None:
        raise IncompatibleView(f"The labels of '{terms.active}' are not known, so no gradient can be replayed.")
    snapshot = _snapshot(view, terms.active, epoch, "head")
    order = [party for party in (terms.active, *terms.passive) if party in outputs]
    dtype = np.result_type(*(array.dtype for array in outputs.values()))
    inputs = [torch.from_numpy(outputs[party].astype(dtype)).requires_grad_() for party in order]
    labels = torch.from_numpy(own.labels)
    weights = None
    if terms.terms.class_weights:
        weights = balanced_weights(labels[torch.from_numpy(view.knowledge.train)], terms.classes).to(inputs[0].dtype)
    loss = CrossEntropy(terms.outputs if not terms.top_model else terms.classes)
    with _as_recorded(snapshot):
        head = rebuilt(snapshot, precision=inputs[0].dtype).eval()
        losses = loss.of_rows(head(inputs), labels[torch.from_numpy(rows)], weights)
        found = torch.autograd.grad(losses.sum(), inputs)
        _computable(*(gradient.numpy() for gradient in found))
    return {party: gradient.numpy() for party, gradient in zip(order, found, strict=True)}


def _victims(view: View, senders: Sequence[str]) -> tuple[str, ...]:
    """Return who holds the attribute of the property, which column names tell; else everybody else."""
    others = [party for party in senders if party not in view.adversaries]
    column = (view.knowledge.threat.property or "").partition("=")[0]
    public = view.knowledge.others
    holders = [
        party for party in others if party in public and column in (public[party].attributes or public[party].names)
    ]
    return tuple(holders or others)


def _side_by_side(matrices: Mapping[str, Matrix], parties: Sequence[str]) -> Matrix:
    return np.concatenate([matrices[party] for party in parties if party in matrices], axis=1)
