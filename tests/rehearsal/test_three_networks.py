"""Two hosts in network namespaces of their own, and a slow road between them in a third."""

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hosts import Hosts, ended
from seepage.audit.findings.finding import read_findings

ROAD = Path(__file__).parents[1] / "slow_road.py"
LATENCY = 0.01
NUMBERS = itertools.count()


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def networks():
    """A bank, a road and a shop, each with a network of its own: neither end reaches the other but by the road."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("network namespaces need root and the program ip (Debian's iproute2)")
    names = {end: f"seepage-{os.getpid()}-{next(NUMBERS)}-{end}" for end in ("bank", "road", "shop")}
    made = []
    try:
        try:
            for name in names.values():
                ip("netns", "add", name)
                made.append(name)
            for number, end in enumerate(("bank", "shop"), start=1):
                here, there = f"sp{os.getpid() % 10_000}{number}a", f"sp{os.getpid() % 10_000}{number}b"
                ip(
                    "link",
                    "add",
                    here,
                    "netns",
                    names[end],
                    "type",
                    "veth",
                    "peer",
                    "name",
                    there,
                    "netns",
                    names["road"],
                )
                for name, device, last in ((names[end], here, 1), (names["road"], there, 2)):
                    ip("-n", name, "addr", "add", f"10.77.{number}.{last}/24", "dev", device)
                    ip("-n", name, "link", "set", device, "up")
        except subprocess.CalledProcessError as error:
            pytest.skip(f"network namespaces cannot be made here: {error.stderr.decode().strip()}")
        yield {end: ("ip", "netns", "exec", name) for end, name in names.items()}
    finally:
        for name in made:
            ip("netns", "del", name)


def test_a_rehearsal_over_a_slow_road_between_networks(networks, tmp_path):
    hosts = Hosts(tmp_path)
    road = None
    try:
        shop = hosts.shop(port=7443, before=networks["shop"], address="10.77.2.1")
        between = [*networks["road"], sys.executable, str(ROAD), "10.77.1.2:7443", "10.77.2.1:7443", str(LATENCY)]
        road = subprocess.Popen(between, stdout=subprocess.PIPE, text=True)
        assert road.stdout.readline() == "open\n"
        astray = hosts.bank("--patience", "1", before=networks["bank"], address="10.77.2.1")
        assert ended(astray)[0] == 2  # there is no other road
        bank = hosts.bank(before=networks["bank"], address="10.77.1.2")
        status, said = ended(bank)
        assert status == 0, said
        status, said = ended(shop)
        assert status == 0, said
        assert {one.status for one in read_findings(hosts.out("bank"))} <= {"ok", "not applicable"}
    finally:
        hosts.end()
        if road is not None:
            road.kill()
            road.communicate()
