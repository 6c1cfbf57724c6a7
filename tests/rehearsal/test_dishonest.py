"""Partners who speak out of turn, ask again in other words, or claim what cannot be scored."""

import json
import random
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import numpy as np
import pytest

from rehearsals import VERSION, own_tables, plan_of, rehearsed
from seepage.errors import AuditError, BadMessage
from seepage.guesses import ClusterGuess, FeatureGuess, LabelGuess
from seepage.links.serialized import SerializedLink
from seepage.links.wire import from_bytes, to_bytes
from seepage.messages import Kind, Message
from seepage.rehearsal.adversary import commitment
from seepage.rehearsal.answering import Answering
from seepage.rehearsal.claims import Claim, Sealed
from seepage.rehearsal.driving import Driving
from seepage.rehearsal.folder import open_rehearsal
from seepage.rehearsal.keeping import scene_again
from seepage.rehearsal.side import Side
from seepage.rehearsal.victim import LEAST, blurred, scored
from seepage.rehearsal.words import (
    Answered,
    Columns,
    Commit,
    Deal,
    FindShared,
    Grant,
    Granted,
    Heard,
    Hello,
    Nothing,
    Outcome,
    Prepare,
    Prepared,
    Skip,
    Strike,
    Tell,
    Told,
    Train,
    ask,
)  # fmt: skip
from seepage.scores.twins import Twins
from seepage.shapes import NO_ROWS

PLAN = plan_of(
    federations=[{"name": "logistic-regression", "settings": {"epochs": 10}}], simulated=True,
    attacks=[{"name": "gradient-sign"}, {"name": "embedding-regression", "settings": {"known": 20}}],
    defenses=[{"name": "label-dp"}], grants={"values": 20, "means": True},
)  # fmt: skip


@contextmanager
def met(folder):
    """A driver and a party that share a folder and have not said anything yet."""
    with ExitStack() as stack:
        everything = frozenset(turn.name for turn in PLAN.turns)
        sides = {
            name: Side(PLAN, own, stack.enter_context(opened(folder / name, name, own)), everything)
            for name, own in own_tables(2).items()
        }
        shop = Answering(sides["shop"], VERSION, lambda text: None)
        links = {"shop": SerializedLink(shop, lambda message: None)}
        yield Driving(sides["bank"], links, VERSION, lambda text: None), shop


def opened(path, name, own):
    return open_rehearsal(path, PLAN, name, own.table.checksum)


@pytest.fixture
def pair(tmp_path):
    """A driver and a party that have not met yet."""
    with met(tmp_path) as both:
        yield both


def said(bank, request, answer=Nothing, beside=None):
    """Let the bank say something by hand."""
    return ask(bank.links["shop"], "bank", "shop", request, answer, beside)


def hello(bank, **other):
    values = {"plan": PLAN.digest, "version": VERSION, "consents": (), "session": None, "done": ()}
    return said(bank, Hello(**{**values, **other}), Heard)


def dealt(bank):
    """Bring both sides to where turns begin."""
    bank._begin()
    bank._deal(0)
    return bank.side.dealt(0)


def test_whoever_asks_before_greeting_is_refused_whatever_it_asks(pair):
    bank, shop = pair
    with pytest.raises(BadMessage, match="did not say first"):
        said(bank, FindShared(session="0" * 64))
    for kind in Kind:
        for payload in ({}, {"left": np.ones(3, dtype=bool)}, {"said": np.zeros(2, dtype=np.uint8)}):
            with pytest.raises(BadMessage):
                shop.answer(Message(kind, "bank", "shop", -1, 0, NO_ROWS, payload))
    with pytest.raises(BadMessage, match="The plans differ"):
        hello(bank, plan="f" * 64)
    with pytest.raises(BadMessage, match="has version test"):
        hello(bank, version="0")


def test_rows_are_dealt_once(pair):
    bank, shop = pair
    rows = dealt(bank)
    own = Columns(names=(), attributes=())
    train, test = rows.part.rows, rows.test
    _, first = said(bank, Deal(seed=0, columns=own), Columns, {"train": train, "new": test})
    _, again = said(bank, Deal(seed=0, columns=own), Columns, {"train": train, "new": test})
    assert np.array_equal(first["limits"], again["limits"])
    lonely = {"train": train[:3], "new": np.concatenate((train[3:], test))}
    swapped = {"train": np.concatenate((train[1:], test[:1])), "new": np.concatenate((test[1:], train[:1]))}
    for other, why in ((lonely, "rows were set aside"), (swapped, "in another way than before")):
        with pytest.raises(BadMessage, match=why):
            said(bank, Deal(seed=0, columns=own), Columns, other)
    shop.side.consents = frozenset()
    with pytest.raises(BadMessage, match="has consented to nothing"):
        said(bank, Deal(seed=0, columns=own), Columns, {"train": train, "new": test})


