"""An adversary who picks its attack without the truth: by what it knows, and by nothing else."""

from dataclasses import dataclass, replace

import numpy as np

from hand_made import agreed
from made_up_attacks import OnLabels
from seepage.audit.findings.circumstances import Surroundings
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.gate import Limits, violations
from seepage.audit.findings.scenes import scenes
from seepage.audit.findings.summary import summarize
from seepage.audit.findings.survey import Survey
from seepage.audit.recordings.recorded_run import RecordedRun
from seepage.audit.scoring.truth import Truth
from seepage.audit.stages.attacking import attack_run
from seepage.audit.stages.chaining import Memory
from seepage.audit.stages.choosing import Candidate, grounded, picked, weighed
from seepage.audit.stages.work import Evidence, Record
from seepage.guesses import ClusterGuess, LabelGuess
from seepage.report.page import render
from seepage.transcript import Transcript
from seepage.views import Knowledge, Needs, ThreatModel

ROWS = 40
LABELS = np.arange(ROWS) % 2
KNOWN = np.arange(8)
TERMS = agreed()
AROUND = Surroundings(data="ours", federation="ours", parties=2, seed=0)


@dataclass(frozen=True)
class Saying(OnLabels):
    """Says of known rows what it is told to, and of all others something else."""

    of_known: tuple[int, ...]
    right_of_others: bool
    learns: bool = True

    @property
    def needs(self):
        return Needs(labels_per_class=4 if self.learns else 0)

    def run(self, view, rng):
        said = LABELS if self.right_of_others else 1 - LABELS
        said = np.concatenate((self.of_known, said[len(KNOWN) :]))
        known = view.knowledge.known_rows if self.learns else KNOWN[:0]
        rows = np.setdiff1d(np.arange(ROWS), known)
        return LabelGuess(rows, np.eye(2)[said[rows]] * 0.6 + 0.2)


@dataclass(frozen=True)
class Grouping(OnLabels):
    """Groups rows, and names nothing."""

    def run(self, view, rng):
        return ClusterGuess(np.arange(ROWS), LABELS)


def candidate(attack, name, role="attack"):
    labelled = KNOWN if attack.needs.labels_per_class else KNOWN[:0]
    knowledge = Knowledge(
        threat=ThreatModel(adversaries=("shop",), labels_per_class=attack.needs.labels_per_class),
        train=np.arange(ROWS),
        known_rows=labelled,
        known_labels=LABELS[labelled],
    )
    run = RecordedRun(Transcript(TERMS, ()), knowledge, Truth(LABELS), AROUND)
    return Candidate(name, attack, knowledge, attack_run(run, attack, name), key=name)


def chosen(candidates):
    """What each adversary picks, by what speaks for each of its attacks."""
    evidence = dict(weighed(candidates, 0, Memory()))
    return list(picked([(one.outcome.finding, evidence[one.key]) for one in candidates]))


RIGHT_OF_KNOWN = Saying(tuple(LABELS[KNOWN].tolist()), right_of_others=False)
WRONG_OF_KNOWN = Saying(tuple((1 - LABELS[KNOWN]).tolist()), right_of_others=True)


def test_the_pick_is_right_on_known_rows_even_where_it_is_wrong_on_all_others():
    candidates = [candidate(WRONG_OF_KNOWN, "lucky"), candidate(RIGHT_OF_KNOWN, "plausible")]
    (pick,) = chosen(candidates)
    assert (pick.attack, pick.role, pick.attack_settings["pick"]) == ("chosen", "chosen", "plausible")
    assert pick.value == 0.0 and pick.other_metrics["evidence"] == 1.0
    assert candidates[0].outcome.finding.value == 1.0  # the worst case, which nobody could have picked


