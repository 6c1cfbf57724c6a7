"""What an adversary does to its own part so that intermediate results say more of a property."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from seepage.shapes import Integers, Labels, Mask, Rows
from seepage.views.auxiliary import KnownRows

if TYPE_CHECKING:
    from torch import Tensor

    from seepage.attacks.steps.augmentation.refinement import Refinement


@dataclass(frozen=True, eq=False)
class Augmentation:
    """Label replacement and model refinement on auxiliary rows (§V-C of paper 000).

    People whom nobody else knows stand in for aligned rows first, where auxiliary
    rows are such people.

    Parameters
    ----------
    known
        The auxiliary rows.
    replace
        Whether the label of each of them becomes its property.
    refinement
        What pulls on the bottom model; None leaves it alone.

    Examples
    --------
    >>> known = KnownRows(rows=np.array([4, 1]), source=np.array([4, 1]), has=np.array([True, False]))
    >>> Augmentation(known, replace=True).labels(np.array([0, 1, 0, 1, 0]))
    array([0, 0, 0, 1, 1])
    """

    known: KnownRows
    replace: bool
    refinement: "Refinement | None" = None

    def labels(self, labels: Labels) -> Labels:
        """Put the property in the place of the label, on auxiliary rows alone."""
        changed = self.known.in_labels(labels)
        if self.replace:
            changed = changed.copy()
            changed[self.known.rows] = self.known.has
        return changed

    def extra_loss(self, embedding: "Tensor", rows: Rows) -> "Tensor | None":
        """Return the refinement's loss of auxiliary rows in the batch; each weighs as much as a row of the task."""
        if self.refinement is None:
            return None
        import torch

        places, has = self._among(rows)
        if not len(places):
            return None
        outputs = embedding[torch.from_numpy(places).to(embedding.device)]
        return self.refinement.loss(outputs, torch.from_numpy(has).to(embedding.device)) / len(rows)

    @cached_property
    def _sorted(self) -> tuple[Rows, Mask]:
        order = np.argsort(self.known.rows)
        return self.known.rows[order], self.known.has[order]

    def _among(self, rows: Rows) -> tuple[Integers, Mask]:
        """Return where auxiliary rows stand in a batch, and whether each has the property."""
        known, has = self._sorted
        nearest = np.searchsorted(known, rows).clip(max=len(known) - 1)
        (places,) = np.nonzero(known[nearest] == rows)
        return places, has[nearest[places]]
