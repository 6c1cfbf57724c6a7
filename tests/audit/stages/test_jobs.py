"""Equal work is done once, and what fails costs itself alone."""

from seepage.attacks.labels.gradient_sign import GradientSign
from seepage.attacks.labels.linear_probe import LinearProbe
from seepage.attacks.labels.local_clustering import LocalClustering
from seepage.audit.stages.choosing import picked
from seepage.defenses.predictions.dropout import Dropout
from seepage.defenses.predictions.rounding import Rounding
from seepage.federations.logistic_regression import LogisticRegression

AFTERWARDS = [{"name": "rounding"}, {"name": "output-verification"}]
LABELS = [{"name": "gradient-sign"}, {"name": "linear-probe"}]
SUMMED = [{"name": "summed-network", "settings": {"epochs": 2, "batch": 32}}]


def statuses(records):
    return [(one.finding.attack, one.finding.defense, one.finding.status) for one in records.values() if one.finding]


def choices(records):
    """What adversaries pick, all that was measured by the clock left out."""
    findings, evidence = ([getattr(one, kind) for one in records.values()] for kind in ("finding", "evidence"))
    pairs = zip(filter(None, findings), filter(None, evidence), strict=True)
    return [one.model_dump(exclude={"seconds", "peak_mb"}) for one in picked(list(pairs))]


def tried(jobs):
    return [(job.defense_of(release), attempt.attack.name) for job in jobs for release, attempt in job.tried()]


def test_defenses_that_act_after_training_share_the_undefended_one(carried_out, counted):
    calls = counted((LogisticRegression, "train"))
    found = carried_out(defenses=[*AFTERWARDS, {"name": "label-dp"}], attacks=[{"name": "equality-solving"}])
    assert calls["LogisticRegression"] == 2 + 1  # and the label holder alone
    assert {defense: status for _, defense, status in statuses(found)} == {
        None: "ok", "rounding": "ok", "label-dp": "ok", "output-verification": "not applicable",  # it withholds all
    }  # fmt: skip


def test_a_release_comes_out_the_same_whatever_else_is_released(carried_out):
    def values(defenses):
        found = carried_out(defenses=defenses, attacks=[{"name": "equality-solving"}])
        return {one.finding.defense: (one.finding.value, one.finding.view) for one in found.values() if one.finding}

    together = values(AFTERWARDS)
    for defense in AFTERWARDS:
        assert values([defense])[defense["name"]] == together[defense["name"]]


def test_a_view_that_a_defense_left_unchanged_is_not_attacked_again(carried_out, counted):
    calls = counted((GradientSign, "run"))
    found = carried_out(defenses=[{"name": "rounding"}])
    views = [one.finding.view for one in found.values() if one.finding]
    assert len(views) == 2 and len(set(views)) == 1 and calls["GradientSign"] == 1


def test_an_attack_that_reads_no_message_runs_once_whatever_is_trained(carried_out, counted):
    calls = counted((LocalClustering, "run"), (LogisticRegression, "train"))
    attacks = [{"name": "local-clustering"}]
    baselines = len(statuses(carried_out(attacks=attacks)))
    alone = calls["LocalClustering"]
    calls.clear()
    several = carried_out(attacks=attacks, defenses=[{"name": "label-dp"}, {"name": "rounding"}])
    assert calls["LogisticRegression"] == 2 + 1 and len(statuses(several)) == 3 * baselines
    assert calls["LocalClustering"] <= alone + 1, "its blind twin is worked out for each training"


def test_what_is_known_is_neither_released_nor_attacked_again(carried_out, counted):
    changes = {"attacks": [{"name": "equality-solving"}], "defenses": [{"name": "rounding"}]}
    known = carried_out(**changes)
    calls = counted((LogisticRegression, "train"), (Rounding, "start"))
    only = {**known}
    lost = next(key for key, one in known.items() if one.finding and one.finding.defense is None)
    del only[lost]
    again = carried_out(only, **changes)
    assert calls == {"LogisticRegression": 1} and again.keys() == known.keys()
    assert again[lost].finding.value == known[lost].finding.value