def test_the_truth_about_other_rows_plays_no_part():
    candidates = [candidate(WRONG_OF_KNOWN, "lucky"), candidate(RIGHT_OF_KNOWN, "plausible")]
    swapped = [
        replace(one, outcome=replace(one.outcome, finding=one.outcome.finding.model_copy(update={"value": 0.5})))
        for one in candidates
    ]
    assert chosen(swapped)[0].attack_settings == chosen(candidates)[0].attack_settings


def test_who_learned_from_no_label_is_checked_on_the_known_ones_as_it_is():
    knowing_none = replace(RIGHT_OF_KNOWN, learns=False)
    (pick,) = chosen([candidate(WRONG_OF_KNOWN, "learner"), candidate(knowing_none, "reader")])
    assert pick.attack_settings["pick"] == "reader" and pick.other_metrics["evidence"] == 1.0


def test_one_attack_alone_groups_and_baselines_leave_nothing_to_choose():
    assert chosen([candidate(RIGHT_OF_KNOWN, "alone")]) == []
    assert chosen([candidate(Grouping(), "one"), candidate(Grouping(), "two")]) == []
    assert chosen([candidate(RIGHT_OF_KNOWN, "alone"), candidate(Grouping(), "groups")]) == []


def findings() -> list[Finding]:
    found = []
    for seed in (0, 1):
        candidates = [candidate(WRONG_OF_KNOWN, "lucky"), candidate(RIGHT_OF_KNOWN, "plausible")]
        every = [one.outcome.finding for one in candidates] + chosen(candidates)
        found += [finding.model_copy(update={"seed": seed}) for finding in every]
    return found


def test_the_choice_is_one_line_over_seeds_and_no_part_of_the_worst_case():
    lines = summarize(findings())
    assert [(line.first.attack, line.seeds) for line in lines] == [("lucky", 2), ("plausible", 2), ("chosen", 2)]
    assert lines[-1].picks == ("plausible", "plausible")
    (scene,) = scenes(lines)
    assert scene.undefended.strongest.first.attack == "lucky"
    assert scene.undefended.chosen is lines[-1]
    assert len(violations(findings(), Limits({"labels": 0.2}))) == 1


def test_the_page_shows_both_and_calls_the_first_the_worst_case():
    page = render(Survey(findings()))
    assert "This is the worst case" in page and "takes plausible, with an advantage of 0.000" in page
    assert "0.000 by its own choice" in page and "2 attacks" in page


def test_of_an_attack_that_failed_nothing_is_said():
    broken = replace(candidate(RIGHT_OF_KNOWN, "right"), outcome=None)
    failing = candidate(WRONG_OF_KNOWN, "wrong")
    failed = replace(failing.outcome, finding=failing.outcome.finding.model_copy(update={"status": "failed"}))
    assert list(weighed([broken, replace(failing, outcome=failed)], 0, Memory())) == []


def test_evidence_that_was_spared_says_nothing_without_the_one_that_spared_it():
    perfect = Evidence(state="checked", first=1.0)
    spared = Evidence(state="spared", cost=2, spared_by="perfect")
    records = {key: Record(key=key, evidence=one) for key, one in (("perfect", perfect), ("spared", spared))}
    assert grounded(records) == records
    del records["perfect"]
    assert grounded(records) == {}
    findings = [candidate(RIGHT_OF_KNOWN, name).outcome.finding for name in ("one", "other")]
    assert list(picked([(finding, spared) for finding in findings])) == []


def test_an_attack_that_was_checked_before_a_perfect_one_was_there_has_no_more_say_than_one_that_was_spared():
    findings = [candidate(RIGHT_OF_KNOWN, name).outcome.finding for name in ("quick", "slow")]
    perfect = Evidence(state="checked", first=1.0)
    later = [
        Evidence(state="spared", cost=2, spared_by="quick"),
        Evidence(state="checked", first=0.5, cost=2),
        Evidence(state="unchecked", cost=2),
    ]
    choices = [list(picked(list(zip(findings, (perfect, one), strict=True)))) for one in later]
    assert choices[0] == choices[1] == choices[2] and len(choices[0]) == 1
