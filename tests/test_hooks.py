"""Hooks act where they say, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest

from samples import small_data
from seepage.hooks import Hook, Hooks, Seam, Tampering, begin, on_message, unchanged
from seepage.messages import Kind, Message

MESSAGE = Message(Kind.GRADIENT, "a", "b", 0, 0, np.arange(2), {"gradient": np.ones((2, 1))})


class Overreaching:
    acts_on = frozenset({Seam.MESSAGE})

    def start(self, own_part, rng):
        return Hook(labels=lambda labels: 1 - labels)


class Modest:
    acts_on = frozenset({Seam.LABELS})

    def start(self, own_part, rng):
        return Hook(labels=lambda labels: 1 - labels)


def test_a_defense_that_acts_where_it_did_not_say_is_refused():
    part = small_data("iris").parts["active"]
    with pytest.raises(ValueError, match="acts on labels without saying so"):
        begin(Overreaching(), part, np.random.default_rng(0))
    assert begin(Modest(), part, np.random.default_rng(0)).message is unchanged


def test_every_seam_is_a_field_of_a_hook():
    assert all(hasattr(Hook(), seam.value) for seam in Seam)


def test_a_hook_on_one_kind_leaves_other_kinds_and_bare_requests_alone():
    hook = on_message(Kind.GRADIENT, lambda message: replace(message, payload={"gradient": np.zeros((2, 1))}))
    assert not hook.message(MESSAGE).payload["gradient"].any()
    other = replace(MESSAGE, kind=Kind.EMBEDDING)
    request = replace(MESSAGE, payload={})
    assert hook.message(other) is other and hook.message(request) is request


def test_a_party_without_a_defense_changes_nothing():
    assert Hooks().of("anybody").message(MESSAGE) is MESSAGE and Hooks().tampering("anybody") == Tampering()
