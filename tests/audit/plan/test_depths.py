"""Three depths: what each tries, what overrides it, and what a plan says of it."""

import pytest

import seepage
from command_line import refused
from samples import write_csv
from seepage.attacks import ATTACKS
from seepage.audit.plan.defaults import TWINS
from seepage.audit.plan.depths import PROMISING, SCOPES, SETTINGS, STRONGEST
from seepage.audit.plan.plan import make_plan, plan_text, read_plan
from seepage.audit.plan.request import Request, plan_of
from seepage.audit.plan.settings import build, settings_of
from seepage.audit.sweep import plan_sweep
from seepage.defenses import DEFENSES
from seepage.errors import BadPlan, UnknownName
from seepage.settings import keys


def planned(depth=None, data="iris", **asked):
    return plan_of(Request(data=data, depth=depth, **asked))


def names(choices):
    return {one.name for one in choices}


def test_a_deeper_audit_tries_all_that_a_shallower_one_tries():
    quick, standard, thorough = (planned(depth, None) for depth in SCOPES)
    for key in ("federations", "attacks", "defenses"):
        assert names(getattr(quick, key)) <= names(getattr(standard, key)) <= names(getattr(thorough, key))
    assert len(quick.seeds) <= len(standard.seeds) < len(thorough.seeds)
    assert names(thorough.attacks) - names(standard.attacks) == TWINS
    assert not any(one.unless for one in thorough.attacks)
    assert len(thorough.seeds) >= 5


def test_nobody_who_names_no_depth_gets_another_than_the_default():
    assert planned() == planned("standard")
    assert planned().depth == "standard"


def test_what_is_named_goes_before_the_depth():
    named = planned("quick", "synthetic:rows=6000", rows=700, seeds=[7], attacks="linear-probe", defenses="rounding")
    assert (named.data.rows, named.seeds) == (700, (7,))
    assert (names(named.attacks), names(named.defenses)) == ({"linear-probe"}, {"rounding"})
    assert len(planned("thorough", defenses="rounding").defenses) == 1


def test_a_quick_look_draws_rows_of_large_tables_and_takes_all_of_small_ones():
    assert planned("quick", "synthetic:rows=6000").data.rows == SCOPES["quick"].rows == 5000
    assert planned("quick").data.rows is None
    assert planned("standard", "synthetic:rows=6000").data.rows is None


def test_a_quick_look_asks_about_every_asset_on_every_federation():
    sweep = plan_sweep(planned("quick", None))
    asked = {
        (job.training.federation.name, ATTACKS[attempt.attack.name].steals)
        for job in sweep.jobs
        for _, attempt in job.tried()
        if attempt.possible
    }
    federations = names(sweep.plan.federations)
    assert asked == {(name, asset) for name in federations for asset in ("labels", "features")}


@pytest.mark.parametrize("name", DEFENSES.own)
def test_settings_of_a_thorough_audit_are_different_ones_with_the_default_among_them(name):
    tried = [settings_of(build(DEFENSES, name, settings)) for settings in SETTINGS.get(name, ({},))]
    assert (2 if keys(DEFENSES[name]) else 1) <= len(tried) <= 4
    assert settings_of(DEFENSES[name]()) in tried
    assert len({str(one) for one in tried}) == len(tried)


def test_tables_of_depths_name_what_there_is():
    assert set(STRONGEST) <= set(ATTACKS.own)
    assert set(PROMISING) <= set(DEFENSES.own)


def test_the_depth_is_told_by_the_plan_and_its_choices_are_written_out(tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(planned("quick")))
    again = read_plan(tmp_path / "plan.toml")
    assert again == planned("quick") and again.depth == "quick"
    assert names(again.defenses) <= set(PROMISING)


def test_a_plan_has_its_depth_already(tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(planned("quick")))
    said = refused("audit --quick", tmp_path / "plan.toml")
    assert "says what to audit, so --quick does not go with it" in said
    with pytest.raises(BadPlan, match="depth='thorough' does not go with it"):
        seepage.audit(tmp_path / "plan.toml", depth="thorough")


def test_an_unknown_depth_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'thorough'"):
        seepage.audit("iris", depth="through")