def test_a_lost_worth_is_worked_out_again(carried_out):
    known = carried_out()
    worth = next(key for key, one in known.items() if one.worth)
    again = carried_out({key: one for key, one in known.items() if key != worth})
    assert again[worth].worth == known[worth].worth and again[worth].worth.value is not None


def test_the_undefended_twin_is_trained_also_where_nothing_else_can_be_tried_on_it(carried_out):
    defenses = [{"name": "output-verification"}, {"name": "label-dp"}]  # a hidden model leaves nothing to verify
    found = carried_out(defenses=defenses, undefended=False, model=False)
    assert [status for _, _, status in statuses(found)] == ["not applicable", "ok"]
    assert len([one for one in found.values() if one.worth and one.worth.value is not None]) == 2 + 1


def test_an_outdone_attack_is_left_out_where_the_other_can_be_run_and_tried_where_not(jobs_of):
    both = [{"name": "generative-regression", "unless": ["equality-solving"]}, {"name": "equality-solving"}]
    assert (None, "generative-regression") not in tried(jobs_of(attacks=both))
    assert (None, "generative-regression") in tried(jobs_of(federations=SUMMED, attacks=both))


def test_an_outdone_attack_is_tried_under_defenses_that_the_other_is_not(jobs_of):
    attacks = [
        {"name": "generative-regression", "unless": ["equality-solving"]},
        {"name": "equality-solving", "defended": False},
    ]
    found = tried(jobs_of(attacks=attacks, defenses=[{"name": "label-dp"}]))
    assert [(defense and defense.name, name) for defense, name in found] == [
        (None, "equality-solving"),
        ("label-dp", "generative-regression"),
    ]


def test_jobs_come_seed_by_seed_and_findings_in_the_order_of_the_plan(plan):
    from seepage.audit.sweep import plan_sweep

    sweep = plan_sweep(plan(seeds=[2, 0, 1], defenses=[{"name": "label-dp"}]))
    seeds = [job.seed for job in sweep.jobs]
    assert seeds == sorted(seeds)
    assert [sweep.jobs[one.job].seed for one in sweep.shown] == [2, 0, 1, 2, 0, 1]
    assert all(sweep.jobs[one.undefended_job].training.defense is None for one in sweep.shown)
    assert all(sweep.jobs[one.undefended_job].seed == sweep.jobs[one.job].seed for one in sweep.shown)


def test_a_defense_that_breaks_while_predictions_are_released_costs_its_own_findings(carried_out, monkeypatch):
    def broken(self, own_part, rng):
        raise ZeroDivisionError("a bug in a defense")

    monkeypatch.setattr(Rounding, "start", broken)
    found = carried_out(defenses=AFTERWARDS, attacks=[{"name": "equality-solving"}])
    assert {defense: status for _, defense, status in statuses(found)} == {
        None: "ok", "rounding": "failed", "output-verification": "not applicable",
    }  # fmt: skip


def test_a_defense_that_exits_costs_its_own_findings(carried_out, monkeypatch):
    def leave(self, own_part, rng):
        raise SystemExit(0)

    monkeypatch.setattr(Dropout, "start", leave)
    found = carried_out(federations=SUMMED, defenses=[{"name": "dropout"}])
    assert {defense: status for _, defense, status in statuses(found)} == {None: "ok", "dropout": "failed"}


def test_an_attack_that_raises_costs_its_own_finding_and_is_weighed_once_it_succeeds(carried_out, monkeypatch):
    whole = LinearProbe.run

    def broken(self, view, rng):
        raise ZeroDivisionError("a bug in an attack")

    monkeypatch.setattr(LinearProbe, "run", broken)
    found = carried_out(federations=SUMMED, attacks=LABELS)
    assert [status for _, _, status in statuses(found)] == ["ok", "failed"]
    monkeypatch.setattr(LinearProbe, "run", whole)
    kept = {key: one for key, one in found.items() if not (one.finding and one.finding.status == "failed")}
    resumed, fresh = (carried_out(known, federations=SUMMED, attacks=LABELS) for known in (kept, {}))
    assert choices(resumed) == choices(fresh) and len(choices(fresh)) == 1
