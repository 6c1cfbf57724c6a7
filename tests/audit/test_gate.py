"""Limits for pipelines."""

import json
from xml.etree import ElementTree

import pytest

import imagined_findings
from command_line import typed
from seepage.audit.findings.finding import read_findings, write_findings
from seepage.audit.findings.gate import Demand, Limits, checks, violations
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.summary import summarize
from seepage.audit.findings.survey import Survey
from seepage.errors import BadOutput, BadSetting, UnknownName


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


def complaints(findings, **demanded):
    """Return what is said against findings, by rule."""
    return [
        (one.rule, one.sentence) for check in checks(Survey(findings), Demand(**demanded)) for one in check.complaints
    ]


def seeds(*values, **changes):
    return [finding(seed, value=value, blind=0.5, **changes) for seed, value in enumerate(values)]


def test_the_upper_end_counts_where_it_is_asked_for():
    unsure = seeds(0.55, 0.65, 0.60)
    limits = Limits({"labels": 0.3})
    assert complaints(unsure, limits=limits) == []
    ((rule, sentence),) = complaints(unsure, limits=limits, upper=True)
    assert rule == "leak" and "is 0.200 [0.000, 0.448]; the upper end is above the limit of 0.3." in sentence
    assert complaints(seeds(0.60, 0.61, 0.60), limits=limits, upper=True) == []
    once = complaints(seeds(0.6), limits=limits, upper=True)
    assert [rule for rule, _ in once] == ["unknown", "doubt"] and "no upper end" in once[0][1]


def test_marks_are_quoted_beside_every_number():
    ((_, sentence), *_) = complaints(seeds(0.9, audited_rows=5000, all_rows=30000), limits=LIMIT)
    assert sentence.endswith("is 0.800, above the limit of 0.6 (1 seed; a sample of 5,000 of 30,000 rows).")


def test_one_seed_a_sample_and_an_unread_federation_are_doubts():
    lacking = {"value": None, "status": "not applicable", "reason": "no", "federation": "forest"}
    found = [*seeds(0.6, audited_rows=50, all_rows=100), finding(**lacking)]
    found += [finding(federation="forest", role="baseline", attack="local-clustering", value=0.5)]
    told = complaints(found, limits=LIMIT)
    assert [rule for rule, _ in told] == ["doubt"] * 3
    assert "One seed" in told[0][1] and "a sample of 50 of 100 rows" in told[1][1]
    assert told[2][1] == "labels by lab on forest: no attack gave a number there, so nothing read what crossed."
    assert complaints(found[:1], limits=LIMIT, federation="summed-network")[-1][1].startswith("These numbers are")


def test_one_federation_and_one_adversary_can_be_looked_at_alone():
    found = [*seeds(1.0, 1.0, 1.0), *seeds(0.6, 0.6, 0.6, federation="forest"),
             *seeds(0.6, 0.6, 0.6, adversary=("lab", "shop"))]  # fmt: skip
    ((_, sentence),) = complaints(found, limits=LIMIT)
    assert "gradient-sign by lab on summed-network" in sentence
    assert complaints(found, limits=LIMIT, federation="forest") == []
    assert complaints(found, limits=LIMIT, adversary=("shop", "lab")) == []
    with pytest.raises(UnknownName, match="federation in these findings"):
        complaints(found, limits=LIMIT, federation="forst")
    with pytest.raises(UnknownName, match="adversary in these findings"):
        complaints(found, limits=LIMIT, adversary=("bank",))


def test_a_defense_has_to_keep_its_share_of_the_gain():
    gained = {"defense": "top-k", "utility": 0.93, "utility_undefended": 0.95}
    kept = seeds(0.5, 0.5, 0.5, **gained, utility_alone=0.85)
    assert complaints(kept, least_kept=0.7, defense="top-k") == []
    ((rule, sentence),) = complaints(kept, least_kept=0.9, defense="top-k")
    assert rule == "gain" and "top-k on summed-network keeps a share of 0.800 [0.800, 0.800]" in sentence
    ((rule, sentence),) = complaints(seeds(0.5, 0.5, 0.5, **gained), least_kept=0.7, defense="top-k")
    assert rule == "unknown" and "was not measured" in sentence
    ((rule, sentence),) = complaints(
        seeds(0.5, 0.5, 0.5, **gained, utility_alone=0.949), least_kept=0.7, defense="top-k"
    )
    assert rule == "unknown" and "lies within noise" in sentence
    with pytest.raises(BadSetting, match="name one with --defense"):
        Demand(least_kept=0.5)
    with pytest.raises(BadSetting, match="a share from 0 to 1"):
        Demand(least_kept=50, defense="top-k")


def test_strict_fails_on_what_is_otherwise_a_warning(tmp_path):
    write_findings(tmp_path, [finding()])
    passed = typed("gate --max labels=0.6", tmp_path)
    assert "Warning: One seed" in passed.stderr and "No leak is above its limit (1 seed)." in passed.stdout
    assert "One seed" in typed("gate --strict --max labels=0.6", tmp_path, status=1).stderr
    write_findings(tmp_path, [finding(seed) for seed in range(3)])
    assert typed("gate --strict --max labels=0.6", tmp_path).stderr == ""


ODD = "la\x1b[31mb\x00 <&>"


def test_pipelines_can_read_what_was_checked_whatever_parties_are_called(tmp_path):
    run = tmp_path / "a run"
    run.mkdir()
    write_findings(run, [finding(federation="forest", value=0.7), finding(value=0.9, adversary=(ODD,))])
    files = {name: tmp_path / "new" / name for name in ("gate.xml", "gate.sarif")}
    line = f"gate --max labels=0.6 --junit '{files['gate.xml']}' --sarif '{files['gate.sarif']}'"
    assert "\x1b" not in typed(line, run, status=1).output
    suites = ElementTree.fromstring(files["gate.xml"].read_text())
    assert (suites.tag, suites.get("tests"), suites.get("failures")) == ("testsuites", "6", "1")
    (failed,) = [case for case in suites.iter("testcase") if case.find("failure") is not None]
    assert "la\\x1b[31mb\\x00 <&>" in failed.get("name") and "above the limit" in failed.find("failure").get("message")
    assert all(case.get("classname") and case.get("name") for case in suites.iter("testcase"))
    assert [case.find("system-out").text for case in suites.iter("testcase") if case.find("system-out") is not None]

    log = json.loads(files["gate.sarif"].read_text())
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json") and len(log["runs"]) == 1
    (ran,) = log["runs"]
    rules = {rule["id"] for rule in ran["tool"]["driver"]["rules"]}
    assert ran["tool"]["driver"]["name"] == "seepage" and len(ran["results"]) == 2
    for result in ran["results"]:
        assert result["ruleId"] in rules and result["level"] in {"error", "warning"} and result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith("/a%20run/findings.jsonl")
    leak = ran["results"][0]
    assert leak["level"] == "error" and leak["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}


def test_a_file_that_cannot_be_written_is_said_before_anything_else(tmp_path):
    write_findings(tmp_path, [finding()])
    assert "is a folder" in typed(f"gate --max labels=0.6 --junit '{tmp_path}'", tmp_path, status=2).stderr
    assert "No limit is given" in typed("gate", tmp_path, status=2).stderr
