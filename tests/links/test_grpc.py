"""Parties in processes of their own, over gRPC with real certificates: the same run, bit for bit, or a sentence."""

import importlib.util
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from seepage.errors import AuditError, BadMessage, BadPeer
from seepage.federations import FEDERATIONS
from seepage.federations.dialogue import CarefulLink
from seepage.hooks import Hook, Hooks, Tampering
from seepage.links.grpc import BEFORE, PIECE, GrpcLink, _pieces, _Stream, listening
from seepage.links.keys import Identity, Peer, make_keys
from seepage.links.wire import LIMITS, Limits, to_bytes
from seepage.messages import Kind, Message
from seepage.randomness import stream
from seepage.transcript import Recorder
from seepage.transcript.storage import read_transcript
from standing_party import DATA, chances, rules_of
from trained_runs import EVERYTHING, address, carried

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("grpc") is None, reason="gRPC is not installed: pip install 'seepage[grpc]'"
)
QUICK = {
    "split-network": {"epochs": 2}, "summed-network": {"epochs": 2}, "logistic-regression": {"epochs": 4},
    "decision-tree": {"depth": 3}, "forest": {"trees": 2, "depth": 3, "columns_per_split": "sqrt"},
    "boosting": {"trees": 2, "depth": 3},
}  # fmt: skip
HERE = "127.0.0.1:0"
TESTS = Path(__file__).parents[1]
ASKED = Message(Kind.EMBEDDING, "bank", "shop", 0, 0, np.arange(3), {})


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    return folder, {name: make_keys(name, folder) for name in (*DATA.parties, "bank", "shop", "stranger")}


class Standing:
    """A party in a process of its own."""

    def __init__(self, name, keys):
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, TESTS / "standing_party.py", name, keys],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )  # fmt: skip

    def asked(self, federation, settings, out, silence=60.0):
        told = {"federation": federation, "settings": settings, "out": str(out), "silence": silence, "listen": HERE}
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        return f"127.0.0.1:{self.said()['port']}"

    def said(self):
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def standing(keys):
    parties = {name: Standing(name, keys[0]) for name in DATA.passive}
    yield parties
    for party in parties.values():
        party.end()


def driven(federation, keys, addresses, **patience):
    """Drive a federation from here, and return the run."""
    recorder, rules = Recorder(EVERYTHING, ciphertexts=rules_of(federation).terms.encrypted), rules_of(federation)
    links = {
        party: GrpcLink(
            keys[1][DATA.active], Peer(party, keys[1][party].certificate), addresses[party], recorder.hear, **patience
        )
        for party in DATA.passive
    }
    with ExitStack() as stack:
        for link in links.values():
            stack.callback(link.close)
        run = federation.drive(
            DATA.parts[DATA.active],
            rules.terms,
            {party: CarefulLink(link, rules) for party, link in links.items()},
            hook=Hook(),
            tampering=Tampering(),
            chance=chances()[DATA.active],
            recorder=recorder,
        )
        run.release_model()
        released = run.release(DATA.test)
        for link in links.values():
            link.goodbye()
    return run, released


def said(transcript, party=None):
    return [
        address(one) + carried(one)
        for one in transcript.messages
        if party is None or party in (one.sender, one.receiver)
    ]


def weights(transcript, party):
    return [
        (one.epoch, {name: array.tobytes() for name, array in one.state.items()})
        for one in transcript.snapshots
        if one.party == party
    ]


@pytest.mark.parametrize("name", QUICK)
def test_parties_in_processes_of_their_own_train_what_one_process_trains(name, keys, standing, tmp_path):
    federation = FEDERATIONS[name](**QUICK[name])
    addresses = {party: one.asked(name, QUICK[name], tmp_path / party) for party, one in standing.items()}
    run, released = driven(federation, keys, addresses)
    assert [one.said() for one in standing.values()] == [{"over": True}] * len(standing)
    here = federation.train(DATA, hooks=Hooks(), record=EVERYTHING, rng=stream(0, "test"))
    here.release_model()
    assert np.array_equal(here.release(DATA.test), released)
    assert said(run.transcript) == said(here.transcript) and run.crossed == here.crossed
    for party in DATA.passive:
        own = read_transcript(tmp_path / party)
        assert said(own) == said(here.transcript, party)
        assert weights(own, party) == weights(here.transcript, party)
        assert {snapshot.party for snapshot in own.snapshots} <= {party}


