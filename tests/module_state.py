"""Finds what a module of the package would remember from one run to the next."""

import ast
from collections.abc import Iterator

CACHES = {"cache", "lru_cache"}
CONTAINERS = {"dict", "list", "set", "bytearray", "OrderedDict", "defaultdict", "Counter", "deque", "ChainMap"}
KEEPERS = {*CONTAINERS, "ContextVar", "local", "Remembered", "WeakKeyDictionary", "WeakValueDictionary"}
"""Whoever binds one of these in a module, without anything in it yet, means to fill it later."""
WRITES = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "move_to_end", "pop", "popitem", "remove",
    "setdefault", "update",
}  # fmt: skip
LITERALS = (ast.Dict, ast.List, ast.Set)


def remembered(source: str) -> set[str]:
    """Return the names under which a module remembers anything: caches, and what is written to at run time.

    >>> sorted(remembered("KINDS = {'a': 1}\\n_seen = {}\\n@cache\\ndef load(path): ..."))
    ['_seen', 'load']
    """
    module = ast.parse(source)
    bound = {name: value for statement in module.body for name, value in _bound(statement)}
    found = {name for name, value in bound.items() if value is not None and _waits_to_be_filled(value)}
    for node in ast.walk(module):
        if isinstance(node, ast.Global):
            found.update(node.names)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found |= {node.name} if any(_called(one) in CACHES for one in node.decorator_list) else set()
            found |= set(_written(node)) & bound.keys() - _own_names(node)
    found |= {name for name, value in bound.items() if isinstance(value, ast.Call) and _called(value) in CACHES}
    return found


def _bound(statement: ast.stmt) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield what a statement binds in its module, also under conditions and by imports from the package."""
    if isinstance(statement, ast.Assign):
        yield from ((target.id, statement.value) for target in statement.targets if isinstance(target, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id, statement.value
    elif isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("seepage"):
        yield from ((alias.asname or alias.name, None) for alias in statement.names)
    elif isinstance(statement, (ast.If, ast.Try, ast.With)):
        for inner in (*statement.body, *getattr(statement, "orelse", ())):
            yield from _bound(inner)


def _called(node: ast.expr) -> str:
    """Return the last part of the name of what is called, or stands there to be called."""
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Call):
        return _called(function)
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _waits_to_be_filled(value: ast.expr) -> bool:
    """Say whether a value has nothing in it yet: an empty container, or a store of answers."""
    if isinstance(value, LITERALS):
        return not (value.keys if isinstance(value, ast.Dict) else value.elts)
    if not isinstance(value, ast.Call) or _called(value) not in KEEPERS:
        return False
    empty = not value.args and not value.keywords
    return empty or _called(value) not in CONTAINERS - {"defaultdict"}


def _written(function: ast.AST) -> Iterator[str]:
    """Yield the names of what a function writes into."""
    for node in ast.walk(function):
        places: list[ast.expr] = []
        if isinstance(node, (ast.Assign, ast.Delete)):
            places = node.targets
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            places = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
            places = [node.func]
        yield from (_root(place) for place in places if isinstance(place, (ast.Subscript, ast.Attribute)))


def _root(place: ast.expr) -> str:
    while isinstance(place, (ast.Subscript, ast.Attribute)):
        place = place.value
    return getattr(place, "id", "")


def _own_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the names that a function binds itself, its parameters among them."""
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return names | {
        node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
