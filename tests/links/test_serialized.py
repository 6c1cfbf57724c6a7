"""A run over bytes is the run over memory, bit for bit: no party reaches anything but through messages."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from samples import small_data, two_classes
from seepage.defenses import DEFENSES
from seepage.federations import FEDERATIONS
from seepage.federations.boosting import Boosting
from seepage.hooks import Hooks
from seepage.links.serialized import SerializedLink
from seepage.messages import Kind, Message
from trained_runs import address, carried, guarded, released

SMALL = {
    "split-network": {"epochs": 2}, "summed-network": {"epochs": 2}, "logistic-regression": {"epochs": 4},
    "decision-tree": {"depth": 3}, "forest": {"trees": 2, "depth": 3}, "boosting": {"trees": 2, "depth": 3},
}  # fmt: skip
CENTRAL = {"output-verification"}
"""Defenses that suppose an enclave between the parties."""
DATA = small_data("wine", parties=3)


def pairs():
    for federation, settings in SMALL.items():
        made = FEDERATIONS[federation](**settings)
        yield made, None
        yield from ((made, name) for name in DEFENSES.own if name not in CENTRAL and acts(name, made))


def acts(defense, federation):
    return bool(DEFENSES[defense].acts_on & federation.offers)


def everything(federation, hooks, data=DATA):
    """What crossed, every party's models by epoch, and what is predicted, down to bytes."""
    run = released(federation, data, hooks=hooks)
    snapshots = [
        (one.party, one.epoch, sorted((name, array.tobytes()) for name, array in one.state.items()))
        for one in run.transcript.snapshots
    ]
    return [address(said) + carried(said) for said in run.transcript.messages], snapshots, run.crossed


@pytest.mark.parametrize(
    ("federation", "defense"), list(pairs()), ids=lambda one: getattr(one, "name", None) or str(one)
)
def test_bytes_carry_every_federation_under_every_defense(federation, defense):
    runs = []
    data = two_classes(DATA) if defense and DEFENSES[defense]().binary else DATA
    for hooks in (Hooks(), Hooks(link=SerializedLink)):
        acting = guarded(DEFENSES[defense](), data).defenses if defense else {}
        runs.append(everything(federation, replace(hooks, defenses=acting), data))
    here, across = runs
    assert len(here[0]) > 4 and here == across


@pytest.mark.skipif(importlib.util.find_spec("heu") is None, reason="install seepage[he] to run under encryption")
def test_bytes_carry_ciphertexts():
    federation = Boosting(trees=1, depth=2, encryption="okamoto-uchiyama", key_bits=1024, insecure_key=True)
    here, across = (released(federation, DATA, hooks=hooks) for hooks in (Hooks(), Hooks(link=SerializedLink)))
    np.testing.assert_array_equal(here.predict(DATA.test), across.predict(DATA.test))
    assert [sum(one["bytes"] for one in run.crossed) > 0 for run in (here, across)] == [True, True]


def test_nobody_can_write_into_what_came():
    heard = []

    class Listening:
        name = "shop"

        def answer(self, message):
            heard.append(message)
            return message.reply({"embedding": np.zeros((2, 3))})

    asked = Message(Kind.EMBEDDING, "bank", "shop", 0, 0, np.arange(2), {"gradient": np.ones((2, 3))})
    reply = SerializedLink(Listening(), heard.append).request(asked)
    for message in (*heard, reply):
        for array in (message.rows, *message.payload.values()):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 1
