"""Plug-ins that cannot be used, files that lie about, and attacks that print do no harm to a command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
QUICK = ["--data", "iris", "--federation", "summed-network", "--model", "epochs=2", "--seeds", "1", "--json", "-"]

NOISY = '''
from dataclasses import dataclass
from typing import ClassVar

from seepage.hooks import Seam, on_message
from seepage.views import Kind


@dataclass(frozen=True)
class Noisy:
    """Changes nothing, and talks all the time."""

    acts_on: ClassVar = frozenset({Seam.MESSAGE})
    rewrites: ClassVar = frozenset({Kind.GRADIENT})

    def start(self, own_part, rng):
        print("noise on standard output")
        return on_message(Kind.GRADIENT, lambda message: message)
'''


def run(arguments, path, cwd, **options):
    """Run Python with these folders on its path besides its own."""
    everything = os.pathsep.join([*map(str, path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": everything.rstrip(os.pathsep)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=cwd, capture_output=True, text=True, timeout=240, **options
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install a package whose plug-ins are broken in every way, but for one."""
    folder = tmp_path_factory.mktemp("broken")
    (folder / "broken_exits.py").write_text("import sys\nsys.exit(0)\n")
    (folder / "noisy.py").write_text(NOISY)
    about = folder / "broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[seepage.attacks]\nabsent = no_such_module:Attack\nfunctional = hostile:function\nlacking = hostile:Lacking\n"
        "exiting = broken_exits:Attack\nworking = hostile:Hostile\n"
        "[seepage.defenses]\ndefenseless = no_such_module:Defense\n"
    )
    return folder


def test_an_audit_that_tries_everything_goes_on_without_what_cannot_be_used(installed, tmp_path):
    program = "\n".join(
        [
            "import json, sys",
            "from seepage.audit.plan.defaults import default_choices",
            "chosen = default_choices()",
            "named = {key: [one['name'] for one in chosen[key]] for key in chosen}",
            "json.dump({'imported': 'hostile' in sys.modules or 'broken_exits' in sys.modules, **named}, sys.stdout)",
        ]
    )
    found = run(["-W", "always", "-c", program], [installed, TESTS], tmp_path)
    assert found.returncode == 0, found.stderr
    chosen = json.loads(found.stdout)
    assert "working" in chosen["attacks"] and "gradient-sign" in chosen["attacks"] and not chosen["imported"]
    assert not {"absent", "functional", "lacking", "exiting"} & set(chosen["attacks"])
    assert "defenseless" not in chosen["defenses"] and "laplace-noise" in chosen["defenses"]
    for said in ("absent is left out.", "there is no module 'no_such_module'", "is no class", "lacks steals"):
        assert said in found.stderr
    assert "SystemExit: 0" in found.stderr and "defenseless is left out." in found.stderr


def test_one_that_is_named_is_refused_with_status_2_and_a_sentence(installed, tmp_path):
    found = run(["-m", "seepage", "attack", "exiting", *QUICK], [installed, TESTS], tmp_path)
    assert found.returncode == 2 and found.stdout == ""
    assert found.stderr.startswith("Error: Attack broken_exits:Attack cannot be") and "Traceback" not in found.stderr


def test_findings_are_all_there_is_on_standard_output_and_no_file_that_lies_about_is_run(installed, tmp_path):
    for name in ("struct", "typing_extensions", "torch"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'a').write('{name} ')\n")
    options = ["--defense", "noisy:Noisy", "--set", "deed=print", "--jobs", "1", *QUICK]
    found = run(["-m", "seepage", "attack", "hostile:Hostile", *options], [installed, TESTS], tmp_path)
    assert found.returncode == 0, found.stderr
    (finding,) = map(json.loads, found.stdout.splitlines())
    assert finding["attack"] == "hostile:Hostile" and finding["status"] == "ok" and finding["defense"] == "noisy:Noisy"
    assert "noise on standard output" in found.stderr and "printed by an attack" in found.stderr
    assert not (tmp_path / "executed").exists()
