"""What looks wrong before training is said, kept with the findings, and does not stop an audit."""

import json

import numpy as np
import pytest

import seepage
from samples import write_csv
from seepage.audit.findings.findings import Findings
from seepage.audit.findings.notes import NOTES_FILE, Notes, read_notes
from seepage.audit.findings.survey import Survey
from seepage.audit.stages.bench import Bench
from seepage.audit.suspicions import alike, suspicions
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.errors import BadOutput, Remark
from seepage.report.purpose import purpose_sentences
from small_audits import asked, chosen

ROWS = 200
QUICK = [chosen("logistic-regression", epochs=2)]


def people(path, **changes):
    """A plan over a table in which nothing is wrong but what is changed; 'us' holds labels, 'them' is curious."""
    rng = np.random.default_rng(0)
    columns = {"age": rng.normal(size=ROWS), "visits": rng.normal(size=ROWS), "sex": rng.choice(["f", "m"], ROWS)}
    columns |= {"y": rng.choice(["no", "yes"], ROWS), **changes}
    write_csv(path / "people.csv", **columns)
    others = tuple(name for name in columns if name not in {"age", "y"})
    return {
        "data": {"file": str(path / "people.csv"), "label": "y"},
        "partition": {"kind": "named", "columns": {"us": ("age",), "them": others}},
        "federations": QUICK,
    }


def said(path, changes=None, **asked_for):
    return suspicions(asked(**{**people(path, **(changes or {})), **asked_for}), Bench())


def test_nothing_is_said_where_nothing_is_wrong(tmp_path):
    assert said(tmp_path) == ()


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_nothing_is_said_about_well_known_tables(name):
    assert suspicions(asked(name, federations=QUICK, attacks=["gradient-sign", "linear-probe"]), Bench()) == ()


def test_classes_that_differ_in_case_or_blanks_are_named(tmp_path):
    rng = np.random.default_rng(1)
    (one,) = said(tmp_path, {"y": rng.choice(["No", "no ", "yes"], ROWS)})
    assert "'No' and 'no ' differ in case or blanks only" in one
    assert not list(alike(("no", "know", "yes")))


def test_a_class_of_few_rows_is_named_with_how_many(tmp_path):
    (one,) = said(tmp_path, {"y": ["rare"] * 6 + ["no", "yes"] * 97})
    assert "class 'rare' (5 and 1)" in one


@pytest.mark.parametrize("copy", ["renamed", "numbered", "noisy"])
def test_a_column_that_gives_the_label_away_is_named(copy, tmp_path):
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, ROWS)
    column = {
        "renamed": np.array(["b", "a"])[labels],
        "numbered": 7 - labels,
        "noisy": labels + rng.normal(0, 0.2, ROWS),
    }
    (one,) = said(tmp_path, {"y": labels, "outcome": column[copy]})
    assert "Column 'outcome' of 'them' gives the label away by itself" in one


def test_a_copy_of_many_classes_is_found_and_one_held_by_the_label_holder_is_not_said(tmp_path):
    labels = np.arange(ROWS) % 4
    codes = np.array(list("wxyz"))[labels]
    assert len(said(tmp_path, {"y": labels, "code": codes})) == 1
    own = {"kind": "named", "columns": {"us": ("code",), "them": ("age", "visits", "sex")}}
    assert said(tmp_path, {"y": labels, "code": codes}, partition=own) == ()


def test_a_property_that_own_columns_tell_is_named(tmp_path):
    rng = np.random.default_rng(3)
    sex = rng.choice(["f", "m"], ROWS)
    told = {"sex": sex, "age": np.where(sex == "m", 1.0, -1.0) + rng.normal(0, 0.2, ROWS)}
    federations = [chosen("split-network", epochs=1)]
    asked_for = {
        "attacks": [property_attack()],
        "properties": ["sex=m"],
        "federations": federations,
        "adversary": ["us"],
    }
    assert any(
        "'sex=m' can be told from the own columns of 'us' (AUC 1.00" in one for one in said(tmp_path, told, **asked_for)
    )
    assert not any("can be told" in one for one in said(tmp_path, {}, **asked_for))


def property_attack():
    """Any attack on properties."""
    from seepage.attacks import ATTACKS

    return chosen(next(name for name in ATTACKS if ATTACKS[name].steals == "properties"))


