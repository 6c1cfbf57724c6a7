"""How long the rest takes is said before anything is done, and corrected by what is seen."""

import pytest

from seepage.audit import forecast
from seepage.audit.forecast import Forecast
from seepage.audit.sweep import plan_sweep, run_sweep
from small_audits import asked


def test_the_time_that_is_left_is_told_before_the_first_result_and_is_none_after_the_last():
    seen = []
    run_sweep(plan_sweep(asked(seeds=2)), progress=seen.append)
    first, last = seen[0], seen[-1]
    assert first.done == 0 and first.job is None and first.seconds_left > 0 and first.left == "under a minute left"
    assert last.done == last.total and last.seconds_left == pytest.approx(0)


@pytest.mark.parametrize("slower", [0.5, 1, 8])
def test_a_machine_that_is_slower_than_expected_is_found_out(slower, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(forecast.time, "perf_counter", lambda: clock[0])
    jobs = [str(number) for number in range(100)]
    watched = Forecast(2, dict.fromkeys(jobs, 60.0), dict.fromkeys(jobs, 3), began=0.0)
    assert watched.seconds_left == pytest.approx(100 * 60 / 2, rel=0.01)
    for job in jobs[:50]:
        for _ in range(3):
            watched.seen(job)
        clock[0] += slower * 60 / 2
    truth = slower * 50 * 60 / 2
    assert truth / 2 < watched.seconds_left < 2 * truth
