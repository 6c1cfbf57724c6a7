"""Each party, built alone from its own part, its hook and its chance, says what was recorded, bit for bit.

What passes this has no road to others but messages, and can stand on another host. The same holds for what it sees:
its own record is all that an attack at its side reads.
"""

import importlib.util
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from samples import small_data, two_classes
from seepage.defenses import DEFENSES
from seepage.errors import AuditError
from seepage.federations import FEDERATIONS
from seepage.federations.boosting import Boosting
from seepage.federations.forest import Forest
from seepage.federations.recorded_party import RecordedParty
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hook, Hooks, Seam, Tampering, begin
from seepage.links import InProcessLink
from seepage.links.serialized import SerializedLink
from seepage.messages import SEALED_KINDS, SECRET, Kind, Message
from seepage.randomness import stream
from seepage.transcript import Recorder
from seepage.views import ThreatModel, grant, observe
from seepage.views.digest import view_digest
from trained_runs import EVERYTHING, NOTHING, address, carried, released

QUICK = {
    "split-network": {"epochs": 2}, "summed-network": {"epochs": 2}, "logistic-regression": {"epochs": 4},
    "decision-tree": {"depth": 3}, "forest": {"trees": 2, "depth": 3}, "boosting": {"trees": 2, "depth": 3},
}  # fmt: skip
BETWEEN = {Seam.ALIGNMENT, Seam.VERIFICATION}
"""Seams that act between the parties, before training or in an enclave, and not at one of them."""
DATA = small_data("wine", parties=3)


def started(defense, party):
    return begin(defense, DATA.parts[party], stream(7, "defense", party)) if defense is not None else Hook()


def dialogues(federation, hooks):
    """Run a federation, and return what every party was made of, and all that was asked and answered, in order."""
    made, said = {}, []

    class Watched(type(federation)):
        def party(self, part, terms, *, chance, **acting):
            made[part.party] = terms, deepcopy(chance)
            return super().party(part, terms, chance=chance, **acting)

        def drive(self, part, terms, links, *, chance, **acting):
            made[part.party] = terms, deepcopy(chance)
            return super().drive(part, terms, links, chance=chance, **acting)

    class Listening(InProcessLink):
        def post(self, message):
            wait = super().post(message)

            def listening():
                reply = wait()
                said.append(deepcopy((message, reply)))
                return reply

            return listening

    watched = Watched(**{name: getattr(federation, name) for name in federation.__dataclass_fields__})
    released(watched, DATA, hooks=replace(hooks, link=Listening))
    return made, said


def same(now, before, but=()):
    """Whether two messages say the same at the same time, down to their bytes."""
    compared = [
        address(one) + carried(replace(one, payload={k: v for k, v in one.payload.items() if k not in but}))
        for one in (now, before)
    ]
    return compared[0] == compared[1] and set(now.payload) == set(before.payload)


def answers_again(federation, defense, tampering=None, but=()):
    """Let every passive party hear again, alone, what it heard, and compare what it says."""
    acting = Hooks(
        {party: started(defense, party) for party in DATA.parties},
        {party: tampering() for party in DATA.passive} if tampering else {},
    )
    made, said = dialogues(federation, acting)
    for party in DATA.passive:
        terms, chance = made[party]
        told = [(heard, answered) for heard, answered in said if heard.receiver == party]
        part = deepcopy(DATA.parts[party])
        alone = federation.party(
            part,
            terms,
            hook=started(defense, party),
            tampering=tampering() if tampering else Tampering(),
            chance=chance,
        )
        assert len(told) >= 2 and alone.name == party
        assert all(same(alone.answer(heard), before, but) for heard, before in told)
    return made, said


class Remembered:
    """The other end of all links: answers what was answered, as long as it is asked what was asked."""

    def __init__(self, said):
        self.left = list(said)

    def post(self, message):
        return lambda: self.request(message)

    def request(self, message):
        asked, answered = self.left.pop(0)
        assert same(message, asked)
        return answered


def asks_again(federation, defense, made, said):
    """Let the party with labels drive again, alone, among links that remember; it has to ask what it asked."""
    terms, chance = made[DATA.active]
    others = Remembered(said)
    run = federation.drive(
        deepcopy(DATA.parts[DATA.active]),
        terms,
        dict.fromkeys(DATA.passive, others),
        hook=started(defense, DATA.active),
        tampering=Tampering(),
        chance=chance,
        recorder=Recorder(NOTHING),
    )
    run.release_model()
    run.release(DATA.test)
    assert others.left == [] and not run.others


def pairs():
    for federation, settings in QUICK.items():
        made = FEDERATIONS[federation](**settings)
        yield made, None
        for name in DEFENSES.own:
            if DEFENSES[name].acts_on & made.offers - BETWEEN:
                yield made, DEFENSES[name]()


