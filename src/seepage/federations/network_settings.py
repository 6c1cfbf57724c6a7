"""Checks and choices that network federations share."""

import re
from collections.abc import Mapping
from typing import Final

import numpy as np
import torch

from seepage.errors import BadSetting, UnknownName
from seepage.federations.words import check_words, refuse_words
from seepage.hooks import Seam
from seepage.models.architectures import Architecture, Dense, Identity, ResNet
from seepage.models.optimizers import OptimizerSettings
from seepage.partition import OwnPart, PartitionedTable

NETWORK_SEAMS: Final = frozenset(
    {Seam.TABLE, Seam.LABELS, Seam.MESSAGE, Seam.RELEASE, Seam.MODEL, Seam.SCREENING, Seam.VERIFICATION, Seam.ALIGNMENT}
)
"""Where a defense may act in a federation of networks."""


def check_training(epochs: int, batch: int | None) -> None:
    """Refuse impossible lengths of training."""
    if epochs < 1:
        raise ValueError(f"epochs must be 1 or more, got {epochs}")
    if batch is not None and batch < 1:
        raise ValueError(f"batch must be 1 or more, got {batch}")


def check_optimizers(data: PartitionedTable, optimizers: Mapping[str, OptimizerSettings]) -> None:
    """Refuse optimizers of parties that do not take part."""
    for party in optimizers:
        if party not in data.parties:
            raise UnknownName("party", party, known=data.parties)


def check_widths(**widths: tuple[int, ...]) -> None:
    """Refuse layers without neurons."""
    for name, values in widths.items():
        if any(width < 1 for width in values):
            raise ValueError(f"{name} must be widths of 1 or more, got {values}")
        if name == "planes" and not values:
            raise ValueError("planes must name at least one stage, got none")


def check_data(
    data: PartitionedTable, batch: int | None, device: str, *, bottom: str = "mlp", encoder: str | None = None
) -> None:
    """Refuse data or a device with which these networks cannot be trained."""
    if batch is not None and len(data.train) < batch:
        raise BadSetting(
            f"There are {len(data.train)} training rows, fewer than one batch of {batch}. "
            "Use more rows, or a smaller batch (--model batch=16)."
        )
    for part in data.parts.values():
        if np.isnan(part.features).any():
            raise BadSetting(
                f"The columns of '{part.party}' have missing values, which networks cannot follow. "
                "Fill them (--impute instead of --keep-missing), or choose a federation of trees."
            )
    if device != "cpu" and not re.fullmatch(r"cuda(:\d+)?", device):
        raise BadSetting(f"device is '{device}', but only cpu and cuda are known. Use --device cpu.")
    if device != "cpu" and not torch.cuda.is_available():
        raise BadSetting(f"device is '{device}', but PyTorch sees no GPU here. Use --device cpu.")
    if bottom == "transformer":
        check_words(data, encoder)
    else:
        refuse_words(data)
    if bottom == "resnet":
        for part in data.parts.values():
            if part.image is None and part.width:
                raise BadSetting(
                    f"bottom is 'resnet', but the columns of '{part.party}' do not form a picture. "
                    "Use an image data set with --partition halves or stripes, or --model bottom=mlp."
                )


def bottom_model(
    part: OwnPart, kind: str, hidden: tuple[int, ...], planes: tuple[int, ...], blocks: int, outputs: int, *, relu: bool
) -> Architecture:
    """Return the bottom model of one party; `relu` puts one behind the outputs of a fully connected one."""
    if kind == "resnet":
        assert part.image is not None
        return ResNet(part.image, planes, blocks, outputs)
    if kind == "identity":
        return Identity(part.width)
    return Dense(part.width, hidden, outputs, relu_output=relu)
