"""Names that a package hands on, imported when somebody asks for them: listing what there is needs no NumPy."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazily(package: str, *modules: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that hands on what its ``__all__`` names, out of some of its modules.

    >>> find = lazily("seepage.attacks", "attack")
    >>> find("Attack").__module__
    'seepage.attacks.attack'
    >>> find("Atack")
    Traceback (most recent call last):
        ...
    AttributeError: module 'seepage.attacks' has no attribute 'Atack'
    """

    def find(name: str) -> Any:
        if name in sys.modules[package].__all__:
            for module in modules:
                found = import_module(f"{package}.{module}")
                if hasattr(found, name):
                    return getattr(found, name)
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return find
