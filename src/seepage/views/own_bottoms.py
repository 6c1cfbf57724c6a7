"""The models that an adversary itself has trained, built again as snapshots hold them; bottom models above all."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.random import Generator

from seepage.errors import BadSetting, IncompatibleView
from seepage.layouts import Meaning
from seepage.partition import OwnPart
from seepage.shapes import Matrix, Rows
from seepage.transcript import Agreement, Snapshot
from seepage.views.view import View

if TYPE_CHECKING:
    import torch
    from torch import nn

IDENTITY: Final = "identity"
CHUNK: Final = 8192
"""How many rows to embed at a time."""
NOT_ASKED: Final = -1


def rebuilt(snapshot: Snapshot, device: str = "cpu", precision: "torch.dtype | None" = None) -> "nn.Module":
    """Build a bottom model or a head as training left it, in 32 bits unless told otherwise.

    A ValueError says what does not fit. A pretrained encoder is not read again: the snapshot holds all of it.
    """
    import torch

    from seepage.networks.architectures import from_json, without_encoder
    from seepage.networks.heads import head_from_json
    from seepage.networks.joint_network import filled

    about = snapshot.architecture
    described = head_from_json(about) if snapshot.part == "head" else without_encoder(from_json(about))
    return placed(filled(described, snapshot.state, precision or torch.float32, "the network"), device)


def placed(module: "nn.Module", device: str) -> "nn.Module":
    """Move a model to a device; convolutions on a GPU are twice as fast with channels last."""
    import torch

    if device == "cpu":
        return module
    return module.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


def device_of(agreement: Agreement) -> str:
    """Return where the federation computed, if that is at hand here; else ``cpu``."""
    import torch

    asked = agreement.terms.device
    return asked if asked != "cpu" and torch.cuda.is_available() else "cpu"


def columns_read(snapshot: Snapshot, part: OwnPart) -> Matrix:
    """Return what a bottom model reads of its party's columns: some may have been left out before training."""
    if not snapshot.columns or snapshot.columns == part.names:
        return part.features
    place = {name: number for number, name in enumerate(part.names)}
    lacking = [name for name in snapshot.columns if name not in place]
    if lacking:
        raise IncompatibleView(
            f"The bottom model of '{snapshot.party}' reads a column '{lacking[0]}', which is not among its columns.\n"
            "Store the run again."
        )
    return part.features[:, [place[name] for name in snapshot.columns]]


