"""Names that users type, and the objects behind them, imported only when used."""

import ast
import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar, cast

from seepage.errors import BadPlugIn, UnknownName

T = TypeVar("T")

_PLACE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d][\w.<>]*")
_NO_FILE: Final = frozenset({"__main__", "builtins"})
_NOTHING: Final[Mapping[str, "Lent"]] = MappingProxyType({})
_LENT: ContextVar[Mapping[str, "Lent"]] = ContextVar("lent", default=_NOTHING)


def is_place(name: str) -> bool:
    """Whether a name says where a class lives, as ``package.module:Class``, instead of standing in a catalog.

    >>> is_place("my_package.my_module:MyAttack"), is_place("gradient-sign")
    (True, False)
    """
    return _PLACE.fullmatch(name) is not None


@dataclass(frozen=True)
class Lent:
    """A class that a caller brought along; one without a file has a mark that no other call shares."""

    made: type[Any]
    mark: str


def is_importable(place: str) -> bool:
    """Whether another process could find a class: not one of a notebook, nor one inside a function.

    >>> is_importable("my_module:MyAttack"), is_importable("__main__:MyAttack")
    (True, False)
    """
    return not place.startswith("__main__:") and "<locals>" not in place


def _mark(place: str) -> str:
    return "" if is_importable(place) else token_hex(8)


@contextmanager
def lending(classes: Mapping[str, type[Any]]) -> Iterator[None]:
    """Let every catalog know classes by their place inside, those too that nobody could import."""
    token = _LENT.set({**_LENT.get(), **{place: Lent(made, _mark(place)) for place, made in classes.items()}})
    try:
        yield
    finally:
        _LENT.reset(token)


def is_lent(name: str) -> bool:
    """Whether a caller brought the class along, to be used in this process."""
    return name in _LENT.get()


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an object lives, as ``package.module:Name``, and what is said of it instead of its docstring.

    >>> Entry("seepage.errors:BadPlan").load().__name__
    'BadPlan'
    """

    place: str
    said: str = ""
    outside: bool = False
    mark: str = ""

    @property
    def summary(self) -> str:
        """One line about it: what is said of it, or the first line of its docstring, read without importing it.

        >>> Entry("seepage.catalogs:Entry").summary.partition(",")[0]
        'Where an object lives'
        """
        if self.said:
            return self.said
        module, _, name = self.place.partition(":")
        file = Path(getattr(find_spec(module), "origin", None) or "")
        nodes = ast.parse(file.read_bytes()).body if file.is_file() else []
        docstrings = [ast.get_docstring(node) for node in nodes if isinstance(node, ast.ClassDef) and node.name == name]
        return (next(iter(docstrings), None) or "").partition("\n")[0]

    @property
    def fingerprint(self) -> str:
        """What changes when code from outside does: a digest of its whole package. Ours changes with the version.

        Nothing is imported to find it. Code without a file of its own is never taken for the same twice.
        """
        if not self.outside:
            return ""
        top = self.place.partition(":")[0].partition(".")[0]
        found = find_spec(top) if top not in _NO_FILE else None
        if found is None:
            return f"{self.place} {self.mark}"
        folders = [Path(place) for place in found.submodule_search_locations or ()]
        files = sorted(file for folder in folders for file in folder.rglob("*.py"))
        files += [Path(found.origin)] if found.origin is not None and not files and Path(found.origin).exists() else []
        digest = hashlib.sha256(f"{self.place} {self.mark}".encode())
        for file in files:
            digest.update(file.name.encode() + file.read_bytes())
        return digest.hexdigest()

    def load(self) -> object:
        """Import the object."""
        module, _, name = self.place.partition(":")
        found: Any = import_module(module)
        for step in name.split("."):
            found = getattr(found, step)
        return cast("object", found)


@dataclass(frozen=True)
class Catalog(Generic[T]):
    """One visible table of names, and what other packages add through entry points.

    Listing a catalog imports nothing, so that ``seepage list`` answers at once.
    A name of ours cannot be taken over from outside. What stands in no catalog
    is called by its place, ``package.module:Class``.

    Parameters
    ----------
    demands
        What a class from outside must have to be one of these.
    joins
        Whether several of these can be asked for as one, their names joined by a plus.
    """

    kind: str
    group: str
    own: Mapping[str, Entry]
    demands: tuple[str, ...] = ()
    joins: bool = False

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """All names: ours, then those found through entry points."""
        outside = {
            point.name: Entry(point.value, _summary_of(point), outside=True)
            for point in entry_points(group=self.group)
            if point.name not in self.own
        }
        return {**self.own, **outside}

    def parts(self, name: str) -> tuple[str, ...]:
        """Return the names that NAME joins; most stand for one thing.

        >>> from seepage.defenses.catalog import DEFENSES
        >>> DEFENSES.parts("top-k+dropout"), DEFENSES.parts("top-k")
        (('top-k', 'dropout'), ('top-k',))
        """
        return tuple(part.strip() for part in name.split("+")) if self.joins else (name,)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def entry(self, name: str) -> Entry:
        """Return where NAME lives, or say which names there are."""
        if is_lent(name):
            return Entry(name, "Brought along.", outside=True, mark=_LENT.get()[name].mark)
        if name not in self.entries and is_place(name):
            return Entry(name, "Named by its place.", outside=True)
        if name not in self.entries:
            raise UnknownName(self.kind, name, known=self.entries)
        return self.entries[name]

    def __getitem__(self, name: str) -> T:
        """Import what NAME stands for, or say which names there are."""
        if is_lent(name):
            return cast("T", _LENT.get()[name].made)
        entry = self.entry(name)
        return cast("T", load_fitting(self.kind, entry.place, self.demands) if entry.outside else entry.load())


def load_fitting(kind: str, place: str, demands: tuple[str, ...] = ()) -> object:
    """Import code from outside, or say in one sentence why it cannot be used.

    >>> load_fitting("attack", "json:loads", ("run",))
    Traceback (most recent call last):
        ...
    seepage.errors.BadPlugIn: Attack json:loads is no class. Name a class, as package.module:Class.
    """
    called = f"{kind.capitalize()} {place}"
    try:
        found = Entry(place).load()
    except (Exception, SystemExit) as error:  # importing it runs code that nobody here has read
        module = place.partition(":")[0]
        if isinstance(error, ModuleNotFoundError) and error.name is not None and module.startswith(error.name):
            raise BadPlugIn(
                f"{called} cannot be imported: there is no module '{error.name}'. Install its package, or put its "
                "folder on PYTHONPATH."
            ) from error
        raise BadPlugIn(f"{called} cannot be imported: {type(error).__name__}: {error}.") from error
    if not demands:
        return found
    if not isinstance(found, type):
        raise BadPlugIn(f"{called} is no class. Name a class, as package.module:Class.")
    if not is_dataclass(found):
        raise BadPlugIn(f"{called} is no dataclass. Its settings must be the fields of a frozen dataclass.")
    own = {field.name for field in fields(found)}
    lacking = [name for name in demands if name not in own and not hasattr(found, name)]
    if lacking:
        raise BadPlugIn(f"{called} lacks {' and '.join(lacking)}, so it is no {kind}. Add what is lacking.")
    return found


def _summary_of(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "another package"
    return f"From {package}."