def test_ids_are_compared_once(pair):
    bank, _ = pair
    dealt(bank)
    with pytest.raises(BadMessage, match="knows already which rows are shared"):
        said(bank, FindShared(session="1" * 64))


def test_what_is_granted_is_the_same_however_often_it_is_asked_for(pair):
    bank, _ = pair
    dealt(bank)
    told = []
    for _ in range(3):
        assert said(bank, Prepare(turn=0), Prepared)[0].refusal is None
        beside = bank._bare(PLAN.turns[0]).tellings["bank"].beside()[1]
        told.append(said(bank, Grant(turn=0), Granted, beside)[1])
    assert told[0].keys() == {"values", "means"} and len(told[0]["values"]) == 20
    for again in told[1:]:
        assert all(np.array_equal(again[name], told[0][name]) for name in told[0])


def test_nothing_is_attacked_or_sealed_before_its_time(pair):
    bank, _ = pair
    dealt(bank)
    for request in (Train(turn=0), Strike(turn=0), Commit(turn=0, outcomes=()), Grant(turn=0)):
        with pytest.raises(BadMessage, match="is not the one that was prepared"):
            said(bank, request)
    assert said(bank, Prepare(turn=0), Prepared)[0].refusal is None
    for request, why in (
        (Train(turn=0), "told yet what is known"),
        (Strike(turn=0), "Nothing was trained"),
        (Prepare(turn=9), "no turn 9"),
    ):
        with pytest.raises(BadMessage, match=why):
            said(bank, request, Prepared)


def test_turns_that_are_over_stay_as_they_are(pair):
    bank, shop = pair
    bank.rehearse()
    before = shop.side.folder.played(0)
    skip = Skip(turn=1, status="failed", reason="again")
    for request, answer in ((Prepare(turn=0), Prepared), (Prepare(turn=1), Prepared), (skip, Nothing)):
        with pytest.raises(BadMessage, match="is over"):
            said(bank, request, answer)
    assert shop.side.folder.played(0).findings == before.findings
    once = said(bank, Tell(told=()), Answered)[0]
    assert said(bank, Tell(told=()), Answered)[0] == once
    strange = Told(turn=0, attempt=77)
    with pytest.raises(BadMessage, match="claims that were not made"):
        said(bank, Tell(told=(strange,)), Answered)


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    """The bank once all is over, with one attempt of the shop on its labels."""
    with met(tmp_path_factory.mktemp("victim")) as (bank, _):
        bank.rehearse()
        turn = PLAN.turns[0]
        scene = scene_again(bank.side, turn, bank.side.folder.played(0))
        attempt = next(one for one in scene.attempts if one.adversary == "shop")
        yield scene, attempt, turn.rules(PLAN, 150).terms


def held_against(victim, claim):
    """Score what somebody claims by hand."""
    scene, attempt, terms = victim
    sealed = Sealed(claim if isinstance(claim, bytes) else claim.to_bytes())
    outcome = Outcome(status="ok", commitment=commitment(scene, attempt, sealed))
    return scored(scene, attempt, outcome, sealed, terms, "secret of the bank")


def named(victim, count=None):
    scene, _, _ = victim
    rows = scene.part.rows[:count]
    return LabelGuess(rows, np.eye(3)[scene.part.labels[rows]])


def test_a_true_claim_is_scored_and_told_in_round_numbers(victim):
    found = held_against(victim, Claim(named(victim), Twins()))
    assert found.finding.value == 1.0 and found.told.reached.value in {1.0, round(11 * 10 / 120, 6)}
    assert "blind_kind" not in found.told.reached.model_fields_set


def test_blind_guesses_of_somebody_s_own_making_are_refused(victim):
    scene, _, _ = victim
    rows, truth = scene.part.rows, scene.part.labels
    made_up = {f"{number:08b}": ClusterGuess(rows, truth[rows] * 0) for number in range(256)}
    found = held_against(victim, Claim(named(victim), Twins(made_up)))
    assert found.told.reached is None and found.finding.status == "failed"


def test_a_claim_about_a_few_people_is_refused(victim):
    assert held_against(victim, Claim(named(victim, 6), Twins())).told.reached is None


