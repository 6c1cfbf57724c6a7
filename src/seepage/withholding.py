"""Fields that were taken out of a value, and that say so when they are read."""

from collections.abc import Mapping
from copy import copy
from dataclasses import fields
from typing import Any, Final, TypeVar

from seepage.errors import UndeclaredNeed

T = TypeVar("T")
_WITHHELD: Final = "_withheld"


def without(value: T, withheld: Mapping[str, tuple[str, str]]) -> T:
    """Return a copy of a dataclass that lacks some fields; its class reads with `unless_withheld`.

    They are gone, not hidden: nothing is left of them in the copy.

    Parameters
    ----------
    withheld
        Field → what it is, and what to declare in order to read it.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Drawer:
    ...     letters: int
    ...     keys: int
    ...     __getattribute__ = unless_withheld
    >>> drawer = without(Drawer(letters=3, keys=1), {"keys": ("keys", "Declare the keys")})
    >>> drawer.letters
    3
    >>> drawer.keys
    Traceback (most recent call last):
        ...
    seepage.errors.UndeclaredNeed: The attack reads keys, which its needs do not declare.
    Declare the keys.
    """
    lacking = copy(value)
    for name in withheld:
        vars(lacking).pop(name)
    vars(lacking)[_WITHHELD] = dict(withheld)
    return lacking


def unless_withheld(value: object, name: str) -> Any:
    """Read an attribute; where it was taken out, raise what is to be declared. Serves as ``__getattribute__``."""
    withheld = object.__getattribute__(value, "__dict__").get(_WITHHELD, {})
    if name in withheld:
        raise UndeclaredNeed(*withheld[name])
    return object.__getattribute__(value, name)


def what_is_left(value: Any) -> str:
    """Write a dataclass as Python writes it, without what was taken out. Serves as ``__repr__``."""
    withheld = vars(value).get(_WITHHELD, {})
    shown = [
        f"{one.name}={getattr(value, one.name)!r}" for one in fields(value) if one.repr and one.name not in withheld
    ]
    return f"{type(value).__qualname__}({', '.join(shown)})"
