"""A party's own model, built again as a snapshot holds it, and the columns that it reads."""

from typing import TYPE_CHECKING

from seepage.errors import IncompatibleView
from seepage.partition import OwnPart
from seepage.shapes import Matrix
from seepage.transcript import Agreement, Snapshot

if TYPE_CHECKING:
    import torch
    from torch import nn


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

    asked = str(agreement.settings.get("device", "cpu"))
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
