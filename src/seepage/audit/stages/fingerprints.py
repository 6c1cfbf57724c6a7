"""What a result was made by: a digest of the code behind it, so that an old folder never answers for new code."""

import ast
import hashlib
import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

PACKAGE: Final = "seepage"
DIGITS: Final = 24
LIBRARIES = ("seepage", "numba", "numpy", "scikit-learn", "scipy", "torch", "xgboost-cpu")


@dataclass(frozen=True, eq=False)
class Sources:
    """Reads the source of modules of this package, each once.

    A module stands for itself and all that it imports, at its top or inside its
    functions; what is imported for type checkers alone runs nowhere. Catalogs name objects
    without importing them, so an attack's code is in the fingerprint of that attack alone.

    >>> sources = Sources()
    >>> sources.behind("seepage.randomness") == sources.behind("seepage.randomness")
    True
    >>> "seepage.shapes" in sources.reached("seepage.messages"), "seepage.audit" in sources.reached("seepage.messages")
    (True, False)
    """

    _files: dict[str, tuple[str, frozenset[str]]] = field(default_factory=dict, repr=False)
    _found: dict[tuple[str, ...], str] = field(default_factory=dict, repr=False)
    _places: dict[str, Path | None] = field(default_factory=dict, repr=False)

    def behind(self, *modules: str) -> str:
        """Return a digest of the code of some modules and of all that they rest on."""
        if modules not in self._found:
            parts = [f"{name} {self._read(name)[0]}" for name in sorted(self.reached(*modules))]
            self._found[modules] = digest(*parts)
        return self._found[modules]

    def reached(self, *modules: str) -> set[str]:
        """Return the modules of our package that some modules import, themselves among them."""
        waiting, seen = list(modules), set[str]()
        while waiting:
            module = waiting.pop()
            if module not in seen and self._place(module) is not None:
                seen.add(module)
                waiting += self._read(module)[1]
        return seen

    def _place(self, module: str) -> Path | None:
        if module not in self._places:
            self._places[module] = _file_of(module)
        return self._places[module]

    def _read(self, module: str) -> tuple[str, frozenset[str]]:
        """Return the digest of one file, and which of our modules it imports."""
        if module not in self._files:
            path = self._place(module)
            text = path.read_bytes() if path is not None else b""
            self._files[module] = hashlib.sha256(text).hexdigest(), frozenset(_imports(ast.parse(text)))
        return self._files[module]


def digest(*parts: str) -> str:
    """Return a short name for some texts.

    >>> digest("a", "b") == digest("a", "b"), digest("a", "b") == digest("ab")
    (True, False)
    """
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:DIGITS]


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE


def _file_of(module: str) -> Path | None:
    """Return the file of one of our modules; None for a name that is no module."""
    place = Path(__file__).parents[2].joinpath(*module.split(".")[1:])
    for path in (place / "__init__.py", place.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _imports(tree: ast.AST) -> Iterator[str]:
    """Yield what a file imports of our package, as modules or as names that may be modules."""
    for node in _executed(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _is_ours(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module is not None and _is_ours(node.module):
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk over everything but what is there for type checkers alone."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


@cache
def versions() -> dict[str, str]:
    """Return the versions a finding records.

    >>> sorted(versions())
    ['numba', 'numpy', 'python', 'scikit-learn', 'scipy', 'seepage', 'torch', 'xgboost-cpu']
    """
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
