"""Walks the line from a table to findings.

The folder can be called: ``seepage.audit("people.csv", label="y")`` is `seepage.audit.api.audit`.
"""

import sys
from types import ModuleType
from typing import Any


class _CallableFolder(ModuleType):
    """A package that is also the function its users look for; see ``docs/decisions``."""

    def __call__(self, *args: Any, **settings: Any) -> Any:
        from seepage.audit.api import audit

        return audit(*args, **settings)


sys.modules[__name__].__class__ = _CallableFolder