@dataclass(frozen=True, eq=False)
class OwnBottoms:
    """All bottom models of one adversary, party by party, and the columns that they read.

    Parameters
    ----------
    snapshots
        One for each adversary with columns, at the end of training.
    widths
        How many encoded columns each reads.
    features
        Those columns side by side, for all rows. Where answers alone were recorded, they stand here: what passes
        them on as they are says the same as the models.
    device
        Where the federation computed, if that is at hand here; else ``cpu``.
    halved
        Whether it computed in 16 bits there.
    answered
        Which rows answers were recorded of; None where models are here.
    """

    snapshots: tuple[Snapshot, ...]
    widths: tuple[int, ...]
    features: Matrix
    device: str = "cpu"
    halved: bool = False
    answered: Rows | None = None

    @property
    def architectures(self) -> tuple[Any, ...]:
        """What is enough to build them again, without what they learned."""
        return tuple(snapshot.architecture for snapshot in self.snapshots)

    @property
    def recorded(self) -> bool:
        """Whether answers are all that is known of them: they can be read, and neither tuned nor begun anew."""
        return self.answered is not None

    def asked(self, rows: Rows) -> Rows:
        """Return those of some rows that these models can be asked about: all, unless answers were recorded."""
        return rows if self.answered is None else rows[np.isin(rows, self.answered)]

    @property
    def read_apart(self) -> bool:
        """Whether all of them read columns that say something one by one, as pixels and words do not."""
        from seepage.networks.architectures import from_json

        return self.recorded or all(
            from_json(architecture).reads is Meaning.APART for architecture in self.architectures
        )

    @property
    def pretrained(self) -> bool:
        """Whether some of them began from an encoder that others had trained."""
        return any(architecture.get("encoder") is not None for architecture in self.architectures)

    def trained(self) -> "list[tuple[nn.Module, int]]":
        """Build the bottom models as training left them, each with the number of columns that it reads."""
        if self.recorded:
            from torch import nn

            return [(nn.Identity(), width) for width in self.widths]
        pairs = zip(self.snapshots, self.widths, strict=True)
        return [(placed(_filled(snapshot, width), self.device), width) for snapshot, width in pairs]

    def fresh(self, rng: Generator) -> "list[tuple[nn.Module, int]]":
        """Build the same bottom models with first weights drawn anew: what there was before any federation.

        One that began from a pretrained encoder begins from it again, if that is here.
        """
        from seepage.networks.seeding import torch_seeded

        with torch_seeded(rng):
            modules = [placed(_first(snapshot), self.device) for snapshot in self.snapshots]
        return list(zip(modules, self.widths, strict=True))

    def computing(self) -> AbstractContextManager[object]:
        """Compute inside as the federation did: in 16 bits where that is safe, or in full."""
        import torch

        if not self.halved:
            return nullcontext()
        return torch.autocast("cuda", torch.bfloat16, cache_enabled=False)  # weights change inside

    def outputs(self, rows: Rows) -> Matrix:
        """Return what the trained bottom models make of some rows, side by side."""
        if self.recorded:
            return np.asarray(self.features[rows])
        import torch

        modules = [module.eval() for module, _ in self.trained()]
        columns = torch.from_numpy(np.asarray(self.features[rows], dtype=np.float32))
        made = []
        with torch.no_grad(), self.computing():
            for chunk in torch.split(columns, CHUNK):
                parts = torch.split(chunk.to(self.device), list(self.widths), dim=1)
                embedded = [module(part) for module, part in zip(modules, parts, strict=True)]
                made.append(torch.cat(embedded, dim=1).float().cpu())
        return np.asarray(torch.cat(made).numpy())


def own_bottoms(view: View) -> OwnBottoms:
    """Return the bottom models of the adversaries at the end of training; refuse where there is nothing to complete."""
    holding = [party for party in view.adversaries if _holds(view, party)]
    if not holding:
        raise IncompatibleView(
            f"Columns of {_named(view.adversaries)} are not known, so a bottom model has nothing to read.\n"
            "Choose an adversary with columns that were stored with the run."
        )
    snapshots = tuple(_at_the_end(view, party) for party in holding)
    if any(snapshot.recorded for snapshot in snapshots):
        if view.declared is not None and not view.declared.weights:
            raise IncompatibleView(
                f"Of the bottom model of {_named(holding)} only what it answers is known, so it cannot be begun anew.\n"
                "Record a model that can be built again (docs/transcript-format.md)."
            )
        return _answered(snapshots, view.knowledge.train)
    if all(snapshot.architecture.get("kind") == IDENTITY for snapshot in snapshots):
        raise IncompatibleView(
            f"The bottom model of {_named(holding)} is the identity: it has learned nothing that could be completed.\n"
            "Choose a federation whose parties train bottom models (split-network with bottom=mlp)."
        )
    read = [columns_read(snapshot, view.knowledge.own[snapshot.party]) for snapshot in snapshots]
    if view.declared is None or view.declared.weights:
        for snapshot, part in zip(snapshots, read, strict=True):
            _filled(snapshot, part.shape[1])  # says what is wrong before anything is learned
    features = np.concatenate(read, axis=1) if len(read) > 1 else read[0]
    device = device_of(view.agreement)
    halved = device != "cpu" and view.agreement.terms.precision == "bf16"
    return OwnBottoms(snapshots, tuple(part.shape[1] for part in read), features, device, halved)


