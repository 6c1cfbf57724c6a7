"""The two commands, each in a process of its own, over mutual TLS."""

import random
import subprocess
import time

import pytest

from hosts import Hosts, ended, kill_at
from seepage.audit.findings.finding import read_findings


@pytest.fixture
def hosts(tmp_path):
    both = Hosts(tmp_path)
    yield both
    both.end()


def played(hosts, *, shop=(), bank=()):
    """Let both sides come to an end, and return what they found."""
    one = hosts.shop(*shop)
    other = hosts.bank(*bank)
    status, said = ended(other)
    assert status == 0, said
    status, said = ended(one)
    assert status == 0, said
    return {name: read_findings(hosts.out(name)) for name in ("bank", "shop")}


def lasting(findings):
    """Leave out how long things took."""
    return [one.model_copy(update={"seconds": None, "peak_mb": None}) for one in findings]


def test_both_sides_get_a_report_of_their_own_half(hosts):
    found = played(hosts)
    exact = {(one.attack, one.defense): one for one in found["bank"] if one.adversary == ("shop",) and one.value}
    told = {(one.attack, one.defense): one for one in found["shop"] if one.adversary == ("shop",) and one.value}
    assert exact.keys() == told.keys() and exact["gradient-sign", None].value == 1.0
    for place, one in told.items():
        assert one.value == pytest.approx(exact[place].value, abs=0.15) and one.other_metrics == {}
    for name in ("bank", "shop"):
        page = (hosts.out(name) / "report.html").read_text()
        asked = {"bank": "What partners can learn about us (bank)", "shop": "What bank can learn about us (shop)"}
        assert asked[name] in page and "each on its own host" in page and "c0007" not in page.lower()
        kept = hosts.out(name) / "rehearsal"
        assert {path.name for path in kept.iterdir()} >= {"secret", "shared.json", "0.turn", "1.turn", "2.turn"}
        assert all(path.stat().st_mode & 0o077 == 0 for path in kept.iterdir())
        assert (kept / "secret").read_text() not in page


MOMENTS = ("shared.json", "0.turn", "1.turn")
"""Files whose coming says how far a side is."""


def killed_and_continued(tmp_path, victim, reached, *, again=True):
    """Kill a side at some moment; see that the other one misses it, and that both go on as if nothing had been.

    Where it is asked for, all is played `again` under the same secrets, and comes out the same.
    """
    hosts = Hosts(tmp_path)
    try:
        shop, bank = hosts.shop("--silence", "4"), hosts.bank("--patience", "2")
        dying, other = (bank, shop) if victim == "bank" else (shop, bank)
        kill_at(dying, lambda: reached(hosts.out(victim) / "rehearsal"))
        try:
            status, said = ended(other, within=15)
        except subprocess.TimeoutExpired:  # the bank had not come yet: the shop waits for it as long as it takes
            assert victim == "bank" and not (hosts.out("shop") / "rehearsal" / "shared.json").exists()
            status, said = ended(hosts.bank())
            assert status == 0, said
            assert ended(other)[0] == 0
            return
        if status == 0:  # all was over but the goodbye
            return
        assert status == 2 and f"'{victim}'" in said and "Traceback" not in said
        assert not (hosts.out(victim) / "findings.jsonl").exists()
        continued = {name: lasting(one) for name, one in played(hosts).items()}
        assert all(one.status == "ok" for one in continued["shop"] if one.attack == "gradient-sign")
        if not again:
            return
        for name in ("bank", "shop"):
            for kept in (hosts.out(name) / "rehearsal").iterdir():  # as if nothing had been, but for secret and rows
                if kept.name not in {"secret", "shared.json", "about.json", "dealt.json"}:
                    kept.unlink()
        repeated = {name: lasting(one) for name, one in played(hosts).items()}
        for name, findings in continued.items():
            for one, other in zip(findings, repeated[name], strict=True):  # noise is drawn anew when a turn is
                assert one == other or one.defense == "label-dp"
    finally:
        hosts.end()


@pytest.mark.parametrize(("victim", "moment"), [("bank", MOMENTS[1]), ("shop", MOMENTS[2])])
def test_a_side_that_is_killed_is_missed_and_both_go_on_where_they_were(victim, moment, tmp_path):
    killed_and_continued(tmp_path, victim, lambda kept: (kept / moment).exists(), again=victim == "shop")


@pytest.mark.torture
@pytest.mark.parametrize("number", range(20))
def test_sides_are_killed_at_any_moment(number, tmp_path):
    rng = random.Random(number)
    seconds = rng.uniform(0.0, 5.0)
    began = time.monotonic()
    killed_and_continued(tmp_path, rng.choice(["bank", "shop"]), lambda _: time.monotonic() - began > seconds)


def test_another_plan_is_refused_in_a_sentence_on_both_sides(hosts):
    plan = hosts.folder / "bank" / "rehearsal.toml"
    plan.write_text(plan.read_text().replace("epochs = 20", "epochs = 21"))
    shop = hosts.shop("--silence", "20")
    status, said = ended(hosts.bank())
    assert status == 2 and "'shop' refused: The plans differ" in said and "Traceback" not in said
    status, said = ended(shop)
    assert status == 2 and "The plans differ" in said and "Traceback" not in said