@pytest.mark.skipif(importlib.util.find_spec("heu") is None, reason="install seepage[he] to run under encryption")
def test_encrypted_trees_grow_over_the_network_as_they_do_here(keys, standing, tmp_path):
    settings = {"trees": 1, "depth": 2, "encryption": "okamoto-uchiyama", "key_bits": 1024, "insecure_key": True}
    federation = FEDERATIONS["boosting"](**settings)
    addresses = {party: one.asked("boosting", settings, tmp_path / party) for party, one in standing.items()}
    _, released = driven(federation, keys, addresses)
    assert [one.said() for one in standing.values()] == [{"over": True}] * len(standing)
    here = federation.train(DATA, hooks=Hooks(), record=EVERYTHING, rng=stream(0, "test"))
    assert np.array_equal(here.release(DATA.test), released)


@contextmanager
def breaking(address, after, times):
    """Stand between two parties, and cut the connection after so many bytes, so many times."""
    host, port = address.split(":")
    server, cut, working = socket.create_server((host, 0)), [], []
    ending = threading.Event()

    def carry(source, target, counts):
        carried_bytes = 0
        while not ending.is_set():
            try:
                data = source.recv(1 << 16)
                if not data:
                    break
                carried_bytes += len(data)
                if counts and carried_bytes > after and len(cut) < times:
                    cut.append(carried_bytes)
                    break
                target.sendall(data)
            except OSError:
                break
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def between(client):
        with client, socket.create_connection((host, int(port))) as there:
            both = [(client, there, False), (there, client, True)]  # answers get lost
            threads = [threading.Thread(target=carry, args=one, daemon=True) for one in both]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def accept():
        while not ending.is_set():
            try:
                client, _ = server.accept()
            except OSError:
                return
            working.append(threading.Thread(target=between, args=(client,), daemon=True))
            working[-1].start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"{host}:{server.getsockname()[1]}", cut
    finally:
        ending.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        for thread in working:
            thread.join(10)


def test_a_connection_that_breaks_changes_nothing(keys, standing, tmp_path):
    name, settings = "split-network", {"epochs": 3, "batch": 16}
    federation = FEDERATIONS[name](**settings)
    addresses = {party: one.asked(name, settings, tmp_path / party) for party, one in standing.items()}
    with breaking(addresses["passive-1"], after=9_000, times=4) as (through, cut):
        run, _ = driven(federation, keys, {**addresses, "passive-1": through})
    assert [one.said() for one in standing.values()] == [{"over": True}] * len(standing)
    here = federation.train(DATA, hooks=Hooks(), record=EVERYTHING, rng=stream(0, "test"))
    here.release_model()
    here.release(DATA.test)
    assert len(cut) == 4 and said(run.transcript) == said(here.transcript)
    assert said(read_transcript(tmp_path / "passive-1")) == said(here.transcript, "passive-1")


MOMENTS = [0, *(pytest.param(moment, marks=pytest.mark.torture) for moment in range(1, 20))]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_party_that_is_killed_is_missed_in_a_sentence(moment, keys, standing, tmp_path):
    victim = Standing("passive-2", keys[0])
    federation = FEDERATIONS["split-network"](epochs=10**6)
    settings = {"epochs": 10**6}
    addresses = {
        "passive-1": standing["passive-1"].asked("split-network", settings, tmp_path / "one", silence=3.0),
        "passive-2": victim.asked("split-network", settings, tmp_path / "two"),
    }
    later = threading.Timer(random.Random(moment).uniform(0.2, 3.0), victim.process.send_signal, [signal.SIGKILL])
    later.start()
    begun = time.monotonic()
    try:
        with pytest.raises(BadPeer, match=r"^'passive-2' at .* cannot be reached"):
            driven(federation, keys, addresses, patience=1.0)
    finally:
        victim.end()
    assert time.monotonic() - begun < 20
    assert "'active' has said nothing for 3 s" in standing["passive-1"].said()["lost"]
    assert not (tmp_path / "one").exists() and not (tmp_path / "two").exists()


