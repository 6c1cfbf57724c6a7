"""Columns that stay at home."""

import warnings
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator

from seepage.checks import check_shares
from seepage.errors import BadSetting, Remark
from seepage.hooks import Defense, Hook, Screening, Seam
from seepage.partition import OwnPart
from seepage.shapes import Array, Mask, Matrix


class FewColumns(Remark):
    """A party brings so few columns that confidences of a linear model give them all away."""


class EverythingCorrelated(Remark):
    """All columns of a party are above the limit; the least correlated one is kept."""


@dataclass(frozen=True, kw_only=True)
class FeatureScreening(Defense):
    r"""Before training, leave out columns that go with those of others, and warn of parties with few columns.

    "Pre-processing before collaboration" of paper 002, §VII. Every passive party

    - compares the number *d* of its encoded columns with the number *c* of
      classes: with :math:`d \le c - 1` the confidences of a linear model have an
      exact solution for them (§IV-A), should all other parties put together what they know;
    - leaves out each attribute of which an encoded column has a correlation
      above `limit` in magnitude with any column of any other party. The parties
      compute correlations by messages in which products take place under the
      owner's encryption; the owner alone opens them, and decides.

    The active party brings all of its columns: here it is the one to be kept
    from learning. If nothing would be left, a party keeps its least correlated attribute.

    What is left out is not in the model, so predictions say nothing of it. An
    adversary can still guess it: a column is left out *because* the others'
    columns tell it, and nothing here changes that.

    Parameters
    ----------
    limit
        The largest absolute Pearson correlation, over the training rows, that a
        column may have with any column of another party; in (0, 1]. With 1
        nothing is left out.
    few_columns
        What to do when :math:`d \le c - 1`, before screening or after it:
        ``warn``, or ``refuse`` to take part.
    """

    acts_on = frozenset({Seam.SCREENING})

    limit: float = 0.9
    few_columns: Literal["warn", "refuse"] = "warn"

    def __post_init__(self) -> None:
        check_shares(limit=self.limit)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: a passive party looks at its own columns."""
        del rng
        if own_part.labels is not None:
            return Hook()
        whole = own_part.layout.whole
        if whole is not None:
            raise BadSetting(
                f"feature-screening leaves out single columns, but those of '{own_part.party}' are the {whole}, "
                "which is to stay whole. Choose another defense."
            )
        self._check_number(own_part, own_part.width, "brings")
        return Hook(screening=self._screened)

    def _screened(self, screening: Screening) -> Screening:
        part = screening.part
        largest = strongest(screening.correlations, part.attributes)
        harmless = largest <= self.limit + 1e-12  # a limit of 1 leaves out nothing, whatever float64 makes of 1
        if not harmless.any():
            least = int(largest.argmin())
            harmless[least] = True
            warnings.warn(
                f"feature-screening: all columns of '{part.party}' correlate with another party's by more than "
                f"{self.limit:g}. '{part.columns[least]}', the least correlated, is kept.",
                EverythingCorrelated,
                stacklevel=2,
            )
        kept: Mask = harmless[part.attributes]
        if not kept.all():
            self._check_number(part, int(kept.sum()), "is left with")
        return replace(screening, kept=screening.kept & kept)

    def _check_number(self, part: OwnPart, width: int, verb: str) -> None:
        if part.classes is None or width > part.classes - 1:
            return
        found = (
            f"'{part.party}' {verb} {width} encoded column{'s' * (width != 1)} to {part.classes} classes; up to "
            f"{part.classes - 1}, confidences of a linear model can give them all away"
        )
        if self.few_columns == "refuse":
            raise BadSetting(f"{found}. It refuses to take part: bring more columns, or set few_columns to warn.")
        warnings.warn(f"feature-screening: {found}. Bring more columns.", FewColumns, stacklevel=4)


def strongest(correlations: Matrix, attributes: Array) -> Array:
    """Return the largest magnitude among the correlations of each attribute's columns.

    >>> strongest(np.array([[0.1, -0.9], [0.2, 0.0], [0.3, 0.4]]), np.array([0, 0, 1]))
    array([0.9, 0.4])
    """
    largest = np.zeros(int(attributes.max()) + 1)
    np.maximum.at(largest, attributes, np.abs(correlations).max(axis=1, initial=0.0))
    return largest
