"""Missing values: refused, filled, or followed by trees."""

import numpy as np
import pytest

import seepage
from command_line import found
from seepage.data import Column, Encoding, Table, encode
from seepage.errors import AuditError, BadTable
from small_audits import asked


def table_with_gaps(folder):
    rng = np.random.default_rng(0)
    lines = ["a,b,c,d,y"]
    for _ in range(120):
        label = int(rng.integers(2))
        cells = [f"{label + rng.normal() * 0.7:.3f}" if rng.random() > 0.25 else "" for _ in range(3)]
        lines.append(",".join([*cells, "red" if rng.random() > 0.5 else "blue", str(label)]))
    path = folder / "gaps.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_gaps_stay_gaps_where_they_are_kept():
    column = Column("a", np.array([0.0, np.nan, 4.0]))
    words = Column("w", np.array([0, -1, 1]), levels=("blue", "red"))
    table = Table("tiny", (column, words), labels=np.array([0, 1, 0]), classes=("no", "yes"), ids=np.arange(3))
    kept = encode(table, np.arange(3), Encoding(kind="ordinal", missing="keep")).matrix
    assert np.isnan(kept).tolist() == [[False, False], [True, True], [False, False]]
    filled = encode(table, np.arange(3), Encoding(kind="ordinal")).matrix
    assert not np.isnan(filled).any()
    np.testing.assert_array_equal(kept[[0, 2], 0], filled[[0, 2], 0])


@pytest.mark.parametrize("federation", ["decision-tree", "forest", "boosting"])
@pytest.mark.parametrize("defense", [[], ["label-dp"], ["purity-limit"]])
def test_trees_follow_missing_values_to_the_end_of_an_audit(federation, defense, tmp_path):
    findings = seepage.audit(
        table_with_gaps(tmp_path), label="y", keep_missing=True, parties={"bank": ["a"], "shop": ["b", "c", "d"]},
        federations=[federation], attacks=["id2graph", "local-clustering", "union-clustering"], defenses=defense,
        seeds=1,
    )  # fmt: skip
    assert all(finding.status == "ok" for finding in findings)


def test_networks_say_that_they_cannot_follow(tmp_path):
    with pytest.raises(AuditError, match=r"missing values, which networks cannot follow.*impute=True"):
        seepage.audit(
            table_with_gaps(tmp_path), label="y", keep_missing=True, federations=["summed-network"],
            attacks=["gradient-sign"], defenses=[], seeds=1,
        )  # fmt: skip


def test_without_a_word_they_are_refused_and_both_ways_are_named(tmp_path):
    with pytest.raises(BadTable, match=r"impute=True.*keep_missing=True"):
        seepage.audit(table_with_gaps(tmp_path), label="y", seeds=1)


def test_filled_and_kept_at_once_is_refused():
    with pytest.raises(AuditError, match="either filled"):
        asked({"name": "iris", "impute": True, "keep_missing": True})


def test_a_tree_that_parts_gaps_from_values_can_be_stored_and_attacked_again(tmp_path):
    """Its threshold is infinite: every value goes left, and what is missing goes right."""
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=200)
    lines = [
        f"{a:.3f},{'' if y else f'{b:.3f}'},{'no' if y else 'yes'}"
        for a, b, y in zip(*rng.random((2, 200)), label, strict=True)
    ]
    path = tmp_path / "gaps.csv"
    path.write_text("a,b,y\n" + "\n".join(lines) + "\n")
    line = "--federation decision-tree --label y --party bank=a --party shop=b --keep-missing --seeds 1 --jobs 0"
    first = found(f"attack path-restriction {line}", "--data", path, "--keep-transcript", tmp_path / "run")
    again = found("attack path-restriction --transcript", tmp_path / "run")
    assert first["value"] == again["value"] == 1.0
