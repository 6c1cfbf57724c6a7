"""Plans differ where they ask for something else, and add up where that makes sense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.audit.plan.comparing import differences, extended
from seepage.audit.plan.plan import make_plan, plan_text, read_plan
from seepage.errors import BadPlan
from small_audits import asked

PLAN = {
    "data": {"name": "iris"},
    "federations": [{"name": "forest"}],
    "attacks": [{"name": "union"}, {"name": "id2graph", "settings": {"eta": 0.9, "alpha": 2}}],
    "defenses": [{"name": "label-dp"}],
    "seeds": [0, 1],
}


def names(kind):
    return st.lists(st.sampled_from([f"{kind}-{letter}" for letter in "abc"]), min_size=1, max_size=3, unique=True)


def made(attacks, undefended, **asked_for):
    tried = [{"name": name, "defended": name != "attack-c" or undefended} for name in attacks]
    return asked(attacks=tried, undefended=undefended, **asked_for)


plans = st.builds(
    made, attacks=names("attack"), undefended=st.booleans(), federations=names("federation"),
    defenses=names("defense"), seeds=st.lists(st.integers(0, 4), min_size=1, max_size=4, unique=True),
)  # fmt: skip


@given(old=plans, new=plans)
def test_the_sum_of_two_plans_asks_for_all_of_both_and_for_nothing_else(old, new):
    both = extended(old, new)
    assert differences(both, extended(new, old)) == []
    assert differences(both, extended(both, new)) == []
    for key in ("federations", "defenses", "seeds"):
        assert set(map(str, getattr(both, key))) == set(map(str, (*getattr(old, key), *getattr(new, key))))
    assert {one.name for one in both.attacks} == {one.name for one in (*old.attacks, *new.attacks)}
    assert len({one.name for one in both.attacks}) == len(both.attacks)
    assert (differences(old, new) == []) == (differences(new, old) == [])


def test_order_threads_and_timeouts_do_not_make_another_plan():
    turned = {**PLAN, "attacks": PLAN["attacks"][::-1], "seeds": [1, 0], "threads": 2, "timeout": 9.0}
    assert differences(make_plan(PLAN), make_plan(turned)) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"data": {"name": "wine"}}, ["data.name is 'wine' instead of 'iris'."]),
        ({"data": {"name": "iris", "rows": 50}}, ["data.rows is 50 instead of not said."]),
        ({"partition": {"parties": 3}}, ["partition.parties is 3 instead of 2."]),
        ({"encoding": "hash"}, ["encoding is 'hash' instead of 'one-hot'."]),
        ({"adversary": ["shop"]}, ["adversary is shop instead of not said."]),
        ({"model": False}, ["model is False instead of True."]),
        ({"device": "cuda"}, ["device is 'cuda' instead of 'cpu'."]),
        ({"attacks": [{"name": "union"}]}, ["attacks: id2graph:alpha=2,eta=0.9 is left out."]),
        ({"seeds": 5}, ["seeds: 2, 3, 4 are new."]),
        ({"defenses": [{"name": "grafting"}], "undefended": False},
         ["defenses: grafting is new, label-dp is left out.", "undefended is False instead of True."]),
    ],
)  # fmt: skip
def test_differences_are_told_one_by_one(change, said):
    assert differences(make_plan(PLAN), make_plan({**PLAN, **change})) == said


def test_a_stored_plan_is_that_of_a_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = make_plan({**PLAN, "data": {"file": "people.csv", "label": "y"}})
    (tmp_path / "plan.toml").write_text(plan_text(plan))
    assert differences(read_plan(tmp_path / "plan.toml"), plan) == []
    other = make_plan({**PLAN, "data": {"file": "others.csv", "label": "y"}})
    assert len(differences(read_plan(tmp_path / "plan.toml"), other)) == 1


def test_plans_of_other_data_do_not_add_up():
    with pytest.raises(BadPlan, match=r"--add cannot put these two audits together: data\.name is 'wine' instead of"):
        extended(make_plan(PLAN), make_plan({**PLAN, "data": {"name": "wine"}}))


def test_an_attack_that_either_tries_under_every_defense_is_tried_under_every_defense():
    once = make_plan({**PLAN, "attacks": [{"name": "union", "defended": False}]})
    always = make_plan({**PLAN, "attacks": [{"name": "union"}]})
    assert extended(once, always).attacks == extended(always, once).attacks == always.attacks


def test_an_attack_is_added_to_an_audit_that_found_its_properties_itself():
    asking = {**PLAN, "attacks": [*PLAN["attacks"], {"name": "adjusted-count"}]}
    found = make_plan({**asking, "properties": ["petal width (cm)=1.."], "properties_kept": False, "depth": "quick"})
    more = make_plan({**PLAN, "attacks": [{"name": "leaf-labels"}], "depth": "standard"})
    both = extended(found, more)
    assert both.properties == found.properties and not both.properties_kept and both.depth is None
    kept = make_plan({**asking, "properties": found.properties})
    assert differences(found, kept) == ["properties_kept is True instead of False."]


def test_adversaries_add_up():
    one, other = (make_plan({**PLAN, "adversaries": [[name]]}) for name in ("active", "passive"))
    assert differences(one, other) == ["adversaries: passive is new, active is left out."]
    assert extended(one, other).adversaries == (("active",), ("passive",))
