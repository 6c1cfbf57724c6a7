"""Parties in processes of their own, over TLS with real certificates: the same run, bit for bit, or a sentence."""

import importlib.util
import json
import os
import random
import resource
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seepage.errors import BadMessage, BadPeer
from seepage.federations import FEDERATIONS
from seepage.federations.dialogue import CarefulLink
from seepage.hooks import Hook, Hooks, Tampering
from seepage.links import listening as listening_module
from seepage.links.connection import BEFORE, FINE, GREETING, MARK, PIECE, VERSION
from seepage.links.driving import TlsLink
from seepage.links.keys import Identity, Peer, make_keys
from seepage.links.listening import listening
from seepage.links.wire import LIMITS, Limits, to_bytes
from seepage.messages import Kind, Message
from seepage.randomness import stream
from seepage.transcript import Recorder
from seepage.transcript.storage import read_transcript
from standing_party import DATA, chances, rules_of
from trained_runs import EVERYTHING, address, carried

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("cryptography") is None, reason="there is no cryptography: pip install 'seepage[hosts]'"
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
        party: TlsLink(
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
    server, cut, working, reached = socket.create_server((host, 0)), [], [], []
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
            reached.append(there)
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
        yield f"{host}:{server.getsockname()[1]}", cut, reached
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
    with breaking(addresses["passive-1"], after=9_000, times=4) as (through, cut, _):
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
    addresses = {"passive-2": victim.asked("split-network", settings, tmp_path / "two")}  # it takes a while to start
    addresses["passive-1"] = standing["passive-1"].asked("split-network", settings, tmp_path / "one", silence=5.0)
    addresses = {party: addresses[party] for party in DATA.passive}
    later = threading.Timer(random.Random(moment).uniform(0.2, 3.0), victim.process.send_signal, [signal.SIGKILL])
    later.start()
    begun = time.monotonic()
    try:
        with pytest.raises(BadPeer, match=r"^'passive-2' at .* cannot be reached"):
            driven(federation, keys, addresses, patience=1.0)
    finally:
        victim.end()
    assert time.monotonic() - begun < 20
    assert "'active' has said nothing for 5 s" in standing["passive-1"].said()["lost"]
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
        return message.reply({"embedding": np.ones((len(message.rows), 4))} if message.kind is Kind.EMBEDDING else {})


@contextmanager
def open_shop(keys, shop=None, limits=LIMITS):
    """A shop that listens to the bank, and how to reach it as anybody."""
    shop = shop or Shop()
    with listening(shop, keys[1]["shop"], keys[1]["bank"], HERE, limits) as listener, ExitStack() as stack:

        def reach(own=None, peer=None, **patience):
            chosen = {"own": own or keys[1]["bank"], "peer": peer or Peer("shop", keys[1]["shop"].certificate)}
            link = TlsLink(
                **chosen, address=f"127.0.0.1:{listener.port}", tap=lambda said: None, **{"patience": 0.3, **patience}
            )
            stack.callback(link.close)
            return link

        yield shop, listener, reach


def test_who_is_not_the_one_that_is_expected_is_told_nothing(keys, tmp_path, caplog):
    pretending = make_keys("bank", tmp_path)
    with open_shop(keys) as (shop, listener, reach):
        for own in (keys[1]["stranger"], pretending):
            with pytest.raises(BadPeer, match=r"'shop' at .* does not accept our certificate"):
                reach(own=own).request(ASKED)
        assert len(wait_until(lambda: caplog.messages, 2)) == 2
        assert all(said.startswith("Refused a connection from 127.0.0.1: CERTIFICATE") for said in caplog.messages)
        with pytest.raises(BadPeer, match="does not have the certificate of 'shop'"):
            reach(peer=Peer("shop", pretending.certificate)).request(ASKED)
        assert shop.heard == []
        assert reach().request(ASKED).payload["embedding"].shape == (3, 4)
        assert wait_until(lambda: [1] * (not listener._strangers), 1)  # nobody waits at the door any more


def wait_until(said, count):
    """Wait until so much was said; the other end says it in its own time."""
    until = time.monotonic() + 10
    while len(said()) < count and time.monotonic() < until:
        time.sleep(0.01)
    return said()


def test_a_certificate_that_the_expected_one_has_signed_is_another_one(keys, tmp_path):
    """A certificate of a party is no authority: what it signs is not accepted in its place."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    issuer = x509.load_pem_x509_certificate(keys[1]["bank"].certificate)
    secret = serialization.load_pem_private_key(keys[1]["bank"].key_file.read_bytes(), None)
    made = ec.generate_private_key(ec.SECP256R1())
    signed = (
        x509.CertificateBuilder().subject_name(issuer.subject).issuer_name(issuer.subject)
        .public_key(made.public_key()).serial_number(7)
        .not_valid_before(issuer.not_valid_before_utc).not_valid_after(issuer.not_valid_after_utc)
        .sign(secret, hashes.SHA256())
    )  # fmt: skip
    own = Identity("bank", signed.public_bytes(serialization.Encoding.PEM), tmp_path)
    own.file.write_bytes(own.certificate)
    plain = serialization.NoEncryption()
    own.key_file.write_bytes(made.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    with open_shop(keys) as (shop, _, reach):
        with pytest.raises(BadPeer):
            reach(own=own).request(ASKED)
        assert shop.heard == []


@pytest.mark.parametrize("how", ["no certificate", "an older TLS", "no TLS at all", "silence"])
def test_who_does_not_show_the_certificate_is_not_heard(how, keys, monkeypatch):
    monkeypatch.setattr(listening_module, "HANDSHAKE", 0.5)
    with open_shop(keys) as (shop, listener, reach):
        plain = socket.create_connection(("127.0.0.1", listener.port))
        plain.settimeout(5)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(cadata=keys[1]["shop"].certificate.decode())
        if how == "an older TLS":
            context.load_cert_chain(keys[1]["bank"].file, keys[1]["bank"].key_file)
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        with plain, suppress(OSError):
            if how in ("no certificate", "an older TLS"):
                with context.wrap_socket(plain) as connection:
                    connection.sendall(GREETING.pack(MARK, VERSION, bytes(16)) + request(0, to_bytes(ASKED)))
                    assert connection.recv(1) == b""
            elif how == "no TLS at all":
                plain.sendall(GREETING.pack(MARK, VERSION, bytes(16)) + request(0, to_bytes(ASKED)))
                assert len(plain.recv(100)) < BEFORE.size  # an alert
            else:
                assert plain.recv(1) == b""
        assert shop.heard == []
        assert reach().request(ASKED).kind is Kind.EMBEDDING


def request(number, data):
    """What a driver writes."""
    return BEFORE.pack(number, FINE, len(data)) + data


WRONG = {
    "to somebody else": (Message(Kind.EMBEDDING, "bank", "lab", 0, 0, np.arange(3), {}), "over the wrong link"),
    "from somebody else": (Message(Kind.EMBEDDING, "shop", "shop", 0, 0, np.arange(3), {}), "over the wrong link"),
    "that breaks the party": (
        Message(Kind.EMBEDDING, "bank", "shop", 0, 13, np.arange(3), {}),
        r"could not answer\. Its own log says why",
    ),
    "that is too large": (
        Message(Kind.MODEL, "bank", "shop", 0, 0, np.arange(3), {"gradient": np.ones((3, 10_000))}),
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
        assert not any("PRIVATE" in told for told in caplog.messages)


def test_another_run_a_request_out_of_order_and_one_that_comes_again(keys):
    with open_shop(keys) as (shop, _, reach):
        link = reach()
        first = link.request(ASKED)
        with pytest.raises(BadPeer, match="Another run has begun here already"):
            reach().request(ASKED)
        link._number = 0
        link.close()  # as if the answer had been lost
        again = link.request(ASKED)  # sent again, and answered again
        assert carried(again) == carried(first) and len(shop.heard) == 1
        link._number = 0
        link.close()
        with pytest.raises(BadMessage, match="answered something else than it was asked"):
            link.request(replace(ASKED, step=1))  # another request under the same number is not done either
        link._number = 5
        link.close()
        with pytest.raises(BadPeer, match="Request 5 came where request 1 was expected"):
            link.request(replace(ASKED, step=1))
        assert len(shop.heard) == 1
        link._number = 1
        link.close()
        link.goodbye()
        with pytest.raises(BadPeer, match="This run is over"):
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
    with open_shop(keys) as (shop, _, reach):
        link = reach()
        link.request(ASKED)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(count):
            damaged = bytearray(request(1, to_bytes(ASKED)))
            for _ in range(rng.integers(1, 6)):
                place, what = int(rng.integers(len(damaged) + 1)), rng.integers(3)
                if what == 0 and place < len(damaged):
                    damaged[place] ^= int(rng.integers(1, 256))
                elif what == 1:
                    del damaged[place : place + int(rng.integers(1, 40))]
                else:
                    damaged[place:place] = rng.bytes(int(rng.integers(1, 40)))
            connection = link._connected()
            with connection:
                connection.sendall(bytes(damaged))
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(1)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
        assert all(address(said) == address(ASKED) for said in shop.heard)  # damage to row numbers is not seen
        link._number = len(shop.heard)
        assert link.request(ASKED).kind is Kind.EMBEDDING


def test_a_large_message_travels_whole(keys):
    class Echo(Shop):
        def answer(self, message):
            return message.reply(dict(message.payload))

    sent = np.random.default_rng(0).normal(size=(3, PIECE // 8))
    with open_shop(keys, Echo()) as (_, _, reach):
        told = Message(Kind.EMBEDDING, "bank", "shop", 0, 0, np.arange(3), {"embedding": sent})
        assert np.array_equal(reach().request(told).payload["embedding"], sent)


def test_what_is_only_told_is_not_waited_for_and_not_lost(keys):
    """Gradients are told; that one was refused shows with the next question."""
    told = Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.arange(3), {"gradient": np.ones((3, 4))})
    with open_shop(keys, Shop(slow=1.0)) as (shop, _, reach):
        link = reach()
        link.request(ASKED)
        begun = time.monotonic()
        assert not link.request(told).payload and time.monotonic() - begun < 0.9
        link.request(ASKED)
        assert [said.kind for said in shop.heard] == [Kind.EMBEDDING, Kind.GRADIENT, Kind.EMBEDDING]
        link.request(replace(told, receiver="lab"))
        with pytest.raises(BadPeer, match="over the wrong link"):
            link.request(ASKED)
        assert link.request(ASKED).kind is Kind.EMBEDDING


def test_bytes_in_the_clear_are_never_taken_for_the_drivers(keys):
    """Who stands on the path writes into the old connection while the driver makes a new one."""
    forged = request(1, to_bytes(replace(ASKED, step=666)))
    for _ in range(5):
        with open_shop(keys, Shop(slow=0.1)) as (shop, listener, reach):
            with breaking(f"127.0.0.1:{listener.port}", after=1 << 40, times=0) as (through, _, reached):
                link = reach()
                link.address = through
                with link._connected() as old:
                    old.sendall(request(0, to_bytes(ASKED)))
                    time.sleep(0.05)  # it is being worked on
                    reached[0].sendall(forged)
                    with link._connected():  # as if the old one had broken
                        time.sleep(0.2)
            assert {said.step for said in shop.heard} == {0}


def test_callers_without_a_certificate_lock_nobody_out(keys, caplog):
    with open_shop(keys) as (_, listener, reach), ExitStack() as stack:
        for _ in range(3 * listening_module.STRANGERS):
            stack.enter_context(socket.create_connection(("127.0.0.1", listener.port)))
        assert reach(patience=5.0).request(ASKED).kind is Kind.EMBEDDING
        assert any("Too many callers" in said for said in caplog.messages)


def test_the_door_stays_open_when_a_descriptor_is_lacking_for_a_moment(keys, caplog):
    with open_shop(keys) as (_, listener, reach):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        plain = socket.socket()
        free = os.dup(plain.fileno())
        os.close(free)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))  # the next one would be too many
            plain.connect(("127.0.0.1", listener.port))
            assert wait_until(lambda: [said for said in caplog.messages if "for a moment" in said], 1)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            plain.close()
        assert reach(patience=5.0).request(ASKED).kind is Kind.EMBEDDING


def test_a_run_that_was_given_up_is_not_asked_again(keys):
    with open_shop(keys, Shop(slow=1.0)) as (_, _, reach):
        link = reach(deadline=0.3)
        for message in (ASKED, replace(ASKED, rows=np.arange(50, 53))):
            with pytest.raises(BadPeer, match=r"did not answer within 0\.3 s"):
                link.request(message)


def test_a_long_message_is_no_silence(keys):
    with open_shop(keys) as (_, listener, reach):
        connection = reach()._connected()
        with connection:
            whole = request(0, to_bytes(replace(ASKED, rows=np.arange(4_000))))
            for start in range(0, len(whole) - 4_000, 4_000):
                before = listener._heard
                connection.sendall(whole[start : start + 4_000])
                assert wait_until(lambda: [1] * (listener._heard > before), 1)  # noqa: B023