def recorded_outputs(snapshot: Snapshot, rows: Rows) -> Matrix:
    """Return what a model answered for some rows; refuse where it was not asked about all of them."""
    rows_held, outputs = snapshot.state["rows"], snapshot.state["outputs"]
    places = np.full(max(rows_held.max(initial=-1), rows.max(initial=-1)) + 1, NOT_ASKED)
    places[rows_held] = np.arange(len(rows_held))
    found = places[rows]
    if (found == NOT_ASKED).any():
        raise IncompatibleView(
            f"What the model of '{snapshot.party}' answers was recorded for {np.count_nonzero(found != NOT_ASKED)} of "
            f"{len(rows)} rows that are read.\nRecord what it answers for all rows of that party."
        )
    return np.asarray(outputs[found], dtype=np.float32)


def _answered(snapshots: tuple[Snapshot, ...], train: Rows) -> OwnBottoms:
    """Take outputs that were recorded for columns of their own, of models that pass them on as they are."""
    if not all(snapshot.recorded for snapshot in snapshots):
        raise IncompatibleView(
            "Of some colluding parties models were recorded, of others what their models answer.\n"
            "Record the same of all, or look at one party at a time."
        )
    for snapshot in snapshots:
        recorded_outputs(snapshot, train)  # says for how many rows an answer is lacking
    rows = reduce(np.intersect1d, (snapshot.state["rows"] for snapshot in snapshots))
    outputs = [recorded_outputs(snapshot, rows) for snapshot in snapshots]
    features = np.full((int(rows.max(initial=-1)) + 1, sum(one.shape[1] for one in outputs)), np.nan, dtype=np.float32)
    features[rows] = np.concatenate(outputs, axis=1)
    return OwnBottoms(snapshots, tuple(one.shape[1] for one in outputs), features, answered=rows)


def _holds(view: View, party: str) -> bool:
    """Whether a party has columns, or at least answers of its own model."""
    own, taken = view.knowledge.own.get(party), view.snapshot(party, -1)
    return (own is not None and own.width > 0) or (taken is not None and taken.recorded)


def _at_the_end(view: View, party: str) -> Snapshot:
    """Return the bottom model of one adversary at the end of training."""
    found = view.snapshot(party, -1)
    if found is None:
        raise IncompatibleView(
            f"The bottom model of '{party}' at the end of training is not known.\n"
            "Record the run with snapshots of the last epoch."
        )
    return found


def _filled(snapshot: Snapshot, width: int) -> "nn.Module":
    """Build one bottom model as training left it, in 32 bits; refuse what does not fit."""
    from seepage.networks.architectures import from_json

    try:
        inputs = from_json(snapshot.architecture).inputs
        if inputs != width:
            raise ValueError(f"it reads {inputs} columns instead of {width}")
        if not all(np.isfinite(array).all() for array in snapshot.state.values()):
            raise ValueError("some of its parameters are no numbers")
        return rebuilt(snapshot)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        said = str(error) if type(error) is ValueError else "its description cannot be read"
        raise IncompatibleView(
            f"The bottom model of '{snapshot.party}' at the end of training cannot be used ({said}).\n"
            "Store the run again."
        ) from error


def _first(snapshot: Snapshot) -> "nn.Module":
    """Build one bottom model as training found it; what a stored run names is opened only if it is an encoder."""
    from seepage.networks.architectures import from_json
    from seepage.networks.bert_files import is_there

    folder = snapshot.architecture.get("encoder")
    if folder is not None and not is_there(str(folder)):
        raise IncompatibleView(
            f"The bottom model of '{snapshot.party}' began from an encoder in '{folder}', which is not here. "
            "Put it there, or train anew."
        )
    try:
        return from_json(snapshot.architecture).build()
    except BadSetting as error:
        raise IncompatibleView(str(error)) from error


def _named(parties: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in parties)
