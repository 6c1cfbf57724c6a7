"""Who holds which columns."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from seepage.errors import BadPartition


@dataclass(frozen=True)
class Partition:
    """Party → columns. The first party is the active one: it holds the labels.

    >>> Partition({"bank": ("age", "income"), "shop": ("visits",)}).active
    'bank'
    >>> Partition({"bank": ("age",), "shop": ()})
    Traceback (most recent call last):
        ...
    seepage.errors.BadPartition: Party 'shop' holds no columns; only the active party ('bank') may be without. ...

    Parameters
    ----------
    left_out
        Columns that whoever holds them knows and leaves out of training, so that no model reads them.
    """

    columns: Mapping[str, tuple[str, ...]]
    overlap: bool = field(default=False, kw_only=True)
    left_out: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if len(self.columns) < 2:
            raise BadPartition(
                f"{len(self.columns) or 'No'} {'party is' if len(self.columns) == 1 else 'parties are'} named, "
                "but a federation needs at least two; the first is the active party."
            )
        for party in self.passive:
            if not self.columns[party]:
                raise BadPartition(
                    f"Party '{party}' holds no columns; only the active party ('{self.active}') may be without. "
                    f"Give '{party}' at least one column."
                )
        counts = Counter(name for names in self.columns.values() for name in set(names))
        within = Counter((party, name) for party, names in self.columns.items() for name in names)
        for (party, name), times in within.items():
            if times > 1:
                raise BadPartition(f"Column '{name}' is named {times} times for party '{party}'; name it once.")
        if not self.overlap:
            for name, times in counts.items():
                if times > 1:
                    holders = " and ".join(f"'{party}'" for party, names in self.columns.items() if name in names)
                    raise BadPartition(
                        f"Column '{name}' is given to {holders}; name it once, "
                        "or ask for overlapping columns (--overlap, or overlap = true in a plan)."
                    )

        self._check_left_out()

    def _check_left_out(self) -> None:
        held = {name for names in self.columns.values() for name in names}
        for name in self.left_out:
            if name not in held:
                raise BadPartition(f"Column '{name}' is to be left out of training, but no party holds it.")
        for party in self.passive:
            if not self.trained(party):
                raise BadPartition(
                    f"Party '{party}' is to leave all its columns out of training; give it one that it keeps in."
                )

    def trained(self, party: str) -> tuple[str, ...]:
        """Return the columns of a party that models read.

        >>> Partition({"bank": ("age",), "shop": ("sex", "visits")}, left_out=("sex",)).trained("shop")
        ('visits',)
        """
        return tuple(name for name in self.columns[party] if name not in self.left_out)

    @property
    def active(self) -> str:
        """The party that holds the labels."""
        return next(iter(self.columns))

    @property
    def passive(self) -> tuple[str, ...]:
        """All other parties."""
        return tuple(self.columns)[1:]
