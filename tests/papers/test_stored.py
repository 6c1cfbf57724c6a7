"""Tables are drawn from what was kept of them, and from nothing else."""

import lzma

import pytest
from typer.testing import CliRunner

from imagined_orders import changed
from seepage.cli.app import app
from seepage.errors import BadOutput
from seepage.papers.order import Order
from seepage.papers.stored import keep, read_stored
from seepage.papers.trees.tree_setting import AVILA, BREAST_CANCER, tree_plan
from seepage.papers.trees.tree_tables import TABLE2

SMALL = changed(TABLE2, (BREAST_CANCER, AVILA))


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    file = tmp_path_factory.mktemp("kept") / "table2.jsonl.xz"
    return file, SMALL.lines(Order(only="breast_cancer", seeds=2, keep=file))


def ours(lines, heading):
    return {line[heading] for line in lines if line["whose"] == "ours"}


def test_lines_are_the_same_and_nothing_is_run(kept, monkeypatch):
    file, lines = kept
    monkeypatch.setattr("seepage.papers.order.run_sweep", None)
    assert SMALL.lines(Order(stored=read_stored(file))) == lines
    assert ours(lines, "seeds") == {"2"}


def test_what_was_not_run_has_no_numbers(kept):
    lines = SMALL.lines(Order(only="avila", stored=read_stored(kept[0])))
    assert ours(lines, "ID2Graph") == {"–"}


def test_what_is_kept_later_stands_beside_what_was_kept_before(kept, tmp_path):
    file, lines = kept
    both = tmp_path / "both.jsonl.xz"
    both.write_bytes(file.read_bytes())
    ((_, found),) = read_stored(file).held.values()
    keep(both, tree_plan(AVILA), "avila", found)
    assert read_stored(both).data == {"breast_cancer", "avila"}
    assert SMALL.lines(Order(only="breast_cancer", stored=read_stored(both))) == lines


@pytest.mark.parametrize(
    "line", ["{}", "[1]", "no JSON", '{"folder": "a", "plan": "b", "data": "c", "findings": [{}]}']
)
def test_other_files_are_refused_in_a_sentence(line, tmp_path):
    file = tmp_path / "other.jsonl.xz"
    for content in (b"", line.encode(), lzma.compress(f"{line}\n".encode())):
        file.write_bytes(content)
        with pytest.raises(BadOutput, match="holds no findings of a table"):
            read_stored(file)


def test_the_command_prints_a_table_for_a_page(kept):
    file, lines = kept
    shown = CliRunner().invoke(app, ["reproduce", "tree/table2", "--from", str(file), "--markdown"])
    assert shown.exit_code == 0, shown.output
    heading, rule, *rows = shown.stdout.rstrip("\n").split("\n")
    assert heading.startswith("| data | model |") and set(rule) == {"|", "-"} and len(rows) == len(lines)


def test_a_file_that_is_not_there_and_a_folder_to_write_to_are_refused(tmp_path):
    for option, place in (("--from", tmp_path / "none.jsonl.xz"), ("--keep", tmp_path)):
        refused = CliRunner().invoke(app, ["reproduce", "tree/table2", option, str(place)])
        assert refused.exit_code == 2
