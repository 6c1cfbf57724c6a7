"""The tutorial on rehearsals, typed as it stands by two people on two hosts."""

import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from typer.main import get_command

from seepage.audit.findings.finding import read_findings
from seepage.cli.app import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorials" / "rehearse-with-a-partner.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```sh\n# at the (\w+)[^\n]*\n(.*?)```", re.DOTALL)
PORT = "7443"


@pytest.fixture
def hosts(tmp_path):
    for name in ("bank", "shop"):
        shutil.copytree(ROOT / "examples" / "rehearsal" / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def typed(host, command, **options):
    """Type a command as the page has it."""
    program, *arguments = shlex.split(command)
    assert program == "seepage"
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "seepage", *arguments], cwd=host, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


def test_the_tutorial_does_what_it_says(hosts, unused_port):
    steps = [(host, command.replace(PORT, str(unused_port))) for host, command in BLOCK.findall(PAGE)]
    assert [host for host, _ in steps] == ["bank", "shop", "shop", "bank"]
    plan = re.search(r'```toml title="rehearsal.toml"\n(.*?)```', PAGE, re.DOTALL)[1]
    for host, command in steps[:2]:
        said, _ = typed(hosts / host, command).communicate(timeout=60)
        told = re.search(r"read out: ([0-9a-f ]+)", said)[1].strip()
        plan = plan.replace(f'{host} = "…"', f'{host} = "{told}"')
    for host, other in (("bank", "shop"), ("shop", "bank")):
        (hosts / host / "rehearsal.toml").write_text(plan, encoding="utf-8")
        shutil.copy(hosts / other / "keys" / f"{other}.crt", hosts / host / "keys")
    waiting, driving = (typed(hosts / host, command) for host, command in steps[2:])
    try:
        _, words = driving.communicate(timeout=240)
        assert driving.returncode == 0, words
        shown = re.search(r"```text\n(Each side.*?)```", PAGE, re.DOTALL)[1]
        assert shown in words
        _, words = waiting.communicate(timeout=60)
        assert waiting.returncode == 0, words
    finally:
        for process in (waiting, driving):
            process.kill()
            process.communicate()
    found = {host: read_findings(hosts / host / "seepage-rehearsal") for host in ("bank", "shop")}
    labels = [one for one in found["bank"] if one.asset == "labels" and one.advantage is not None]
    network = {one.defense: one.advantage for one in sorted(labels, key=lambda one: one.advantage)
               if one.federation == "split-network"}  # fmt: skip
    assert network[None] > 0.95 and network["label-dp"] < 0.5  # every one of them; most of that taken away
    assert {path.name for path in (hosts / "bank").iterdir()} == {"bank.csv", "keys", "rehearsal.toml", "seepage-rehearsal"}


def test_the_example_for_containers_types_commands_that_there_are():
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with mkdocs, an extra: pip install '.[docs]'")
    services = yaml.safe_load((ROOT / "examples" / "rehearsal" / "compose.yaml").read_text())["services"]
    for name, service in services.items():
        command, *arguments = shlex.split(service["command"])
        options = {option for one in get_command(app).commands[command].params for option in one.opts}
        assert {one for one in arguments if one.startswith("--")} <= options
        assert service["volumes"] == [f"./{name}:/data"]
