"""Options, keywords and plan files ask for the same thing in three ways, and get the same plan."""

import warnings
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import seepage
from seepage.audit import api
from seepage.audit.plan.defaults import EMBEDDED_PARTIES, default_choices
from seepage.audit.plan.plan import make_plan, plan_text
from seepage.audit.plan.request import Request, plan_of
from seepage.cli.app import app
from seepage.errors import AuditError, BadPlan, UnknownName


class Caught(Exception):
    """Carries a request out of a command."""

    def __init__(self, request):
        super().__init__()
        self.request = request


@contextmanager
def catching():
    """Let commands and calls end as soon as they know what is asked for."""
    with pytest.MonkeyPatch.context() as patch:

        def catch(request, **_):
            raise Caught(request)

        patch.setattr(api, "carry_out", catch)
        yield


def from_options(*arguments):
    with catching():
        result = CliRunner().invoke(app, list(map(str, arguments)))
    assert isinstance(result.exception, Caught), result.output
    return plan_of(result.exception.request)


def from_keywords(*arguments, **keywords):
    with catching(), pytest.raises(Caught) as caught:
        seepage.audit(*arguments, **keywords)
    return plan_of(caught.value.request)


CHOSEN = (
    ("--federation", "forest", "--attack", "id2graph", "--defense", "none"),
    {"federations": ["forest"], "attacks": ["id2graph"], "defenses": []},
)
SAME = {
    "seeds": (("--seeds", 2), {"seeds": 2}),
    "sample": (("--rows", 60), {"rows": 60}),
    "filled": (("--impute",), {"impute": True}),
    "encoding": (("--encoding", "ordinal"), {"encoding": "ordinal"}),
    "scaling": (("--scaling", "minmax"), {"scaling": "minmax"}),
    "split": (("--split", "official"), {"split": "official"}),
    "threads": (("--threads", 2), {"threads": 2}),
    "timeout": (("--timeout", 9), {"timeout": 9}),
    "device": (("--device", "cuda"), {"device": "cuda"}),
    "hidden": (("--hide-model",), {"model": False}),
    "kept": (("--hide-predictions",), {"predictions": False}),
    "adversary": (("--adversary", "a,b", "--adversary", "c"), {"adversary": ["a", "b", "c"]}),
    "property": (("--property", "age=65.."), {"properties": "age=65.."}),
    "share": (("--adversary-share", 0.25), {"adversary_share": 0.25}),
    "kind": (("--partition", "halves"), {"partition": "halves"}),
    "many": (("--parties", 3), {"parties": 3}),
    "labels": (("--labels-only",), {"labels_only": True}),
    "key": (("--insecure-key",), {"insecure_key": True}),
}


@given(asked=st.sets(st.sampled_from(sorted(SAME))), data=st.sampled_from([None, "iris", "synthetic:rows=90"]))
def test_options_and_keywords_give_the_same_plan(asked, data):
    options, keywords = list(CHOSEN[0]), dict(CHOSEN[1])
    for one in asked:
        options += SAME[one][0]
        keywords |= SAME[one][1]
    source = [] if data is None else [data]
    assert from_options("audit", *source, *options) == from_keywords(*source, **keywords)


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        (
            ("--federation", "forest", "--federation", "boosting", "--model", "trees=2", "--attack",
             "id2graph:alpha=2,eta=0.9", "--defense", "purity-limit:limit=0.1", "--defense", "label-dp"),
            {"federations": ["forest:trees=2", {"name": "boosting", "settings": {"trees": 2}}],
             "attacks": {"name": "id2graph", "settings": {"alpha": 2, "eta": 0.9}},
             "defenses": ["purity-limit:limit=0.1", "label-dp"]},
        ),
        (
            (*CHOSEN[0], "--party", "bank=age, income", "--party", "shop=visits,age", "--overlap"),
            {**CHOSEN[1], "parties": {"bank": ["age", "income"], "shop": ("visits", "age")}, "overlap": True},
        ),
        ((*CHOSEN[0], "--parties", 2, "--partition", "halves"),
         {**CHOSEN[1], "partition": {"parties": 2, "kind": "halves"}}),
        ((*CHOSEN[0], "--text", "body", "--words", 9, "--vocabulary", 99),
         {**CHOSEN[1], "text": "body", "words": 9, "vocabulary": 99}),
        ((*CHOSEN[0], "--text", "body", "--vocabulary", "vocab.txt"),
         {**CHOSEN[1], "text": "body", "vocabulary": "vocab.txt"}),
    ],
    ids=["settings", "columns", "dealt", "texts", "vocabulary"],
)  # fmt: skip
def test_what_options_spell_as_text_is_a_value_in_python(options, keywords):
    about = (("people.csv", "--label", "y", "--id", "id", *options), {"label": "y", "id_column": "id", **keywords})
    assert from_options("audit", *about[0]) == from_keywords("people.csv", **about[1])


def test_without_a_word_both_ask_for_the_embedded_default():
    plan = from_options("audit")
    assert plan == from_keywords() == from_keywords(partition={}, insecure_key=False)
    assert plan.data.name == "breast_cancer" and plan.partition.names == EMBEDDED_PARTIES
    assert len(plan.federations) == len(default_choices()["federations"])


def test_defaults_of_a_table_follow_what_is_said_about_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = from_options("audit", "iris", "--keep-missing", "--seeds", 1)
    assert named == from_keywords("iris", keep_missing=True, seeds=1)
    assert {choice.name for choice in named.federations} == {"decision-tree", "forest", "boosting"}
    assert {choice.name for choice in named.defenses} < {choice["name"] for choice in default_choices()["defenses"]}


