"""Measures what leaks between the parties of a vertical federation, and what stops it."""

from importlib import import_module
from typing import Any

__all__ = ["Recorder", "audit", "recommend"]


def __getattr__(name: str) -> Any:
    """Import `seepage.audit` and what records runs only when somebody asks for them."""
    if name == "audit":
        return import_module("seepage.audit")
    if name == "recommend":
        return import_module("seepage.audit.recommending.api").recommend
    if name == "Recorder":
        return import_module("seepage.audit.recordings.recorder").Recorder
    raise AttributeError(f"module 'seepage' has no attribute '{name}'")
