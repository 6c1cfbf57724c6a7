"""What is built for users holds everything that an audit and its report need, and nothing that belongs to us alone."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build wheel and sdist as `make package` does."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_wheel_holds_every_file_of_the_package(built):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        packed = {name for name in wheel.namelist() if name.startswith("seepage/")}
    written = {
        str(path.relative_to(ROOT / "src"))
        for path in (ROOT / "src" / "seepage").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == written


def test_the_sdist_has_the_sources_and_the_tests_and_no_results_of_work(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "src/seepage/__init__.py", "tests/conftest.py"} <= names
    assert not any(name.split("/")[0].startswith(".venv") or "__pycache__" in name for name in names)


def test_a_program_installed_from_the_wheel_audits_and_reports(built, tmp_path):
    """Run from the unpacked wheel, in an empty folder, with nothing of the checkout on the path."""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")
    wanted = ["--federation", "logistic-regression", "--attack", "gradient-sign", "--defense", "none", "--seeds", "1"]
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); import seepage.cli as cli; print(cli.__file__); cli.main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(tmp_path / "site"), "audit", "iris", "--jobs", "0", *wanted],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "site"))
    assert (tmp_path / "seepage-audit" / "report.html").is_file()