@pytest.mark.parametrize(
    ("federation", "defense"), list(pairs()), ids=lambda one: getattr(one, "name", None) or repr(one)
)
def test_every_party_alone_says_what_it_said(federation, defense, monkeypatch):
    if getattr(defense, "binary", False):
        monkeypatch.setitem(globals(), "DATA", two_classes(DATA))
    asks_again(federation, defense, *answers_again(federation, defense))


@pytest.mark.parametrize("defense", ["distance-correlation", "information-bottleneck"])
def test_what_acts_for_labels_at_the_active_party_is_no_road_either(defense):
    acting = DEFENSES[defense](against="labels")
    asks_again(SplitNetwork(epochs=2), acting, *answers_again(SplitNetwork(epochs=2), acting))


@pytest.mark.parametrize(
    "federation",
    [
        SplitNetwork(epochs=2, bottom="identity"),
        Forest(trees=2, depth=3, columns_per_split="sqrt"),
        Boosting(trees=2, depth=3, column_sample=0.5),
    ],
    ids=["columns as they are", "columns drawn for every split", "columns drawn for every tree"],
)
def test_what_parties_draw_together_crosses_in_messages(federation):
    asks_again(federation, None, *answers_again(federation, None))


@pytest.mark.skipif(importlib.util.find_spec("heu") is None, reason="install seepage[he] to run under encryption")
def test_under_encryption_too_but_for_the_ciphertexts_which_are_drawn_anew():
    federation = Boosting(trees=1, depth=2, encryption="okamoto-uchiyama", key_bits=1024, insecure_key=True)
    answers_again(federation, None, but={"sums"})


def test_a_hidden_channel_is_found():
    """Parties that take their step sizes from something that they share, and that no message says."""
    shared = []

    def tampering():
        def nudged(optimizer):
            shared.append(None)
            for group in optimizer.param_groups:
                group["lr"] *= len(shared)
            return optimizer

        return Tampering(optimizer=nudged)

    with pytest.raises(AssertionError):
        answers_again(SplitNetwork(epochs=2), None, tampering)


def test_a_party_with_labels_that_looks_elsewhere_is_found():
    """The head's first weights follow from something that no message says."""
    federation = SplitNetwork(epochs=2)
    made, said = answers_again(federation, None)
    made[DATA.active] = made[DATA.active][0], stream(1, "other")
    with pytest.raises(AssertionError):
        asks_again(federation, None, made, said)


@pytest.mark.parametrize("defense", [None, "feature-screening"])
@pytest.mark.parametrize("federation", QUICK)
def test_the_own_record_of_every_party_holds_all_that_it_sees(federation, defense):
    made = FEDERATIONS[federation](**QUICK[federation])
    chosen = DEFENSES[defense]() if defense is not None else None
    terms, recorder = made.agreement(DATA), Recorder(EVERYTHING)
    acting = {party: {"hook": started(chosen, party), "tampering": Tampering()} for party in DATA.parties}
    apart = {
        party: RecordedParty(
            made.party(DATA.parts[party], terms, **acting[party], chance=stream(0, party)), Recorder(EVERYTHING)
        )
        for party in DATA.passive
    }
    links = {party: SerializedLink(answering, recorder.hear) for party, answering in apart.items()}
    own, chance = DATA.parts[DATA.active], stream(0, DATA.active)
    run = made.drive(own, terms, links, **acting[DATA.active], chance=chance, recorder=recorder)
    run.release_model()
    run.release(DATA.test)
    pooled = replace(run, others=apart).transcript
    for party, transcript in {
        DATA.active: run.transcript,
        **{party: answering.transcript(terms) for party, answering in apart.items()},
    }.items():
        knowledge = grant(DATA, ThreatModel(adversaries=(party,)), stream(0, "knowledge"))
        views = [observe(told, knowledge) for told in (transcript, pooled)]
        assert view_digest(views[0]) == view_digest(views[1])
        assert views[0].epochs == views[1].epochs and len(views[0].messages) > 2
        sealed = [said for said in views[0].messages if said.kind in SEALED_KINDS]
        assert not any(array.any() for said in sealed for key, array in said.payload.items() if key in SECRET)
        assert bool(sealed) == (defense is not None or Kind.ENCRYPTED in terms.kinds)


@pytest.mark.parametrize("kind", [Kind.GRADIENT, Kind.SPLIT_CHOICE])
def test_a_party_refuses_what_it_was_not_prepared_for(kind):
    federation = FEDERATIONS["split-network"]()
    party = federation.party(
        DATA.parts["passive-1"],
        federation.agreement(DATA),
        hook=Hook(),
        tampering=Tampering(),
        chance=stream(0, "test"),
    )
    message = Message(kind, DATA.active, "passive-1", 0, 0, np.arange(2), {"gradient": np.zeros((2, 16))})
    with pytest.raises(AuditError, match=r"'passive-1' (was sent a gradient without|does not know what to do)"):
        party.answer(message)
