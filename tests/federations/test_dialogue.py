"""Whoever asks what is not in the protocol learns nothing, and an answer that is none is not used."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from samples import small_data
from seepage.errors import AuditError, BadMessage, BadSetting
from seepage.federations import FEDERATIONS
from seepage.federations.dialogue import ANSWERS, CarefulLink, CarefulParty, Rules, in_a_sentence
from seepage.hooks import Hook, Hooks, Tampering
from seepage.links import InProcessLink
from seepage.messages import Kind, Message
from seepage.randomness import stream
from trained_runs import EVERYTHING, address, carried, released

DATA = small_data("wine", parties=3)
QUICK = {
    "split-network": {"epochs": 2, "bottom": "identity"}, "summed-network": {"epochs": 2},
    "logistic-regression": {"epochs": 3, "class_weights": True}, "decision-tree": {"depth": 3},
    "forest": {"trees": 2, "depth": 3, "columns_per_split": "sqrt"}, "boosting": {"trees": 2, "depth": 3},
}  # fmt: skip
ROWS = np.arange(5)


def made(name="split-network", **settings):
    federation = FEDERATIONS[name](**{**QUICK[name], **settings})
    return federation, Rules(federation.agreement(DATA), len(DATA.labels), model=True, simulated=True)


class Deaf:
    """A party that must not be asked."""

    name = "passive-1"

    def answer(self, message):
        raise AssertionError(f"{message.kind} came through")


@pytest.mark.parametrize("defense", [None, "feature-screening", "purity-limit"])
@pytest.mark.parametrize("name", QUICK)
def test_all_that_a_federation_says_passes(name, defense):
    from seepage.defenses import DEFENSES
    from trained_runs import guarded

    federation, rules = made(name)
    if defense is not None and not DEFENSES[defense].acts_on <= federation.offers:
        return
    hooks = guarded(DEFENSES[defense](), DATA) if defense is not None else Hooks()

    def careful(party, tap):
        return CarefulLink(InProcessLink(CarefulParty(party, rules), tap), rules)

    plain, looked_at = (
        released(federation, DATA, hooks=replace(hooks, link=link)) for link in (InProcessLink, careful)
    )
    assert [address(one) + carried(one) for one in looked_at.transcript.messages] == [
        address(one) + carried(one) for one in plain.transcript.messages
    ]


def asked(kind, payload=None, rows=ROWS, epoch=0, step=0):
    return Message(kind, DATA.active, "passive-1", epoch, step, rows, payload or {})


GRADIENT = {"gradient": np.zeros((5, 16), dtype=np.float32)}
REFUSED = {
    "a kind that is answered, not asked": asked(Kind.CHILD_SPACES),
    "a kind of another federation": asked(Kind.DIRECTION, {"node": ROWS + 1, "tree": ROWS[:1], "round": ROWS[:1]}),
    "rows of nobody": asked(Kind.EMBEDDING, rows=np.array([0, 10_000])),
    "rows below 0": asked(Kind.EMBEDDING, rows=np.array([-1])),
    "a row twice": asked(Kind.EMBEDDING, rows=np.array([3, 3])),
    "an epoch that is none": asked(Kind.EMBEDDING, epoch=-2),
    "a step that is none": asked(Kind.EMBEDDING, step=-1),
    "another payload": asked(Kind.EMBEDDING, {"please": np.zeros(1)}),
    "a gradient too wide": asked(Kind.GRADIENT, {"gradient": np.zeros((5, 17))}),
    "a gradient too short": asked(Kind.GRADIENT, {"gradient": np.zeros((4, 16))}),
    "a gradient of no numbers": asked(Kind.GRADIENT, {"gradient": np.full((5, 16), np.nan)}),
    "a gradient of whole numbers": asked(Kind.GRADIENT, {"gradient": np.zeros((5, 16), dtype=np.int64)}),
    "predictions of too many classes": asked(Kind.PREDICTION, {"confidence": np.zeros((5, 9))}),
    "a model, with something beside": asked(Kind.MODEL, {"about": np.zeros(1, dtype=np.uint8)}),
}


@pytest.mark.parametrize("which", REFUSED)
def test_what_may_not_be_asked_reaches_no_party(which):
    _, rules = made(bottom="mlp")
    with pytest.raises(BadMessage):
        CarefulParty(Deaf(), rules).answer(REFUSED[which])


def test_a_model_that_is_not_released_is_not_given_away():
    _, rules = made()
    with pytest.raises(BadMessage, match="asked for a part of the model, which is not released"):
        CarefulParty(Deaf(), replace(rules, model=False)).answer(asked(Kind.MODEL, rows=ROWS[:0]))


@pytest.mark.parametrize("name", ["decision-tree", "forest", "boosting"])
def test_labels_cross_in_the_clear_only_where_that_is_said(name):
    federation, _ = made(name)
    with pytest.raises(BadSetting, match="trees send statistics of every label in the clear"):
        Rules(federation.agreement(DATA), len(DATA.labels))
    sealed = FEDERATIONS[name](encryption="okamoto-uchiyama")
    assert Rules(sealed.agreement(DATA), len(DATA.labels)).terms.encrypted


@pytest.mark.parametrize("payload", [{}, {"sealed": np.eye(5)}, {"products": np.eye(5)}])
def test_columns_cross_in_the_clear_only_where_that_is_said(payload):
    """Whoever asks for products with a unit matrix would be told every column; whoever screens would send them."""
    federation, rules = made(bottom="mlp")
    screens = Hook(screening=lambda screening: screening)
    party = federation.party(
        DATA.parts["passive-1"], rules.terms, hook=screens, tampering=Tampering(), chance=stream(0, "test")
    )
    with pytest.raises(BadMessage, match="in the clear"):
        CarefulParty(party, replace(rules, simulated=False)).answer(asked(Kind.CORRELATION, payload, rows=DATA.train))


def test_what_a_party_cannot_do_is_refused_in_a_sentence():
    federation, rules = made("forest", columns_per_split=1.0)
    party = federation.party(
        DATA.parts["passive-1"], rules.terms, hook=Hook(), tampering=Tampering(), chance=stream(0, "test")
    )
    careful, one = CarefulParty(party, rules), np.array([0])
    nodes = {"node": np.ones(5, dtype=np.int64), "tree": one}
    for kind, payload, rows in (
        (Kind.INSTANCE_SPACE, nodes, ROWS),
        (Kind.PURITY, {}, ROWS[:0]),
        (Kind.SPLIT_CHOICE, {"node": one + 1, "candidate": one, "tree": one}, ROWS[:0]),
        (Kind.DIRECTION, {**nodes, "round": one}, ROWS),
    ):
        with pytest.raises(BadMessage, match="at a time or in a way that cannot be used"):
            careful.answer(asked(kind, payload, rows=rows))


def test_rows_that_do_not_train_are_in_no_node():
    federation, rules = made("decision-tree")
    party = federation.party(
        DATA.parts["passive-1"], rules.terms, hook=Hook(), tampering=Tampering(), chance=stream(0, "test")
    )
    train = np.sort(DATA.train)
    classes = rules.terms.classes
    statistics = np.eye(classes, dtype=np.int64)[DATA.labels[train]]
    sealed = {"public_key": np.zeros(0, dtype=np.uint8), "terms": np.array([classes, 1]), "statistics": statistics}
    careful = CarefulParty(party, rules)
    with pytest.raises(AuditError, match="of other rows or of another size"):
        careful.answer(asked(Kind.ENCRYPTED, {**sealed, "terms": np.array([classes, 1_000])}, rows=train))
    careful.answer(asked(Kind.ENCRYPTED, sealed, rows=train))
    for rows in (DATA.test[:2], np.append(train[:3], DATA.test[0])):
        space = {"node": np.ones(len(rows), dtype=np.int64), "tree": np.array([0])}
        with pytest.raises(AuditError, match="rows that do not train"):
            careful.answer(asked(Kind.INSTANCE_SPACE, space, rows=rows))
    root = {"node": np.ones(20, dtype=np.int64), "tree": np.array([0])}
    careful.answer(asked(Kind.INSTANCE_SPACE, root, rows=train[:20]))
    below = {"node": np.full(3, 2), "tree": np.array([0])}
    with pytest.raises(AuditError, match="the nodes above them do not"):
        careful.answer(asked(Kind.INSTANCE_SPACE, below, rows=train[30:33]))
    choice = {"node": np.array([1]), "candidate": np.array([0]), "tree": np.array([0])}
    careful.answer(asked(Kind.INSTANCE_SPACE, {**root, "node": np.full(3, 1)}, rows=train[:3]))
    careful.answer(asked(Kind.SPLIT_CHOICE, choice, rows=ROWS[:0]))
    with pytest.raises(AuditError, match="split twice"):
        careful.answer(asked(Kind.SPLIT_CHOICE, choice, rows=ROWS[:0]))


def test_an_answer_that_breaks_the_driver_is_a_sentence():
    with pytest.raises(BadMessage, match=r"What another party answered cannot be used \(IndexError\)"), in_a_sentence():
        np.zeros(1)[2]
    with pytest.raises(BadMessage, match="as it was"), in_a_sentence():
        raise BadMessage("as it was")


@pytest.mark.parametrize("name", QUICK)
def test_every_kind_that_a_federation_does_not_have_is_refused(name):
    _, rules = made(name)
    for kind, names in product(Kind, {names for _, names in ANSWERS}):
        if kind not in rules.terms.kinds or (kind, names) not in ANSWERS:
            payload = dict.fromkeys(names, np.zeros(1, dtype=np.int64))
            with pytest.raises(BadMessage):
                CarefulParty(Deaf(), rules).answer(asked(kind, payload, rows=ROWS[:0]))


LIES = {
    "another kind": lambda said: replace(said, kind=Kind.GRADIENT),
    "another sender": lambda said: replace(said, sender="passive-2"),
    "another step": lambda said: replace(said, step=said.step + 1),
    "nothing": lambda said: replace(said, payload={}),
    "other rows": lambda said: replace(said, rows=said.rows[::-1]),
    "numbers that are none": lambda said: replace(said, payload={"embedding": np.full((5, 16), np.inf)}),
    "too few numbers": lambda said: replace(said, payload={"embedding": np.zeros((5, 3))}),
}


@pytest.mark.parametrize("which", LIES)
def test_an_answer_that_is_none_is_not_used(which):
    federation, rules = made(bottom="mlp")
    honest = federation.party(
        DATA.parts["passive-1"], rules.terms, hook=Hook(), tampering=Tampering(), chance=stream(0, "test")
    )

    class Lying:
        def post(self, message):
            return lambda: LIES[which](honest.answer(message))

    with pytest.raises(BadMessage, match=r"'passive-[12]'"):
        CarefulLink(Lying(), rules).request(asked(Kind.EMBEDDING))


def test_a_run_of_columns_as_they_are_is_stored_and_read(tmp_path):
    """Every party has said how many numbers it sends: they need not be as many as were agreed."""
    from seepage.transcript.storage import read_transcript, write_transcript

    federation, _ = made()
    transcript = released(federation, DATA, record=EVERYTHING).transcript
    write_transcript(transcript, tmp_path)
    widths = {said.payload["embedding"].shape[1] for said in transcript.messages if said.kind is Kind.EMBEDDING}
    assert len(widths) > 1 or widths != {transcript.agreement.outputs}
    assert len(read_transcript(tmp_path).messages) == len(transcript.messages)
