"""Bottom models at the parties, a top model at the label holder."""

from dataclasses import asdict, dataclass, field
from typing import ClassVar, Literal

from numpy.random import Generator

from seepage.federations.bottom import Precision
from seepage.federations.network_settings import (
    NETWORK_SEAMS,
    bottom_model,
    check_data,
    check_optimizers,
    check_training,
    check_widths,
)
from seepage.federations.network_training import NetworkRun, NetworkSetup, train_networks
from seepage.federations.words import check_attention, text_bottom
from seepage.hooks import Hooks, Seam
from seepage.messages import ModelKind
from seepage.models.architectures import Architecture
from seepage.models.heads import TopModel
from seepage.models.optimizers import OptimizerSettings
from seepage.partition import OwnPart, PartitionedTable
from seepage.transcript import Agreement, Recording


@dataclass(frozen=True, kw_only=True)
class SplitNetwork:
    """Split learning: embeddings are laid side by side and a top model reads them.

    Algorithm 2 of paper 001, with the label holder in the place of the server.
    What crosses: embeddings to the active party, their gradients back.

    Parameters
    ----------
    bottom
        ``mlp``, ``resnet`` where every party holds a piece of a picture,
        ``transformer`` where every party holds a piece of a text, or ``identity``
        where parties send their columns as they are.
    hidden, cut
        Widths of a bottom model, and of the embedding it sends.
    planes, blocks
        Width of each stage of a residual bottom model, and its blocks per stage.
    width, layers, heads
        Numbers for each word in a Transformer, its layers, and the heads of attention in each.
    encoder
        The folder of a pretrained BERT encoder to start from, which then sets all sizes.
    top
        Hidden widths of the top model.
    epochs, batch
        Passes over the training rows, and rows in a batch; the last batch of a
        pass may be smaller, or larger by one row that would be alone.
    optimizer, optimizers
        The optimizer of every party, and those of parties that use another one.
    class_weights
        Whether every class weighs the same in the loss.
    precision
        ``full`` (32 bits), or ``bf16``: bottom models compute in 16 bits where that is safe.
    device
        ``cpu`` or ``cuda``.
    """

    name: ClassVar[str] = "split-network"
    offers: ClassVar[frozenset[Seam]] = NETWORK_SEAMS

    bottom: Literal["mlp", "resnet", "transformer", "identity"] = "mlp"
    hidden: tuple[int, ...] = (64,)
    cut: int = 16
    planes: tuple[int, ...] = (16, 32, 64)
    blocks: int = 1
    width: int = 32
    layers: int = 2
    heads: int = 2
    encoder: str | None = None
    top: tuple[int, ...] = (32,)
    epochs: int = 20
    batch: int = 64
    optimizer: OptimizerSettings = OptimizerSettings()
    optimizers: dict[str, OptimizerSettings] = field(default_factory=dict)
    class_weights: bool = False
    precision: Precision = "full"
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_training(self.epochs, self.batch)
        check_widths(hidden=self.hidden, cut=(self.cut,), planes=self.planes, blocks=(self.blocks,), top=self.top)
        check_attention(self.width, self.layers, self.heads)

    def agreement(self, data: PartitionedTable) -> Agreement:
        """Return the public terms, or refuse data that cannot be trained on."""
        check_data(data, self.batch, self.device, bottom=self.bottom, encoder=self.encoder)
        check_optimizers(data, self.optimizers)
        return Agreement(
            federation=self.name,
            parties=data.parties,
            active=data.active,
            classes=len(data.classes),
            top_model=True,
            outputs=self.cut,
            settings=asdict(self),
            model=ModelKind.NETWORK,
        )

    def train(self, data: PartitionedTable, *, hooks: Hooks, record: Recording, rng: Generator) -> NetworkRun:
        """Train once."""
        setup = NetworkSetup(
            architecture=self._bottom,
            head=lambda joined: TopModel(joined, self.top, len(data.classes)),
            optimizer=lambda part: self.optimizers.get(part.party, self.optimizer).build,
            head_optimizer=self.optimizers.get(data.active, self.optimizer).build,
            epochs=self.epochs,
            batch=self.batch,
            class_weights=self.class_weights,
            device=self.device,
            precision=self.precision,
            schedule=lambda party: self.optimizers.get(party, self.optimizer).schedule(self.epochs),
        )
        return train_networks(data, setup, self.agreement(data), hooks=hooks, record=record, rng=rng)

    def _bottom(self, part: OwnPart) -> Architecture:
        if self.bottom == "transformer":
            return text_bottom(part, self.cut, self.width, self.layers, self.heads, self.encoder)
        return bottom_model(part, self.bottom, self.hidden, self.planes, self.blocks, self.cut, relu=True)
