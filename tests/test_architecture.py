"""How the code is laid out; import-linter checks who may import whom (make check)."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from module_state import remembered

SOURCE = Path(__file__).parents[1] / "src" / "seepage"
FILES = sorted(SOURCE.rglob("*.py"))


def test_imports_go_one_way():
    from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

    root = SOURCE.parents[1]
    assert lint_imports(config_filename=str(root / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


def test_a_file_says_what_it_holds_and_a_folder_is_no_drawer():
    unnamed = {"utils", "helpers", "common", "manager", "handler", "base", "misc"}
    assert [path for path in FILES if path.stem in unnamed or not ast.get_docstring(ast.parse(path.read_text()))] == []
    crowded = Counter(path.parent for path in FILES)
    assert {folder: count for folder, count in crowded.items() if count > 20} == {}


def test_the_page_of_the_architecture_names_what_is_there():
    root = SOURCE.parents[1]
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page[page.index("## I want to add") : page.index("## Folders")]
    named = re.findall(r"`([\w./-]+(?:/|\.py|\.md))`", table)
    homes = (SOURCE, root)
    assert len(named) > 30 and [name for name in named if not any((home / name).exists() for home in homes)] == []


def test_what_a_folder_offers_is_sorted():
    for path in SOURCE.rglob("__init__.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                names = ast.literal_eval(node.value)
                assert names == sorted(names, key=lambda name: (not name.isupper(), name)), path


def test_nothing_is_unpickled_but_what_a_process_is_asked_by_the_one_that_started_it():
    for path in FILES:
        text = path.read_text()
        if path.relative_to(SOURCE).as_posix() in {"audit/engines/worker.py", "audit/isolation/asking.py"}:
            assert text.count("pickle.load") == 1  # what a process is asked by its parent, not what it answers
            text = text.replace("pickle.loads", "")
        assert "pickle.load" not in text and "allow_pickle=True" not in text and "torch.load" not in text


@pytest.mark.parametrize("folder", ["attacks", "views"])
def test_messages_and_models_are_read_through_what_was_declared(folder):
    allowed = {"view.py", "digest.py"}  # the readers themselves, and what names all that is there
    files = [path for path in (SOURCE / folder).rglob("*.py") if path.name not in allowed]
    assert [path for path in files if re.search(r"view\.(messages|snapshots)\b", path.read_text())] == []


def test_nothing_branches_on_the_name_of_a_federation():
    """Attacks, views and reasons ask what was declared; catalogs, choices for plans and papers may name names."""
    from seepage.federations import FEDERATIONS

    named = rf"(==|!=|\bin\b)\s*[({{\[]?\s*[\"']({'|'.join(FEDERATIONS.own)})[\"']"
    files = [path for path in FILES if "papers" not in path.parts]
    assert [path for path in files if re.search(named, path.read_text())] == []
    folders = ("attacks", "learners", "scores", "views")
    readers = [path for path in FILES if path.relative_to(SOURCE).parts[0] in folders]
    assert [path for path in readers if re.search(r"agreement\.settings\b", path.read_text())] == []


HARMLESS = {
    "audit/isolation/limits.py": {"_CURRENT"},  # how attempts are made here
    "audit/isolation/outside.py": {"_described"},  # what attacks from outside say of themselves, by their code
    "audit/plan/settings.py": {"_adapter"},  # what checks the settings of a class, by class
    "audit/stages/fingerprints.py": {"versions"},  # of installed packages
    "catalogs.py": {"_LENT"},  # classes that a caller brought along
    "crypto/heu_library.py": {"load_heu"},  # a library with its threads
    "crypto/histograms.py": {"_bin_kernel", "_group_kernel"},  # compiled kernels, by the number of slots
    "messages.py": {"_OUTSIDE"},  # kinds of messages of other packages, by name
    "payload_shapes.py": {"_REGISTERED"},  # what these carry
    "threads.py": {"_THREADS", "_pool"},  # how many threads kernels may use, and threads that stay
}
"""What modules remember without holding anything that was worked out from data or truth."""


def test_no_module_keeps_results():
    places = {path.relative_to(SOURCE).as_posix(): path for path in FILES}
    kept = {place: remembered(path.read_text()) - HARMLESS.get(place, set()) for place, path in places.items()}
    assert {place: names for place, names in kept.items() if names} == {}, "pass it by hand, in a Remembered"


@pytest.mark.parametrize(
    "source",
    [
        "kept: dict[bytes, int] = {}",
        "kept = OrderedDict()",
        "kept = defaultdict(list)",
        "kept = Remembered(most=8)",
        "kept: Final = ContextVar('kept', default=None)",
        "kept = None\ndef keep(it):\n    global kept\n    kept = it",
        "kept = {'first': 1}\ndef keep(key, it):\n    kept[key] = it",
        "kept = [1]\ndef keep(it):\n    kept.append(it)",
        "kept = Table()\ndef keep(it):\n    kept.last = it",
        "from seepage.somewhere import kept\ndef keep(it):\n    kept.update(it)",
        "@cache\ndef kept(data): ...",
        "@functools.lru_cache(maxsize=2)\ndef kept(data): ...",
        "kept = lru_cache(maxsize=2)(load)",
        "if True:\n    kept = set()",
    ],
)
def test_whatever_a_module_could_keep_results_in_is_found(source):
    assert remembered(source) == {"kept"}


@pytest.mark.parametrize(
    "source",
    [
        "KINDS = {'a': 1}\ndef kinds():\n    return KINDS['a']",
        "KINDS = {'a': 1}\ndef kinds(KINDS):\n    KINDS['a'] = 2",
        "def gathered():\n    found = []\n    found.append(1)\n    return found",
        "@njit(cache=True)\ndef add(a, b): ...",
        "NAMES = dict(a=1)",
    ],
)
def test_constants_and_what_a_function_fills_for_itself_are_no_memory(source):
    assert remembered(source) == set()