def test_one_attack_by_itself_has_the_first_federation_it_applies_to_and_no_defense():
    plan = from_options("attack", "id2graph", "--data", "iris", "--seeds", 1)
    assert plan == from_keywords("iris", attacks="id2graph", first_federation=True, seeds=1)
    assert [choice.name for choice in plan.federations] == ["decision-tree"]
    assert (plan.defenses, plan.undefended) == ((), True)
    assert not from_options("attack", "id2graph", "--federation", "forest", "--defense", "label-dp").undefended


def test_a_plan_takes_the_same_additions_from_options_and_keywords(tmp_path):
    plan = plan_of(Request(data="iris", **CHOSEN[1]))
    path = tmp_path / "plan.toml"
    path.write_text(plan_text(plan))
    assert plan == from_options("audit", path) == from_keywords(path) == from_keywords(plan)
    longer = from_options("audit", path, "--seeds", 5, "--threads", 2, "--timeout", 9, "--device", "cpu")
    assert longer == from_keywords(plan, seeds=5, threads=2, timeout=9, device="cpu")
    assert len(longer.seeds) == 5


REFUSED = {
    "label-of-nothing": (["--label", "y"], {"label": "y"}, "--label and --id belong", "label and id_column belong"),
    "label-of-the-catalog": (
        ["iris", "--id", "x"], {"data": "iris", "id_column": "x"}, "out --label and --id", "out label and id_column"
    ),
    "no-label": (["people.csv"], {"data": "people.csv"}, "add --label COLUMN", "add label='COLUMN'"),
    "overlap": (
        ["iris", "--overlap"], {"data": "iris", "overlap": True}, "--overlap lets --party", "overlap lets parties"
    ),
    "columns-and-share": (
        ["iris", "--party", "a=x", "--adversary-share", "0.5"],
        {"data": "iris", "parties": {"a": ["x"]}, "adversary_share": 0.5},
        "--adversary-share, --partition",
        "adversary_share, partition",
    ),
    "keys-of-nobody": (
        ["iris", "--federation", "summed-network", "--insecure-key"],
        {"data": "iris", "federations": ["summed-network"], "insecure_key": True},
        "--insecure-key allows",
        "insecure_key allows",
    ),
    "no-property": (
        ["iris", "--attack", "adjusted-count", "--federation", "forest", "--defense", "none"],
        {"data": "iris", "attacks": "adjusted-count", "federations": "forest", "defenses": []},
        "--property COLUMN=VALUE",
        "properties=['COLUMN=VALUE']",
    ),
    "timeout": (
        ["iris", *CHOSEN[0], "--timeout", "9", "--jobs", "0"], {"data": "iris", **CHOSEN[1], "timeout": 9},
        "(--jobs 1)", "(jobs=1)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_is_refused_is_named_as_the_caller_named_it(case, tmp_path):
    options, keywords, as_options, as_keywords = REFUSED[case]
    result = CliRunner().invoke(app, ["audit", *options, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2 and as_options in result.stderr, result.output
    with pytest.raises(AuditError) as refused:
        seepage.audit(**keywords)
    assert as_keywords in str(refused.value) and "--" not in str(refused.value)


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"encoding": "hash"}, "so encoding does not go with it"),
        ({"attacks": ["id2graph"]}, "so attacks does not go with it"),
        ({"parties": {"a": ["x"]}}, "so parties does not go with it"),
        ({"model": False}, "so model=False does not go with it"),
        ({"undefended": False}, "so undefended does not go with it"),
    ],
)
def test_a_plan_and_keywords_that_contradict_it_are_refused(keywords, said):
    plan = make_plan({"data": {"name": "iris"}, "federations": [{"name": "forest"}], "attacks": [{"name": "union"}]})
    with pytest.raises(BadPlan, match=f"The plan says what to audit, {said}"):
        seepage.audit(plan, **keywords)


def test_a_keyword_that_does_not_exist_and_a_choice_that_is_none_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'scaling'"):
        seepage.audit("iris", scalling="minmax")
    with pytest.raises(
        BadPlan, match=r"attacks takes names and objects of frozen dataclasses, .* but got an object of int"
    ):
        seepage.audit("iris", attacks=[7])


def test_every_attack_of_a_default_audit_meets_every_defense_it_is_compared_under():
    """A defense without a number for an attack that got one undefended cannot be compared at all."""
    assert all(choice.defended for choice in plan_of(Request(data="iris")).attacks)


def test_only_a_thorough_audit_takes_the_time_to_invert_training_rows():
    def inverted(**depth):
        attacks = plan_of(Request(data="iris", **depth)).attacks
        return [dict(choice.settings) for choice in attacks if choice.name == "embedding-inversion"]

    assert inverted() == [{}, {"known": 40}]
    assert inverted(depth="thorough") == [*inverted(), {"rows": "train"}, {"known": 40, "rows": "train"}]


def test_a_default_audit_leaves_out_what_says_nothing_new():
    attacks = plan_of(Request(data="iris")).attacks
    assert {choice.name: choice.unless for choice in attacks if choice.unless} == {
        "active-completion": ("gradient-direction",),
        "generative-regression": ("embedding-inversion",),
    }
    assert "semi-supervised" not in {choice.name for choice in attacks}
