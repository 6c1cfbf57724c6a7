"""Files are written whole or not at all, and nothing is left of what could not be written."""

import os
import resource
import signal
import subprocess
import sys

import pytest

from seepage.errors import BadOutput
from seepage.files import check_file, check_place, private_folder, write_private


def test_a_disk_that_is_full_leaves_neither_half_a_file_nor_a_temporary_one(tmp_path):
    (tmp_path / "report.html").write_text("the page before")
    limit, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))  # as a full disk does, writing stops in the middle
    try:
        with pytest.raises(BadOutput, match=r"Cannot write .*report.html \(File too large\). Choose another place."):
            write_private(tmp_path / "report.html", "x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "the page before"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk takes root")
def test_a_real_disk_that_is_full_leaves_no_temporary_file(tmp_path):
    code = (
        "import subprocess, sys; from pathlib import Path; from seepage.errors import BadOutput; "
        "from seepage.files import write_private\n"
        "place = Path(sys.argv[1])\n"
        "mount = ['mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place]\n"
        "if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode:\n    sys.exit(7)\n"
        "try:\n    write_private(place / 'report.html', 'x' * 10**6)\n"
        "except BadOutput as error:\n    print(error, [path.name for path in place.iterdir()])\n"
    )
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    if done.returncode == 7 or "unshare" in done.stderr:
        pytest.skip("this machine mounts nothing")
    assert "No space left on device" in done.stdout and done.stdout.strip().endswith("[]")


def test_being_stopped_while_writing_leaves_no_temporary_file(tmp_path, monkeypatch):
    def stopped(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_private(tmp_path / "findings.jsonl", "x")
    assert not list(tmp_path.iterdir())


def test_a_place_is_checked_without_leaving_anything_there(tmp_path):
    assert check_place(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert check_file(tmp_path / "a" / "b.jsonl") == tmp_path / "a" / "b.jsonl"
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("here")
    with pytest.raises(BadOutput, match=r"file is a file; results need a folder. Choose another place with --out"):
        check_place(tmp_path / "file")
    with pytest.raises(BadOutput, match=r"file is a file; .*file/x cannot lie in it. Choose another place with --json"):
        check_file(tmp_path / "file" / "x" / "y.jsonl", option="--json")
    with pytest.raises(BadOutput, match=r"is a folder, but a file is to be written there"):
        check_file(tmp_path)
    with pytest.raises(BadOutput, match="Cannot write"):
        check_place(tmp_path / ("x" * 300))


def test_a_folder_is_for_its_owner_only(tmp_path):
    assert private_folder(tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
