"""A predicate on one column of a table."""

import math
from dataclasses import dataclass

import numpy as np

from seepage.data.table import Column, Table
from seepage.errors import BadSetting, BadTable, UnknownName
from seepage.shapes import Mask

RANGE = ".."


@dataclass(frozen=True)
class Property:
    """What some people have and others have not: a category, a number, or a range of numbers.

    Parameters
    ----------
    column
        The attribute that it speaks about.
    value
        A category or a number, or a range ``LOW..HIGH`` with both ends in it,
        either of which may be left away: ``65..`` is 65 and above.

    Examples
    --------
    >>> table = Table(
    ...     "tiny", (Column("age", np.array([41.0, 17.0, 66.0])), Column("sex", np.array([0, 1, 1]), ("f", "m"))),
    ...     labels=np.array([0, 1, 0]), classes=("no", "yes"), ids=np.arange(3),
    ... )
    >>> Property.parse("sex=m").rows_of(table), Property.parse("age=18..65").rows_of(table)
    (array([False,  True,  True]), array([ True, False, False]))
    """

    column: str
    value: str

    @classmethod
    def parse(cls, text: str) -> "Property":
        """Read ``COLUMN=VALUE``.

        >>> Property.parse("month=may")
        Property(column='month', value='may')
        """
        column, equals, value = text.partition("=")
        if not equals or not column.strip() or not value.strip():
            raise BadSetting(
                f"Property '{text}' is not COLUMN=VALUE. "
                "Write sex=Male, or for a range of numbers age=30..40, age=65.. or age=..17 (both ends count)."
            )
        return cls(column.strip(), value.strip())

    def __str__(self) -> str:
        return f"{self.column}={self.value}"

    def rows_of(self, table: Table) -> Mask:
        """Say of every row whether it has the property; a row without a value has not."""
        if self.column == table.label_name and self.column not in table.column_names:
            raise BadTable(
                f"Property '{self}' speaks about the label, which the active party holds: labels are stolen by other "
                "attacks. Choose another column."
            )
        column = table[self.column]
        holds = self._category(column) if column.levels is not None else self._number(column)
        if holds.all() or not holds.any():
            which = "Every row" if holds.all() else "No row"
            raise BadTable(
                f"{which} of {table.name} has the property '{self}', so there is no fraction to estimate. "
                "Choose another value or range."
            )
        return holds

    def _category(self, column: Column) -> Mask:
        levels = [level.strip() for level in column.levels or ()]
        if self.value not in levels:
            raise UnknownName(f"value of '{self.column}'", self.value, known=levels)
        return np.isin(column.values, [place for place, level in enumerate(levels) if level == self.value])

    def _number(self, column: Column) -> Mask:
        low, dots, high = self.value.partition(RANGE)
        try:
            least = float(low) if low.strip() else -math.inf
            most = float(high) if dots and high.strip() else math.inf if dots else least
        except ValueError:
            raise BadSetting(
                f"Property '{self}': column '{self.column}' holds numbers, but '{self.value}' is neither a number nor "
                f"a range of them. Write {self.column}=5, {self.column}=5..9, or {self.column}=5.. for 5 and above."
            ) from None
        if not (low.strip() or high.strip()):
            raise BadSetting(f"Property '{self}': the range has no end. Write {self.column}=5.. or {self.column}=..5.")
        if math.isnan(least) or math.isnan(most) or least > most:
            raise BadSetting(f"Property '{self}': the range must go from a lower to a higher number.")
        values = column.values
        with np.errstate(invalid="ignore"):
            return np.asarray((values >= least) & (values <= most))
