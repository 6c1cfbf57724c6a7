"""A module stands for all that it runs, and for nothing else."""

from pathlib import Path

import pytest

from seepage.audit.stages import fingerprints
from seepage.audit.stages.fingerprints import Sources


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write modules of a package of ours that exists for this test alone."""

    def write(**modules):
        for name, text in modules.items():
            (tmp_path / f"{name}.py").write_text(text)
        return Sources()

    def file_of(module):
        place = tmp_path / f"{module.removeprefix('seepage.')}.py"
        return place if place.is_file() else None

    monkeypatch.setattr(fingerprints, "_file_of", file_of)
    return write


@pytest.mark.parametrize(
    "importing",
    [
        "import seepage.b",
        "from seepage.b import thing",
        "from seepage import b",
        "def late():\n    from seepage.b import thing\n",
        "try:\n    import seepage.b\nexcept ImportError:\n    raise\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import json\nelse:\n    import seepage.b\n",
    ],
)
def test_what_is_imported_counts_wherever_that_stands(package, importing):
    before = package(a=importing, b="one = 1").behind("seepage.a")
    assert package(b="one = 2").behind("seepage.a") != before


@pytest.mark.parametrize(
    "unrelated",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from seepage.b import thing\n",
        "import typing\nif typing.TYPE_CHECKING:\n    from seepage.b import thing\n",
        "place = 'seepage.b:thing'\n",
        "import json\n",
    ],
)
def test_what_runs_nowhere_does_not_count(package, unrelated):
    before = package(a=unrelated, b="one = 1").behind("seepage.a")
    assert package(b="one = 2").behind("seepage.a") == before


def test_modules_that_import_each_other_are_read_once(package):
    assert package(a="import seepage.b", b="import seepage.a").reached("seepage.a") == {"seepage.a", "seepage.b"}


def test_a_changed_step_of_one_attack_leaves_other_attacks_alone(monkeypatch):
    step = "seepage.attacks.steps.values.regression"
    attacks = {
        "uses it": "seepage.attacks.features.embedding_regression",
        "does not": "seepage.attacks.labels.gradient_sign",
    }
    assert step in Sources().reached(attacks["uses it"])
    before = {which: Sources().behind(module) for which, module in attacks.items()}
    read = Path.read_bytes
    monkeypatch.setattr(
        Path,
        "read_bytes",
        lambda path: read(path) + b"\n# changed" * (path.stem == "regression" and "steps" in path.parts),
    )
    after = {which: Sources().behind(module) for which, module in attacks.items()}
    assert {which for which in attacks if before[which] != after[which]} == {"uses it"}