GROUPS = np.zeros(120, dtype=np.int64)
HOSTILE = {
    "groups numbered beyond reason": lambda v: Claim(ClusterGuess(v[0].part.rows, GROUPS + 10**9), Twins()),
    "notes that are no mapping": lambda v: Claim(replace(named(v), notes=7.0), Twins()),
    "notes that are infinite": lambda v: Claim(replace(named(v), notes={"surprise": float("inf")}), Twins()),
    "notes without end": lambda v: Claim(replace(named(v), notes={"n" * 10_000: 1.0}), Twins()),
    "rows that are not shared": lambda v: Claim(LabelGuess(np.arange(120) + 10**6, np.eye(3)[GROUPS]), Twins()),
    "another kind": lambda v: Claim(FeatureGuess(NO_ROWS, (), np.zeros((0, 0))), Twins()),
    "half a claim": lambda v: Claim(named(v), Twins()).to_bytes()[:100],
    "no claim": lambda v: b"\xff" * 64,
}


@pytest.mark.parametrize("how", HOSTILE)
def test_what_cannot_be_scored_costs_its_claim_alone(how, victim):
    found = held_against(victim, HOSTILE[how](victim))
    assert found.finding.status == "failed" and found.told.reached is None
    assert "cannot be scored" in found.finding.reason


def test_another_claim_than_the_sealed_one_is_refused(victim):
    scene, attempt, terms = victim
    sealed, other = (Sealed(Claim(named(victim, count), Twins()).to_bytes()) for count in (None, 100))
    outcome = Outcome(status="ok", commitment=commitment(scene, attempt, other))
    with pytest.raises(BadMessage, match="opened another claim than the one that it had sealed"):
        scored(scene, attempt, outcome, sealed, terms, "secret of the bank")


def test_one_person_hardly_changes_what_is_told():
    """Of all blurs, one in ten at most tells a difference: whoever sees one number cannot say which it was."""
    for rows in (LEAST, 100, 1_000):
        draws = range(2_000)
        one, other = (
            np.array([blurred(share, rows, np.random.default_rng(number)) for number in draws])
            for share in (0.5, 0.5 + 1 / rows)
        )
        values, counts = np.unique(np.concatenate((one, other)), return_counts=True)
        apart = sum(abs(np.mean(one == value) - np.mean(other == value)) for value in values) / 2
        assert apart <= 0.11 and counts.sum() == 4_000  # total variation: 1 / 20 of a step for each end


def mutated(data, rng):
    """Damage a request somewhere."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        place = rng.randrange(len(data))
        data[place : place + rng.choice([0, 1, 1, 1, 9])] = rng.randbytes(rng.choice([0, 1, 1, 2]))
    return bytes(data)


REQUESTS = (
    Hello(plan=PLAN.digest, version=VERSION, consents=("a",), session=None, done=()), FindShared(session="2" * 64),
    Deal(seed=0, columns=Columns(names=("a",))), Prepare(turn=0, held={"bank": ("a",)}), Grant(turn=0), Train(turn=0),
    Skip(turn=0, status="failed", reason="so"), Strike(turn=0), Commit(turn=0, outcomes=(Outcome(status="ok"),)),
    Tell(told=(Told(turn=0, attempt=0),)),
)  # fmt: skip


def fuzzed(bank, shop, seed, count):
    """Say damaged things; return how many were understood."""
    rng, understood = random.Random(seed), 0
    for _ in range(count):
        request = rng.choice(REQUESTS)
        fields = request.model_dump(mode="json")
        text = json.dumps(fields).encode()
        text = mutated(text, rng) if rng.random() < 0.7 else text
        arrays = {"said": np.frombuffer(text, dtype=np.uint8).copy()}
        for name in ("train", "new", "values", "left", "claim", "limits"):
            if rng.random() < 0.2:
                arrays[name] = np.zeros(rng.randrange(5), dtype=rng.choice([np.int64, np.float32, np.bool_]))
        wire = to_bytes(Message(Kind.REHEARSAL, "bank", "shop", -1, 0, NO_ROWS, arrays))
        wire = mutated(wire, rng) if rng.random() < 0.3 else wire
        try:
            message = from_bytes(wire)
            if (message.sender, message.receiver) == ("bank", "shop"):
                shop.answer(message)
                understood += 1
        except AuditError:
            continue
    return understood


def test_damaged_requests_are_refused(pair):
    bank, shop = pair
    dealt(bank)
    assert fuzzed(bank, shop, 0, 300) > 3
    assert shop.side.folder.shared() is not None and not shop.side.folder.opened


@pytest.mark.torture
def test_ten_thousand_damaged_requests_are_refused(pair):
    bank, shop = pair
    dealt(bank)
    assert fuzzed(bank, shop, 1, 10_000) > 100


def test_a_side_consents_to_what_it_names_and_to_nothing_else(tmp_path):
    done = rehearsed(PLAN, own_tables(2), tmp_path, {"shop": {"logistic-regression"}})
    silent = {one.reason for one in done.findings["bank"] if one.defense == "label-dp"}
    assert silent == {"'shop' did not consent to logistic-regression+label-dp."}
    assert "ok" in {one.status for one in done.findings["shop"] if one.defense is None}