@pytest.mark.parametrize(
    ("attack", "settings", "expected"),
    [
        ("linear-probe", {"labels_per_class": 1}, "One label of each class is known"),
        ("linear-probe", {"labels_per_class": 2}, None),
        ("embedding-regression", {"known": 9}, "known to the adversary for 9 rows, which is few"),
        ("embedding-regression", {"known": 10}, None),
    ],
)
def test_few_known_labels_and_values_are_said(attack, settings, expected, tmp_path):
    federations = [chosen("split-network", epochs=1)]
    remarks = said(tmp_path, federations=federations, attacks=[chosen(attack, **settings)])
    assert not remarks if expected is None else [expected in one for one in remarks] == [True]


def test_remarks_are_told_kept_and_read_again(tmp_path):
    plan = asked(**people(tmp_path, y=["rare"] * 6 + ["no", "yes"] * 97))
    with pytest.warns(Remark, match="class 'rare'"):
        run_sweep(plan_sweep(plan), out=tmp_path / "out")
    (one,) = Survey.read(tmp_path / "out").notes.remarks
    assert "class 'rare'" in one and Findings.read(tmp_path / "out").notes.remarks == (one,)
    assert Survey.read(tmp_path / "out").notes.constant == {"auc": 0.5, "accuracy": 97 / ROWS}
    (tmp_path / "out" / NOTES_FILE).unlink()  # as an older version left it
    assert Survey.read(tmp_path / "out").notes == Notes()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1, "remarks": 3, "constant": {}}', "[" * 5000])
def test_damaged_notes_are_refused_in_a_sentence(text, tmp_path):
    (tmp_path / NOTES_FILE).write_text(text)
    with pytest.raises(BadOutput, match="cannot be read"):
        read_notes(tmp_path)


def test_notes_of_a_later_version_are_refused(tmp_path):
    (tmp_path / NOTES_FILE).write_text(json.dumps({"format": 99, "remarks": [], "constant": {}}))
    with pytest.raises(BadOutput, match="Update Seepage"):
        read_notes(tmp_path)


def test_a_plan_that_is_run_bare_says_nothing_and_trains_nobody_alone(tmp_path):
    plan = asked(**people(tmp_path, y=["rare"] * 6 + ["no", "yes"] * 97))
    (finding,) = run_sweep(plan_sweep(plan, bare=True))
    assert finding.utility_alone is None


def worth(joint, alone, seeds=5, **changes):
    """Findings of one federation, by what it is worth with and without the others."""
    (found,) = run_sweep(plan_sweep(asked(federations=QUICK), bare=True))
    wobble = np.linspace(-0.01, 0.01, seeds) if seeds > 1 else [0.0]
    update = {"utility_metric": "auc", **changes}
    return [
        found.model_copy(
            update={
                **update,
                "seed": seed,
                "utility_undefended": joint + wobble[seed],
                "utility_alone": alone - wobble[seed],
            }
        )
        for seed in range(seeds)
    ]


@pytest.mark.parametrize(
    ("joint", "alone", "seeds", "expected"),
    [
        (0.9, 0.8, 5, None),
        (0.9, 0.8, 1, None),
        (
            0.801,
            0.8,
            5,
            "gains nothing beyond noise from the others: 'active' alone reaches AUC 0.800, all together 0.801",
        ),
        (0.801, 0.8, 1, "gains nothing beyond noise"),
        (0.502, 0.4, 5, "learned nothing: AUC 0.502, where saying the same of every row reaches 0.500"),
    ],
)
def test_a_federation_that_is_for_nothing_is_said_to_be(joint, alone, seeds, expected):
    survey = Survey(worth(joint, alone, seeds), notes=Notes((), {"auc": 0.5}))
    assert len(survey.purposes) == 1
    sentences = purpose_sentences(survey)
    assert not sentences if expected is None else expected in sentences[0]


def test_a_label_holder_without_columns_is_said_to_say_a_constant():
    findings = worth(0.505, 0.5, partition={"active": "active", "columns": {"active": [], "passive": ["a"]}})
    (one,) = purpose_sentences(Survey(findings))
    assert "all that 'active' can without columns, reaches AUC 0.500" in one


def test_older_findings_say_nothing_about_purpose():
    assert Survey([one.model_copy(update={"utility_alone": None}) for one in worth(0.8, 0.8)]).purposes == ()


def test_half_the_columns_of_breast_cancer_are_enough():
    """The table on which every defense looked free: its label holder needs nobody."""
    findings = seepage.audit(
        "breast_cancer", federations="logistic-regression", attacks="gradient-sign", defenses="none"
    )
    (one,) = Survey(findings).purposes
    assert one.alone > 0.97 and one.joint > 0.98