def test_findings_say_how_many_of_how_many_rows_were_audited():
    asked = {"federations": "logistic-regression:epochs=2", "attacks": "gradient-sign", "seeds": 1}
    (some,) = seepage.audit("iris", rows=60, defenses=[], **asked)
    (whole,) = seepage.audit("iris", defenses=[], **asked)
    assert (some.audited_rows, some.all_rows) == (60, 150)
    assert (whole.audited_rows, whole.all_rows) == (150, 150)


def people(tmp_path):
    rows = range(200)
    return write_csv(
        tmp_path / "people.csv", age=[row * 13 % 71 for row in rows], sex=["f" if row % 3 else "m" for row in rows],
        cars=[row % 4 for row in rows], income=[row * 7 % 197 for row in rows], y=[row % 2 for row in rows],
    )  # fmt: skip


def test_columns_with_few_values_are_asked_about_unless_somebody_says_otherwise(tmp_path):
    table = people(tmp_path)
    found = planned(None, table, label="y")
    assert found.properties == ("sex=f", "cars=0") and not found.properties_kept
    assert [one.name for one in found.attacks if ATTACKS[one.name].steals == "properties"] == ["adjusted-count"]
    assert "withdrawal" not in names(found.defenses) and "shuffling" in names(found.defenses)
    assert planned(None, table, label="y", properties=[]).properties == ()
    assert planned(None, table, label="y", attacks="gradient-sign").properties == ()
    named = planned(None, table, label="y", properties="sex=m")
    assert named.properties == ("sex=m",) and named.properties_kept
    assert "withdrawal" in names(named.defenses) and "distribution-comparison" in names(named.attacks)


def test_found_properties_leave_the_columns_where_they_were_dealt(tmp_path):
    table, asked = people(tmp_path), {"federations": "forest", "defenses": [], "seeds": 6}
    with_them, without = (
        plan_sweep(planned("quick", table, label="y", properties=properties, **asked)) for properties in (None, [])
    )
    for one, other in zip(with_them.jobs, without.jobs, strict=True):
        settings = one.training.setting, other.training.setting
        dealt, plain = (sweep.bench.prepared(s) for sweep, s in zip((with_them, without), settings, strict=True))
        assert dealt.partition == plain.partition


def test_each_property_is_asked_about_under_every_seed_by_whoever_does_not_hold_it(tmp_path):
    asked = {"federations": "split-network:epochs=2,batch=32", "defenses": [], "seeds": 4}
    findings = seepage.audit(people(tmp_path), label="y", depth="quick", **asked)
    told = [one for one in findings if one.asset == "properties"]
    assert len(told) == 2 * 4
    for one in told:
        column = one.property.partition("=")[0]
        assert all(column not in one.partition["columns"][party] for party in one.adversary)
    assert {one.status for one in told} == {"ok"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"partition": {"parties": 2, "names": ["a", "b", "c"]}}, "2 parties are asked for, but 3 are named"),
        ({"undefended": False}, "nothing is left to try"),
        ({"seeds": 100000000000}, "at most 10,000"),
        ({"partition": {"parties": 1000000000}}, "at most 1,000"),
        ({"adversary": ["passive"], "adversaries": [["active"]]}, "one or the other"),
        ({"adversaries": [["active"], ["active"]]}, "named once"),
        ({"adversaries": [["active", "active"]]}, "each party once"),
        ({"adversaries": [["active"], ["passive"]], "partition": {"adversary_share": 0.5}}, "that of one adversary"),
        ({"depth": "deep"}, "'deep'"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused_in_a_sentence(change, said):
    values = {"data": {"name": "iris"}, "federations": [{"name": "forest"}], "attacks": [{"name": "id2graph"}]}
    with pytest.raises(BadPlan, match=said):
        make_plan({**values, **change})


def test_names_count_the_parties_of_a_plan_that_does_not():
    values = {"data": {"name": "iris"}, "federations": [{"name": "forest"}], "attacks": [{"name": "id2graph"}]}
    assert make_plan({**values, "partition": {"names": ["a", "b", "c"]}}).partition.parties == 3
