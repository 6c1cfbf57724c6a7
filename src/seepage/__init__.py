"""Measures what leaks between the parties of a vertical federation, and what stops it."""

from importlib import import_module
from typing import Any

__all__ = ["audit"]


def __getattr__(name: str) -> Any:
    """Import `seepage.audit` only when somebody asks for it."""
    if name == "audit":
        return import_module("seepage.audit")
    raise AttributeError(f"module 'seepage' has no attribute '{name}'")
