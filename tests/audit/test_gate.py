"""Limits for pipelines."""

import pytest

import imagined_findings
from command_line import typed
from seepage.audit.findings.finding import read_findings, write_findings
from seepage.audit.findings.gate import Limits, violations
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.summary import summarize
from seepage.errors import BadOutput, UnknownName


def finding(seed=0, **changes):
    usual = {"value": 0.8, "blind": 0.6, "utility": 0.9, "utility_undefended": 0.95, "seed": seed}
    return imagined_findings.finding(**{**usual, **changes})


LIMIT = Limits.parse(["labels=0.6"])


def test_a_leak_below_its_limit_passes_and_one_above_does_not():
    assert violations([finding()], LIMIT) == []
    (sentence,) = violations([finding(value=0.9)], LIMIT)
    assert "0.750" in sentence and "0.6" in sentence


def test_the_mean_over_seeds_counts_and_not_a_single_seed():
    assert violations([finding(0, value=1.0), finding(1, value=0.6)], LIMIT) == []
    assert violations([finding(0, value=1.0), finding(1, value=0.8)], LIMIT) != []


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "not applicable", "value": None, "reason": "no"},
        {"status": "failed", "value": None, "reason": "no"},
        {"role": "baseline"},
        {"asset": "features"},
        {"value": None},
    ],
)
def test_an_asset_with_a_limit_that_nobody_measured_does_not_pass(changes):
    assert any("nothing was measured" in sentence for sentence in violations([finding(**changes)], LIMIT))


def test_a_baseline_that_leaks_more_than_the_attack_does_not_pass_and_does_not_stand_in_for_one():
    harmless, leaking = finding(advantage=0.0, value=0.5), finding(attack="union", role="baseline")
    assert len(violations([harmless, leaking], Limits({"labels": 0.2}))) == 1
    alone = finding(attack="local-clustering", role="baseline", advantage=0.0, value=0.5)
    assert violations([alone], Limits({"labels": 0.2})) == [
        "labels: nothing was measured, so the limit of 0.2 is not known to hold."
    ]


def test_a_line_without_room_for_an_advantage_does_not_pass_beside_one_that_has():
    found = violations([finding(blind=0.995), finding(defense="top-k")], LIMIT)
    assert len(found) == 1 and "too close" in found[0]


def test_a_seed_that_failed_does_not_pass_silently():
    found = violations([finding(0), finding(1, status="failed", value=None, reason="no")], LIMIT)
    assert any("failed for 1 of its seeds" in sentence for sentence in found)


def test_a_defense_that_silences_most_rows_and_betrays_the_others_does_not_pass():
    quiet = finding(value=0.3, other_metrics={"abstained": 0.7, "top1_answered": 1.0})
    (line,) = summarize([quiet])
    assert line.advantage.mean == 0 and line.betrays_some_rows
    (sentence,) = violations([quiet], LIMIT)
    assert "answers for 30% of the rows only" in sentence and "1.000" in sentence
    assert violations([finding(other_metrics={"abstained": 0.7, "top1_answered": 0.61})], LIMIT) == []
    assert violations([finding(other_metrics={"abstained": 0.0, "top1_answered": 0.8})], LIMIT) == []


def test_a_defense_that_was_not_tried_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'top-k'"):
        violations([finding(defense="top-k")], LIMIT, defense="topk")


def test_one_defense_can_be_looked_at_alone():
    findings = [finding(value=1.0), finding(defense="top-k", defense_settings={"share": 0.1}, value=0.65)]
    assert len(violations(findings, LIMIT)) == 1
    assert violations(findings, LIMIT, defense="top-k") == []
    assert len(violations(findings, LIMIT, defense="none")) == 1


def test_summaries_average_seeds_and_keep_settings_apart():
    findings = [
        *(finding(seed, value=value) for seed, value in enumerate((0.7, 0.9))),
        finding(defense="top-k", defense_settings={"share": 0.1}, utility=0.5),
        finding(defense="top-k", defense_settings={"share": 0.2}, utility=0.7),
    ]
    lines = summarize(findings)
    assert [line.seeds for line in lines] == [2, 1, 1]
    assert lines[0].value == pytest.approx(0.8) and lines[0].advantage.mean == pytest.approx(0.5)
    assert [defense_label(line.first) for line in lines] == ["none", "top-k (share=0.1)", "top-k (share=0.2)"]
    assert lines[0].cost is None and lines[1].cost == pytest.approx(0.45)


def test_the_command_says_so_with_its_exit_status(tmp_path):
    write_findings(tmp_path, [finding()])
    typed("gate --max labels=0.6", tmp_path)
    assert "above the limit of 0.4" in typed("gate --max labels=0.4", tmp_path, status=1).stderr
    assert "nothing was measured" in typed("gate --max features=0.4", tmp_path, status=1).stderr


def test_numbers_that_are_none_and_an_empty_file_never_pass(tmp_path):
    line = write_findings(tmp_path, [finding()]).read_text().replace('"value": 0.8', '"value": NaN')
    (tmp_path / "findings.jsonl").write_text(line)
    with pytest.raises(BadOutput, match="line 1 is not a finding"):
        read_findings(tmp_path)
    (tmp_path / "findings.jsonl").write_text("")
    with pytest.raises(BadOutput, match="is empty"):
        read_findings(tmp_path)


def test_names_with_unusual_line_ends_survive(tmp_path):
    odd = finding(adversary=("la\u2028b\u0085",))
    write_findings(tmp_path, [odd, odd])
    assert read_findings(tmp_path) == [odd, odd]
