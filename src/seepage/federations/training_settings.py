"""How long and how networks are trained."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import torch

from seepage.checks import check_choice, check_counts
from seepage.errors import BadSetting, UnknownName
from seepage.federations.bottom import Precision
from seepage.federations.network_training import NetworkSetup
from seepage.hooks import Seam
from seepage.networks.backbones import Backbone
from seepage.networks.first_weights import FirstWeights
from seepage.networks.heads import Head
from seepage.networks.optimizers import OptimizerSettings
from seepage.partition import OwnPart

NETWORK_SEAMS: Final = frozenset(
    {
        Seam.TABLE, Seam.LABELS, Seam.TARGETS, Seam.ARCHITECTURE, Seam.MODEL, Seam.LOSS, Seam.RECEIVED_LOSS,
        Seam.SIGNAL, Seam.MESSAGE, Seam.RELEASE, Seam.SCREENING, Seam.VERIFICATION, Seam.ALIGNMENT,
    }
)  # fmt: skip
"""Where a defense may act in a federation of networks."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How every party trains its own network.

    Parameters
    ----------
    epochs, batch
        Passes over the training rows, and rows in a batch; the last batch of a
        pass may be smaller, or larger by one row that would be alone.
    optimizer, optimizers
        The optimizer of every party, and those of parties that use another one.
    class_weights
        Whether every class weighs the same in the loss (Eq. 3 of paper 001).
    precision
        ``full`` (32 bits), or ``bf16``: bottom models compute in 16 bits where that is safe.
    first_weights
        How weights are drawn before training: ``pytorch``, as PyTorch does by default, or ``he`` (He et al.,
        ICCV 2015), as in paper 001. A pretrained encoder keeps its own.
    device
        ``cpu`` or ``cuda``.

    Examples
    --------
    >>> quick = OptimizerSettings(learning_rate=0.1)
    >>> TrainingSettings(optimizers={"shop": quick}).optimizer_of("shop").learning_rate
    0.1
    """

    epochs: int = 20
    batch: int = 64
    optimizer: OptimizerSettings = OptimizerSettings()
    optimizers: dict[str, OptimizerSettings] = field(default_factory=dict)
    class_weights: bool = False
    precision: Precision = "full"
    first_weights: FirstWeights = "pytorch"
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_counts(epochs=self.epochs, batch=self.batch)
        check_choice(FirstWeights, first_weights=self.first_weights)

    def check(self, part: OwnPart) -> None:
        """Refuse a party's columns or a device with which networks cannot be trained like this."""
        if len(part.rows) < self.batch:
            raise BadSetting(
                f"There are {len(part.rows)} training rows, fewer than one batch of {self.batch}. "
                "Use more rows, or a smaller batch (--model batch=16)."
            )
        check_numbers(part, self.device)

    def check_names(self, parties: Sequence[str]) -> None:
        """Refuse optimizers for parties that there are none of."""
        for party in self.optimizers:
            if party not in parties:
                raise UnknownName("party", party, known=parties)

    def optimizer_of(self, party: str) -> OptimizerSettings:
        """Return the optimizer of one party."""
        return self.optimizers.get(party, self.optimizer)

    def setup(
        self,
        bottom: Callable[[OwnPart], Backbone],
        head: Callable[[int], Head],
        trains_head: str | None = None,
        *,
        equal_widths: bool = True,
    ) -> NetworkSetup:
        """Return a federation of such networks, ready to be trained; a head with something to learn names its party."""
        return NetworkSetup(
            architecture=bottom,
            head=head,
            optimizer=lambda part: self.optimizer_of(part.party).build,
            head_optimizer=self.optimizer_of(trains_head).build if trains_head is not None else None,
            epochs=self.epochs,
            batch=self.batch,
            class_weights=self.class_weights,
            device=self.device,
            precision=self.precision,
            first_weights=self.first_weights,
            equal_widths=equal_widths,
            schedule=lambda party: self.optimizer_of(party).schedule(self.epochs),
        )


def check_numbers(part: OwnPart, device: str) -> None:
    """Refuse columns that networks cannot read, and a device that is not here."""
    if np.isnan(part.features).any():
        raise BadSetting(
            f"The columns of '{part.party}' have missing values, which networks cannot follow. "
            "Fill them (--impute instead of --keep-missing), or choose a federation of trees."
        )
    if device != "cpu" and not re.fullmatch(r"cuda(:\d+)?", device):
        raise BadSetting(f"device is '{device}', but only cpu and cuda are known. Use --device cpu.")
    if device != "cpu" and not torch.cuda.is_available():
        raise BadSetting(f"device is '{device}', but PyTorch sees no GPU here. Use --device cpu.")
