"""The documentation is whole: a page for everything with a name, every setting and option on it, every link alive."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer.main

from seepage.attacks import ATTACKS
from seepage.audit.plan.plan import AttackChoice, Choice, DataPlan, PartitionPlan, Plan
from seepage.cli.app import app
from seepage.data import DATASETS
from seepage.defenses import DEFENSES
from seepage.federations import FEDERATIONS
from seepage.papers.catalog import TABLES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s#]+)(?:#[^)]*)?\)")


def text_of(page: Path) -> str:
    assert page.is_file(), f"{page.relative_to(ROOT)} is missing"
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("catalog", "folder"), [(ATTACKS, "attacks"), (DEFENSES, "defenses")], ids=["attacks", "defenses"]
)
def test_every_attack_and_defense_has_a_page_with_all_its_settings(catalog, folder):
    for name in catalog.own:
        page = text_of(DOCS / folder / f"{name}.md")
        assert page.startswith(f"# {name}\n")
        for field in fields(catalog[name]):
            assert f"`{field.name}`" in page, f"{name} does not explain {field.name}"


def test_no_page_still_waits_for_numbers():
    waiting = [page.name for page in DOCS.rglob("*.md") if re.search(r"^(TABLE|PICTURE):", text_of(page), re.MULTILINE)]
    assert waiting == []


def test_every_federation_is_described_with_all_its_settings():
    page = text_of(DOCS / "federations.md")
    for name in FEDERATIONS.own:
        assert f"\n## {name}\n" in page
        for field in fields(FEDERATIONS[name]):
            assert f"`{field.name}`" in page, f"{name} does not explain {field.name}"


def test_every_data_set_is_listed():
    page = text_of(DOCS / "data.md")
    assert [name for name in DATASETS.own if f"`{name}`" not in page] == []


def test_every_reproduced_table_has_its_numbers_on_a_page():
    pages = [text_of(page) for page in (DOCS / "results").glob("*.md")]
    assert [name for name in TABLES.own if not any(f"seepage reproduce {name}" in page for page in pages)] == []


def test_every_key_of_a_plan_is_explained():
    page = text_of(DOCS / "plan.md")
    for part in (Plan, DataPlan, PartitionPlan, Choice, AttackChoice):
        for key in part.model_fields:
            assert f"`{key}`" in page, f"docs/plan.md does not explain {key}"


def test_every_option_of_every_command_is_explained():
    sections = text_of(DOCS / "command-line.md").split("\n## ")
    for name, command in typer.main.get_command(app).commands.items():
        (section,) = [part for part in sections if part.startswith(f"seepage {name}\n")]
        readers = {"Options of": {"audit", "plan"}, "Options that": {"audit", "plan", "attack"}}
        shared = "".join(
            part for part in sections for title, names in readers.items() if part.startswith(title) and name in names
        )
        for parameter in command.params:
            if parameter.param_type_name == "option":
                option = parameter.opts[0]
                assert f"`{option}" in section + shared, f"seepage {name} does not explain {option}"


def test_pipelines_of_the_gate_page_can_be_read_and_use_options_that_there_are():
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with mkdocs, an extra: pip install '.[docs]'")
    blocks = re.findall(r"^```yaml\n(.*?)^```", text_of(DOCS / "gate.md"), re.DOTALL | re.MULTILINE)
    github, gitlab = (yaml.safe_load(block) for block in blocks)
    steps = [step["run"] for step in github["jobs"]["gate"]["steps"] if "run" in step]
    commands = typer.main.get_command(app).commands
    for lines in (steps, gitlab["leakage"]["script"]):
        called = [shlex.split(line)[1:] for line in lines if line.startswith("seepage ")]
        assert [name for name, *_ in called] == ["audit", "gate"]
        for name, *words in called:
            known = {option for parameter in commands[name].params for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= known


def test_every_page_is_in_the_navigation():
    navigation = text_of(ROOT / "mkdocs.yml")
    pages = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")]
    assert [page for page in pages if f" {page}\n" not in navigation] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/outside/README.md"])
def test_links_between_files_lead_somewhere(name):
    page = ROOT / name
    targets = {found["target"] for found in LINK.finditer(text_of(page))}
    local = {target for target in targets if "://" not in target}
    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is an extra: pip install '.[docs]'")
def test_the_site_builds_without_a_warning(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is an extra: pip install '.[docs]'")
def test_the_site_loads_nothing_from_elsewhere():
    configuration = text_of(ROOT / "mkdocs.yml")
    assert "font: false" in configuration
    assert "http" not in configuration
