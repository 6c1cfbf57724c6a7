"""What a worker has at hand is made once."""

import pytest

from seepage.audit.engines.engine import Here
from seepage.audit.plan.plan import DataPlan
from seepage.audit.stages import bench as benches
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.preflight import setting_of
from seepage.audit.sweep import plan_sweep, run_sweep
from seepage.errors import BadTable


def test_a_table_is_read_once_and_split_dealt_and_encoded_once_per_seed(plan, monkeypatch):
    calls = {"load_table": 0, "prepare": 0}
    for name in calls:
        whole = getattr(benches, name)

        def counting(*given, whole=whole, name=name):
            calls[name] += 1
            return whole(*given)

        monkeypatch.setattr(benches, name, counting)
    sweep = plan_sweep(plan(seeds=4, defenses=[{"name": "rounding"}, {"name": "label-dp"}]))
    findings = run_sweep(sweep, engine=Here(1, sweep.bench))
    assert {finding.seed for finding in findings} == {0, 1, 2, 3} and len(sweep.jobs) == 4 * 3
    assert calls == {"load_table": 1, "prepare": 4}


def test_a_table_that_is_not_the_expected_one_is_refused(plan):
    with pytest.raises(BadTable, match="changed while the audit ran"):
        Bench().prepared(setting_of(plan(), 0), "another checksum")


def test_a_file_that_changes_is_read_again(tmp_path):
    bench, file = Bench(), tmp_path / "people.csv"
    data, first = DataPlan(file=str(file), label="y"), []
    for rows in (60, 70):
        file.write_text("age,visits,y\n" + "".join(f"{row % 7},{row % 5},{row % 2}\n" for row in range(rows)))
        first.append(bench.table(data))
        assert bench.table(data) is first[-1]
    assert first[0].checksum != first[1].checksum
