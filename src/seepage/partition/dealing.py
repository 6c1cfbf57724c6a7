"""How the columns of a table are to be dealt, as one value that a plan can hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from numpy.random import Generator

from seepage.data.table import Table
from seepage.errors import BadPartition, UnknownName
from seepage.layouts import Meaning
from seepage.partition.deal import by_importance, halves, named, random_columns, with_shared
from seepage.partition.partition import Partition
from seepage.shapes import Rows

DealingKind: TypeAlias = Literal["random", "halves", "by-importance", "stripes", "named"]


def sizes_of(
    total: int, parties: Sequence[str], adversary: str, share: float | None, *, unit: str = "columns"
) -> Mapping[str, int]:
    """Divide columns between parties: the adversary gets its share, the others split the rest evenly.

    Without a share everybody gets the same. What does not divide goes to the
    parties named first. A share below 1 leaves everybody else at least one
    column; a share of 1 leaves the others none, which only an active party may
    be asked to bear.

    >>> dict(sizes_of(10, ["active", "shop", "lab"], "lab", 0.5))
    {'active': 3, 'shop': 2, 'lab': 5}
    """
    if total < len(parties):
        raise BadPartition(
            f"{total} {unit} cannot be dealt to {len(parties)} parties; name fewer parties, or bring more {unit}."
        )
    if share is None:
        return dict(zip(parties, _evenly(total, len(parties)), strict=True))
    if not 0 < share <= 1:
        raise BadPartition(f"The adversary's share of the {unit} must be above 0 and at most 1, got {share}.")
    others = [party for party in parties if party != adversary]
    most = total if share == 1 else total - len(others)
    own = min(max(1, round(share * total)), most)
    rest = dict(zip(others, _evenly(total - own, len(others)), strict=True))
    return {party: own if party == adversary else rest[party] for party in parties}


def _evenly(total: int, parts: int) -> list[int]:
    each, left = divmod(total, parts)
    return [each + (place < left) for place in range(parts)]


@dataclass(frozen=True)
class Dealing:
    """Who gets which columns.

    Parameters
    ----------
    kind
        ``random``: whole columns at random. ``halves``: in the order of the
        table, the first ones to the active party; pictures are cut from left to
        right. ``by-importance``: the columns that tell most about the label go
        to the adversary. ``stripes``: vertical stripes of pictures.
        ``named``: as `columns` says.
    parties
        How many parties there are; `names` or `columns` say so too.
    names
        The parties, the active one first. By default ``active`` and
        ``passive``, or ``passive-1`` and so on.
    adversary_share
        Which share of the columns the adversary gets; the others split the rest
        evenly. By default everybody gets the same.
    adversary
        Who that is; by default the party named last.
    columns
        Party → columns for ``named``; columns not named are left out.
    overlap
        Whether `columns` may name a column for several parties.
    labels_only
        Whether the active party holds labels alone, as the server of paper 001
        does; all columns are then dealt to the other parties.
    shared
        Which share of the other parties' columns the adversary holds as well: drawn at random where columns are, and
        the stripes next to its own of pictures and texts.
    kept
        Columns that are not dealt at random but go to `keeper`: the attributes of
        properties, which their victim holds.
    keeper
        Who that is; by default the last party that is not the adversary.

    Examples
    --------
    >>> Dealing(parties=3).party_names
    ('active', 'passive-1', 'passive-2')
    """

    kind: DealingKind = "random"
    parties: int = 2
    names: tuple[str, ...] = ()
    adversary_share: float | None = None
    adversary: str | None = None
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    overlap: bool = False
    labels_only: bool = False
    shared: float = 0.0
    kept: tuple[str, ...] = ()
    keeper: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(DealingKind):
            raise UnknownName("partition", self.kind, known=get_args(DealingKind))
        if (self.kind == "named") != bool(self.columns):
            raise BadPartition(
                f"Columns are {'not ' * (not self.columns)}named for parties, but the partition is '{self.kind}'. "
                "Name columns for every party, or choose a way to deal them; not both."
            )
        self._check_parties()
        if self.adversary_share is not None and not 0 < self.adversary_share <= 1:
            raise BadPartition(f"The adversary's share must be above 0 and at most 1, got {self.adversary_share}.")
        if not 0 <= self.shared <= 1:
            raise BadPartition(f"The shared part of columns must lie between 0 and 1, got {self.shared}.")
        if self.labels_only and (self.kind == "named" or self.favored == self.party_names[0]):
            raise BadPartition(
                "The active party is to hold labels alone, so its columns cannot be named and it cannot be the one "
                "whose share is set. Name it without columns instead (--party NAME=)."
            )
        if self.shared and self.kind not in {"random", "stripes"}:
            raise BadPartition(f"Columns are shared at random or in stripes, but the partition is '{self.kind}'.")

    def _check_parties(self) -> None:
        names = self.party_names
        if len(names) < 2:
            raise BadPartition(f"A federation needs at least two parties, got {len(names)}.")
        if len(set(names)) != len(names):
            raise BadPartition(f"Two parties have the same name in {', '.join(names)}; name each differently.")
        if self.names and not self.columns and self.parties not in (2, len(self.names)):
            raise BadPartition(f"{len(self.names)} parties are named, but {self.parties} are asked for.")
        if self.adversary is not None and self.adversary not in names:
            raise UnknownName("party", self.adversary, known=names)

    @property
    def party_names(self) -> tuple[str, ...]:
        """All parties, the active one first."""
        if self.columns:
            return tuple(self.columns)
        if self.names:
            return self.names
        if self.parties == 2:
            return ("active", "passive")
        return ("active", *(f"passive-{place}" for place in range(1, self.parties)))

    @property
    def favored(self) -> str:
        """The adversary."""
        return self.adversary or self.party_names[-1]

    def deal(self, table: Table, train: Rows, rng: Generator) -> Partition:
        """Deal the columns of a table; the same generator deals the same hands."""
        if self.kind == "named":
            return named(table, self.columns, overlap=self.overlap)
        layout, width = table.layout, len(table.columns)
        if self.kind == "stripes" and layout.whole is None:
            raise BadPartition(f"{table.name} holds no pictures to cut into stripes; choose another partition.")
        if self.kind in {"halves", "stripes"}:
            sizes = self._sizes(len(layout.slices(width)), unit=layout.slice)
            return halves(table, sizes, self.favored, self.shared)
        sizes = self._sizes(width, unit=layout.column)
        if self.kind == "by-importance" and layout.meaning is Meaning.NAMES:
            raise BadPartition(
                f"{table.name} holds texts, whose words have no columns of their own, so that none is more important. "
                "Cut the text into pieces instead (--partition halves)."
            )
        if self.kind == "by-importance":
            return by_importance(table, sizes, self.favored, train, rng)
        for name in self.kept:
            table[name]  # says which columns there are when this is none of them
        keeper = self.keeper or next(party for party in reversed(self.party_names) if party != self.favored)
        dealt = random_columns(table, sizes, rng, tuple(dict.fromkeys(self.kept)), keeper)
        return with_shared(table, dealt, self.favored, self.shared, rng, self.kept) if self.shared else dealt

    def _sizes(self, total: int, *, unit: str) -> Mapping[str, int]:
        active, *passive = self.party_names
        holders = passive if self.labels_only else self.party_names
        return {active: 0, **sizes_of(total, holders, self.favored, self.adversary_share, unit=unit)}
