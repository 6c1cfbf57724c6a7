"""Findings belong together where their circumstances say so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.audit.findings.circumstances import Circumstances, Settings
from seepage.audit.findings.finding import CHOSEN, Finding
from seepage.audit.findings.summary import summarize

FACTS = {
    "data": "iris", "partition": {"columns": {"bank": ["a"], "lab": ["b"]}, "kind": "random"}, "encoding": "one-hot",
    "scaling": "standard", "split": "official", "federation": "forest", "model_settings": {"trees": 5, "depth": 3},
    "parties": 2, "adversary": ("lab",), "attack": "id2graph", "attack_settings": {"clustering": "k-means"},
    "tampering": "active-completion", "defense": "label-dp", "defense_settings": {"epsilon": 1.0},
    "seed": 3, "rows": "new", "asset": "properties", "property": "sex=Male",
}  # fmt: skip
OTHER = {
    "data": "wine", "partition": {}, "encoding": "ordinal", "scaling": "minmax", "split": "stratified",
    "federation": "boosting", "model_settings": {"trees": 6, "depth": 3}, "parties": 3, "adversary": ("bank", "lab"),
    "attack": "union", "attack_settings": {}, "tampering": None, "defense": None, "defense_settings": {"epsilon": 2.0},
    "seed": 4, "rows": "train", "asset": "labels", "property": None,
}  # fmt: skip
AIM = {"data", "adversary", "asset", "property"}
TRAINED = {"data", "encoding", "scaling", "split", "federation", "model_settings", "parties"}
DEFENDED = {"defense", "defense_settings"}
ATTEMPT = {"attack", "attack_settings", "rows"}
TOLD_APART = {
    "aim": AIM,
    "scene": AIM | TRAINED,
    "trial": AIM | TRAINED | DEFENDED,
    "attempt": ATTEMPT,
    "line": AIM | TRAINED | DEFENDED | ATTEMPT,
    "sight": {"adversary"} | TRAINED | DEFENDED,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
SETTINGS = st.dictionaries(st.text(), JSON, max_size=4)


@pytest.mark.parametrize("key", TOLD_APART)
@pytest.mark.parametrize("field", FACTS)
def test_a_key_tells_apart_what_it_should_and_nothing_else(key, field):
    one, two = Finding(**FACTS), Finding(**{**FACTS, field: OTHER[field]})
    same = getattr(Circumstances.of(one), key) == getattr(Circumstances.of(two), key)
    assert same == (field not in TOLD_APART[key])


@given(model=SETTINGS, attack=SETTINGS, defense=SETTINGS)
def test_a_finding_made_from_circumstances_has_the_same_circumstances(model, attack, defense):
    changes = {"model_settings": model, "attack_settings": attack, "defense_settings": defense}
    found = Finding(**{**FACTS, **changes})
    told = Circumstances.of(found)
    made = Finding(**told.facts())
    assert made == found and Circumstances.of(made) == told and hash(Circumstances.of(made)) == hash(told)


@given(values=SETTINGS, other=SETTINGS)
def test_settings_are_equal_in_any_order_and_only_where_they_say_the_same(values, other):
    turned = dict(reversed(values.items()))
    assert Settings(values) == Settings(turned) and len({Settings(values), Settings(turned)}) == 1
    assert list(Settings(turned).values) == list(turned)
    assert values == other or Settings(values) != Settings(other)


def test_who_chooses_anew_under_every_seed_stays_on_one_line():
    picks = [
        Finding(**{**FACTS, "role": CHOSEN, "attack": CHOSEN, "seed": seed, "attack_settings": {"pick": pick}})
        for seed, pick in enumerate(("id2graph", "union"))
    ]
    (line,) = summarize(picks)
    assert line.picks == ("id2graph", "union")
