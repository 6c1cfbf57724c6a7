"""Names that users type, and the objects behind them, imported only when used."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

from seepage.errors import UnknownName

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an object lives, as ``package.module:Name``, and one line about it.

    >>> Entry("seepage.shapes:ImageShape", "How pictures are folded.").load().__name__
    'ImageShape'
    """

    place: str
    summary: str
    outside: bool = False

    def load(self) -> object:
        """Import the object."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)


@dataclass(frozen=True)
class Catalog(Generic[T]):
    """One visible table of names, and what other packages add through entry points.

    Listing a catalog imports nothing, so that ``seepage list`` answers at once.
    A name of ours cannot be taken over from outside.
    """

    kind: str
    group: str
    own: Mapping[str, Entry]

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """All names: ours, then those found through entry points."""
        outside = {
            point.name: Entry(point.value, _summary_of(point), outside=True)
            for point in entry_points(group=self.group)
            if point.name not in self.own
        }
        return {**self.own, **outside}

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def module(self, name: str) -> str:
        """Return the module that the code behind NAME lies in."""
        if name not in self.entries:
            raise UnknownName(self.kind, name, known=self.entries)
        return self.entries[name].place.partition(":")[0]

    def __getitem__(self, name: str) -> T:
        """Import what NAME stands for, or say which names there are."""
        if name not in self.entries:
            raise UnknownName(self.kind, name, known=self.entries)
        return cast("T", self.entries[name].load())


def _summary_of(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "another package"
    return f"From {package}."
