"""A plan can ask for some of the rows: the same for every seed, and named wherever the data are."""

import numpy as np
import pytest

import seepage
from seepage.audit.plan.plan import DataPlan, plan_text, read_plan
from seepage.audit.stages.keys import Keys
from seepage.audit.stages.preparation import load_table
from seepage.audit.sweep import plan_sweep
from seepage.data import sampled
from seepage.errors import BadPlan, BadTable
from seepage.report import write_report
from small_audits import asked


def of_rows(rows):
    return asked({"name": "iris", "rows": rows}, seeds=2)


def test_every_seed_splits_the_same_sample_in_its_own_way():
    sweep = plan_sweep(of_rows(60), bare=True)
    first, second = (sweep.bench.prepared(job.training.setting) for job in sweep.jobs)
    np.testing.assert_array_equal(first.table.ids, sampled(load_table(DataPlan(name="iris")), 60).ids)
    np.testing.assert_array_equal(first.table.ids, second.table.ids)
    assert not np.array_equal(first.data.test, second.data.test)


def test_a_sample_is_another_audit_than_the_whole_table():
    whole, some = plan_sweep(asked(seeds=2)), plan_sweep(of_rows(60))
    assert whole.data_checksum != some.data_checksum
    first, second = ({key for job in one.jobs for key in Keys(one.data_checksum).of(job).all} for one in (whole, some))
    assert first and first.isdisjoint(second)


def test_findings_and_the_report_name_the_number_of_rows(tmp_path):
    chosen = {"federations": ["logistic-regression"], "attacks": ["gradient-sign"], "defenses": []}
    findings = seepage.audit("iris", rows=60, **chosen, seeds=1, out=tmp_path)
    assert [finding.data for finding in findings] == ["iris (60 rows)"]
    assert "Leakage audit of iris (60 rows)" in write_report(tmp_path).read_text(encoding="utf-8")
    assert read_plan(tmp_path / "plan.toml").data.rows == 60


def test_a_plan_with_rows_survives_being_written_and_one_without_stays_as_it_was(tmp_path):
    (tmp_path / "plan.toml").write_text(plan_text(of_rows(60)))
    assert read_plan(tmp_path / "plan.toml") == of_rows(60)
    assert "rows" not in plan_text(asked(seeds=2))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (0, "rows must be 1 or more, got 0"),
        (-1, "rows must be 1 or more, got -1"),
        ("many", "valid integer, got 'many'"),
        (2.5, "valid integer, got 2.5"),
        (True, "valid integer, got True"),
    ],
)
def test_what_is_no_number_of_rows_is_refused_in_the_plan(rows, expected):
    with pytest.raises(BadPlan, match=expected):
        of_rows(rows)


def test_more_rows_than_there_are_are_refused_before_any_work():
    with pytest.raises(BadTable, match="iris has 150 rows, but a sample of 151"):
        plan_sweep(of_rows(151))


def test_rows_beside_a_plan_are_refused():
    with pytest.raises(BadPlan, match="The plan says what to audit, so rows does not go with it"):
        seepage.audit(of_rows(60), rows=30)
