"""Withdrawn rows are gone for everybody before training begins, and what that hides is told from what it does not."""

import numpy as np
import pytest

import seepage
from command_line import found
from samples import small_data, write_csv
from seepage.audit.recordings.recorded_run import read_run
from seepage.audit.stages.training import aligned
from seepage.errors import BadSetting
from seepage.hooks import Hook
from seepage.messages import OUTSIDE_TRAINING, Kind

ROWS = 400
AUDIT = {"federations": ["split-network"], "attacks": ["adjusted-count"], "seeds": 1}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A table of people, six in ten of whom smoke, which their other columns show."""
    path = tmp_path_factory.mktemp("people") / "people.csv"
    rng = np.random.default_rng(3)
    smokes = rng.random(ROWS) < 0.6
    income, visits = rng.normal(40, 9, ROWS) + 4 * smokes, rng.poisson(6, ROWS) + 5 * smokes
    sick = visits + 0.1 * income + rng.normal(0, 2, ROWS) > 13.5
    return write_csv(
        path, income=income.round(1), age=rng.integers(18, 80, ROWS), visits=visits,
        smokes=np.where(smokes, "yes", "no"), sick=sick,
    )  # fmt: skip


def withdrawal(**settings):
    return {"name": "withdrawal", "settings": settings}


def audited(people, *defenses, **changes):
    plan = {"undefended": False, "properties": ["smokes=yes"], **AUDIT, **changes}
    return seepage.audit(people, label="sick", defenses=list(defenses), **plan)


def stored(people, folder, *options):
    line = "attack adjusted-count --label sick --property smokes=yes --seeds 1 --jobs 0 --data"
    return found(line, people, *options, "--keep-transcript", folder), read_run(folder)


def test_the_fraction_moves_as_computed_and_errors_are_given_before_and_after(people):
    (finding,) = audited(people, withdrawal(share=0.5))
    other = finding.other_metrics
    rows, before = 320, other["true_fraction"]
    having = round(before * rows)
    gone = round(0.5 * having)
    after = (having - gone) / (rows - gone)
    guessed = other["guessed_fraction"]
    assert finding.value == pytest.approx(abs(guessed - before))
    assert other["withdrawal_shift"] == pytest.approx(before - after)
    assert other["error_after_withdrawal"] == pytest.approx(abs(guessed - after))
    assert other["error_putting_back"] == pytest.approx(abs((gone + guessed * (rows - gone)) / rows - before))
    assert other["error_putting_back"] < finding.value  # the count undoes most of the shift


def test_the_fraction_that_is_asked_for_is_reached(people):
    (finding,) = audited(people, withdrawal(until=0.4))
    other = finding.other_metrics
    assert other["true_fraction"] - other["withdrawal_shift"] == pytest.approx(0.4, abs=0.005)


def test_without_withdrawn_rows_nothing_is_said_of_them(people):
    plain, none = audited(people, withdrawal(share=0.0), undefended=True)
    assert "withdrawal_shift" not in none.other_metrics
    assert none.value == plain.value and none.utility == plain.utility


def test_no_withdrawn_row_is_in_the_transcript_or_known_as_trained(people, tmp_path):
    _, whole = stored(people, tmp_path / "whole")
    _, run = stored(people, tmp_path / "run", "--defense", "withdrawal:share=0.5")
    gone = np.setdiff1d(whole.knowledge.train, run.knowledge.train)
    assert len(gone) and run.truth.has[gone].all()
    assert np.array_equal(run.truth.before, whole.knowledge.train)
    assert len(gone) == round(0.5 * run.truth.has[run.truth.before].sum())
    trained = [message for message in run.transcript.messages if message.epoch != OUTSIDE_TRAINING]
    assert {Kind.EMBEDDING} <= {message.kind for message in trained}
    assert not any(np.isin(message.rows, gone).any() for message in run.transcript.messages)
    assert np.isin(run.knowledge.auxiliary.rows, run.knowledge.train).all()
    assert np.array_equal(run.knowledge.new, whole.knowledge.new)


def test_who_sees_the_ids_before_and_after_knows_the_property_of_everyone_withdrawn(people, tmp_path):
    _, run = stored(people, tmp_path / "run", "--defense", "withdrawal:share=0.2")
    seen_to_leave = np.setdiff1d(run.truth.before, run.knowledge.train)  # ids alone, no attack
    assert run.truth.has[seen_to_leave].mean() == 1.0


def test_a_stored_run_is_scored_against_the_fraction_before_withdrawal(people, tmp_path):
    first, _ = stored(people, tmp_path / "run", "--defense", "withdrawal:share=0.5")
    again = found("attack adjusted-count --transcript", tmp_path / "run")
    assert again["other_metrics"] == first["other_metrics"]


def test_it_acts_in_trees_as_well(people):
    both = {"federations": ["decision-tree"], "attacks": ["id2graph", "adjusted-count"]}
    defended = [finding for finding in audited(people, withdrawal(share=0.5), **both) if finding.attack == "id2graph"]
    assert [(finding.status, finding.defense) for finding in defended] == [("ok", "withdrawal")]


@pytest.mark.parametrize(
    ("settings", "changes"),
    [
        ({}, {"properties": [], "federations": ["summed-network"], "attacks": ["gradient-sign"]}),
        ({"property": "age=30..40"}, {}),
    ],
    ids=["none is audited", "another is audited"],
)
def test_where_nobody_holds_the_property_it_is_said_and_nothing_is_run(people, settings, changes):
    (finding,) = audited(people, withdrawal(**settings), **changes)
    assert finding.status == "not applicable" and finding.utility is None
    assert finding.reason == (
        "withdrawal leaves rows out before training, but no party holds a property that it speaks of. "
        "Name one that is audited (--property COLUMN=VALUE)."
    )


def test_a_fraction_above_the_present_one_makes_it_not_applicable(people):
    (finding,) = audited(people, withdrawal(until=0.9))
    assert finding.status == "not applicable" and finding.reason.startswith("until is 0.9, but")


def test_when_everyone_with_the_property_left_there_is_nothing_to_ask_about(people):
    (finding,) = audited(people, withdrawal(share=1.0))
    assert finding.status == "not applicable" and "There are 0 rows with the property" in finding.reason


def test_rows_that_any_party_withdraws_are_gone_for_all():
    data = small_data("iris")
    first, second = data.train[:10], data.train[5:20]
    hooks = {
        "active": Hook(alignment=lambda rows: np.setdiff1d(rows, first)),
        "passive": Hook(alignment=lambda rows: np.setdiff1d(rows, second)),
    }
    left = aligned(data, hooks)
    assert np.array_equal(left.train, data.train[20:])
    assert all(np.array_equal(part.train, left.train) for part in left.parts.values())
    assert np.array_equal(left.test, data.test)
    assert aligned(data, {}) is data and aligned(data, {"active": Hook()}) is data


def test_a_class_without_rows_is_refused():
    data = small_data("iris")
    nobody = Hook(alignment=lambda rows: rows[data.labels[rows] != 0])
    with pytest.raises(BadSetting, match="a class has none left"):
        aligned(data, {"passive": nobody})