class Shop:
    """A party that counts what it hears."""

    name = "shop"

    def __init__(self, slow=0.0):
        self.heard, self.slow = [], slow

    def answer(self, message):
        self.heard.append(message)
        time.sleep(self.slow)
        if message.step == 13:
            raise KeyError("a mistake of ours")
        return message.reply({"embedding": np.ones((len(message.rows), 4))})


@contextmanager
def open_shop(keys, shop=None, limits=LIMITS):
    """A shop that listens to the bank, and how to reach it as anybody."""
    shop = shop or Shop()
    with listening(shop, keys[1]["shop"], keys[1]["bank"], HERE, limits) as listener, ExitStack() as stack:

        def reach(own=None, peer=None, **patience):
            chosen = {"own": own or keys[1]["bank"], "peer": peer or Peer("shop", keys[1]["shop"].certificate)}
            link = GrpcLink(
                **chosen, address=f"127.0.0.1:{listener.port}", tap=lambda said: None, **{"patience": 0.3, **patience}
            )
            stack.callback(link.close)
            return link

        yield shop, listener, reach


def test_who_is_not_the_one_that_is_expected_is_told_nothing(keys):
    stranger = keys[1]["stranger"]
    with open_shop(keys) as (shop, _, reach):
        for name in ("stranger", "bank"):
            with pytest.raises(BadPeer, match="cannot be reached, or refuses our certificate"):
                reach(own=Identity(name, stranger.certificate, stranger.key)).request(ASKED)
        with pytest.raises(BadPeer, match="does not have the certificate of 'shop'"):
            reach(peer=Peer("shop", stranger.certificate)).request(ASKED)
        assert shop.heard == []
        assert reach().request(ASKED).payload["embedding"].shape == (3, 4)


def test_without_a_certificate_nothing_is_heard(keys):
    import grpc

    with open_shop(keys) as (shop, listener, _):
        place = f"127.0.0.1:{listener.port}"
        only_roots = grpc.ssl_channel_credentials(keys[1]["shop"].certificate)
        named = (("grpc.ssl_target_name_override", "party.seepage"),)
        for channel in (grpc.insecure_channel(place), grpc.secure_channel(place, only_roots, options=named)):
            call = channel.stream_stream("/seepage.v1.Link/Run")
            with pytest.raises(grpc.RpcError) as refused:
                next(call(iter(_pieces(0, to_bytes(ASKED))), metadata=(("seepage-session", "1"),), timeout=5))
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            channel.close()
        assert shop.heard == []


WRONG = {
    "to somebody else": (Message(Kind.EMBEDDING, "bank", "lab", 0, 0, np.arange(3), {}), "over the wrong link"),
    "from somebody else": (Message(Kind.EMBEDDING, "shop", "shop", 0, 0, np.arange(3), {}), "over the wrong link"),
    "that breaks the party": (Message(Kind.EMBEDDING, "bank", "shop", 0, 13, np.arange(3), {}), r"\(INTERNAL\)"),
    "that is too large": (
        Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.arange(3), {"gradient": np.ones((3, 10_000))}),
        "10,000 are the most that is read",
    ),
}


@pytest.mark.parametrize("which", WRONG)
def test_a_wrong_request_is_refused_in_a_sentence_and_the_right_one_goes_on(which, keys, caplog):
    message, why = WRONG[which]
    with open_shop(keys, limits=Limits(size=10_000)) as (_, _, reach):
        link = reach()
        link.request(ASKED)
        with pytest.raises(BadPeer, match=why):
            link.request(message)
        assert any("Refused 'bank'" in told or "could not be answered" in told for told in caplog.messages)
        assert link.request(ASKED).kind is Kind.EMBEDDING
        assert not any("KEY" in told or "bank.key" in told for told in caplog.messages)


