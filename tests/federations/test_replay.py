"""Each party, built alone from its own part, its hook and its chance, says what was recorded, bit for bit.

What passes this has no road to others but messages, and can stand on another host.
"""

import importlib.util
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from samples import small_data
from seepage.defenses import DEFENSES
from seepage.errors import AuditError
from seepage.federations import FEDERATIONS
from seepage.federations.boosting import Boosting
from seepage.federations.forest import Forest
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hook, Hooks, Seam, Tampering, begin
from seepage.links import InProcessLink
from seepage.messages import Kind, Message
from seepage.randomness import stream
from trained_runs import address, carried, released

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
    """Run a federation, and return what every passive party was made of, what it heard and what it said."""
    made, said = {}, {party: [] for party in DATA.passive}

    class Watched(type(federation)):
        def party(self, part, terms, *, hook, tampering, chance):
            made[part.party] = terms, deepcopy(chance)
            return super().party(part, terms, hook=hook, tampering=tampering, chance=chance)

    class Listening(InProcessLink):
        __slots__ = ()

        def request(self, message):
            reply = super().request(message)
            said[self.party.name].append(deepcopy((message, reply)))
            return reply

    watched = Watched(**{name: getattr(federation, name) for name in federation.__dataclass_fields__})
    released(watched, DATA, hooks=replace(hooks, link=Listening))
    return made, said


def answers_again(federation, defense, tampering=None, but=()):
    """Let every passive party hear again, alone, what it heard, and compare what it says."""
    acting = Hooks(
        {party: started(defense, party) for party in DATA.parties},
        {party: tampering() for party in DATA.passive} if tampering else {},
    )
    made, said = dialogues(federation, acting)
    for party in DATA.passive:
        terms, chance = made[party]
        part = deepcopy(DATA.parts[party])
        alone = federation.party(
            part,
            terms,
            hook=started(defense, party),
            tampering=tampering() if tampering else Tampering(),
            chance=chance,
        )
        assert len(said[party]) >= 2 and alone.name == party
        for heard, before in said[party]:
            now = alone.answer(heard)
            compared = [
                address(one) + carried(replace(one, payload={k: v for k, v in one.payload.items() if k not in but}))
                for one in (now, before)
            ]
            assert compared[0] == compared[1] and set(now.payload) == set(before.payload)


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
def test_every_party_alone_says_what_it_said(federation, defense):
    answers_again(federation, defense)


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
    answers_again(federation, None)


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
