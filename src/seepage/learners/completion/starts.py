"""What completing a model starts from."""

from dataclasses import dataclass

from torch import Tensor

from seepage.learners.completion.complete_model import Completed
from seepage.shapes import Labels, Rows


@dataclass(frozen=True, eq=False)
class Start:
    """A complete model before it learns, and what it may learn from.

    Parameters
    ----------
    model
        Bottom models under an inference head; it stays as it is, a copy learns.
    features
        All columns of the adversary side by side, row by row.
    known, labels
        Which of these rows are labeled, and their classes.
    unlabelled
        Which rows are learned from without labels.
    """

    model: Completed
    features: Tensor
    known: Rows
    labels: Labels
    unlabelled: Rows

    def __post_init__(self) -> None:
        if not len(self.known):
            raise ValueError("completing a model needs labeled rows, got none")
        if not len(self.unlabelled):
            raise ValueError("completing a model needs unlabeled rows, got none")
        if len(self.known) != len(self.labels):
            raise ValueError(
                f"every labeled row needs one label, got {len(self.known)} rows and {len(self.labels)} labels"
            )
        _check_range("labels", self.labels, self.model.head.classes)
        _check_range("labeled rows", self.known, len(self.features))
        _check_range("unlabeled rows", self.unlabelled, len(self.features))
        if self.features.shape[1] != sum(self.model.widths):
            raise ValueError(
                f"the bottom models read {sum(self.model.widths)} columns, got features with {self.features.shape[1]}"
            )


def _check_range(name: str, values: Rows, end: int) -> None:
    low, high = int(values.min()), int(values.max())
    if low < 0 or high >= end:
        raise ValueError(f"{name} must be between 0 and {end - 1}, got {low} to {high}")