def test_another_run_a_request_out_of_order_and_one_that_comes_again(keys):
    with open_shop(keys) as (shop, _, reach):
        link = reach()
        first = link.request(ASKED)
        with pytest.raises(BadPeer, match="Another run has begun here already"):
            reach().request(ASKED)
        link._number = 0
        again = link.request(ASKED)  # sent again, and answered again
        assert carried(again) == carried(first) and len(shop.heard) == 1
        for number in (0, 5):
            link._number = number
            with pytest.raises(BadPeer, match=f"Request {number} came where request 1 was expected"):
                link.request(Message(Kind.EMBEDDING, "bank", "shop", 0, 1, np.arange(3), {}))
        link._number = 1
        link.goodbye()
        with pytest.raises(BadPeer, match="Request 2 came where request 2 was expected"):
            link.request(ASKED)


def test_who_never_answers_is_given_up(keys):
    why = r"did not answer within 0\.5 s"
    with open_shop(keys, Shop(slow=2.0)) as (_, _, reach), pytest.raises(BadPeer, match=why):
        reach(deadline=0.5).request(ASKED)


def test_a_driver_that_never_comes_is_given_up(keys):
    with open_shop(keys) as (_, listener, _), pytest.raises(BadPeer, match=r"'bank' has said nothing for 0\.2 s"):
        listener.wait(0.2)


def test_answers_that_are_none_are_refused(keys):
    class Lying(Shop):
        def answer(self, message):
            return Message(Kind.EMBEDDING, "shop", "bank", message.epoch, message.step + 1, message.rows, {})

    with open_shop(keys, Lying()) as (_, _, reach), pytest.raises(BadMessage, match="something else than it was asked"):
        reach().request(ASKED)


@pytest.mark.parametrize(("address", "why"), [("here", "Give HOST:PORT"), ("203.0.113.7:1", "Nothing can listen at")])
def test_a_place_where_nothing_can_listen(address, why, keys):
    with pytest.raises(BadPeer, match=why), listening(Shop(), keys[1]["shop"], keys[1]["bank"], address):
        pass


@pytest.mark.parametrize("count", [150, pytest.param(10_000, marks=pytest.mark.torture)])
def test_damaged_requests_reach_nobody(count, keys):
    """Bytes are changed, cut and added; whatever comes of it, the next right request is answered."""
    rng = np.random.default_rng(0)
    whole = b"".join(_pieces(0, to_bytes(ASKED)))
    with open_shop(keys) as (shop, _, reach):
        link = reach()
        link.request(ASKED)
        import grpc

        for _ in range(count):
            damaged = bytearray(whole)
            for _ in range(rng.integers(1, 6)):
                place = int(rng.integers(len(damaged)))
                what = rng.integers(3)
                if what == 0:
                    damaged[place] = int(rng.integers(256))
                elif what == 1:
                    del damaged[place : place + int(rng.integers(1, 40))]
                else:
                    damaged[place:place] = rng.bytes(int(rng.integers(1, 40)))
                if not damaged:
                    damaged = bytearray(b"\0")
            spoken = _Stream.opened(link._channel.stream_stream("/seepage.v1.Link/Run"), "another", LIMITS)
            spoken.outgoing.put(bytes(damaged))
            spoken.outgoing.put(None)
            with pytest.raises((grpc.RpcError, AuditError, StopIteration)):
                next(spoken.answers)
            spoken.close()
        assert len(shop.heard) == 1
        assert link.request(ASKED).kind is Kind.EMBEDDING


def test_a_large_message_travels_in_pieces(keys):
    class Echo(Shop):
        def answer(self, message):
            return message.reply(dict(message.payload))

    sent = np.random.default_rng(0).normal(size=(3, PIECE // 8))
    with open_shop(keys, Echo()) as (_, _, reach):
        told = Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.arange(3), {"gradient": sent})
        assert len(list(_pieces(0, to_bytes(told)))) == 4 and BEFORE.size == 16
        assert np.array_equal(reach().request(told).payload["gradient"], sent)
