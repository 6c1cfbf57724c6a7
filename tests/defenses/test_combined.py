"""Several defenses of one run act one after the other."""

import numpy as np
import pytest

import seepage
from hand_made import own_part
from seepage.audit.findings.labels import defense_label
from seepage.audit.plan.settings import build, parse_choice, settings_of
from seepage.defenses import DEFENSES
from seepage.defenses.combined import Combined, composed
from seepage.defenses.gradients.top_k import TopK
from seepage.defenses.predictions.rounding import Rounding
from seepage.errors import AuditError
from seepage.hooks import Hook, Seam
from seepage.messages import Kind, Message


def gradient(values, receiver="shop"):
    return Message(Kind.GRADIENT, "bank", receiver, 0, 0, np.arange(len(values)), {"gradient": np.array(values)})


def test_the_second_acts_on_what_the_first_leaves():
    less = Hook(message=lambda message: message.reply({"gradient": message.payload["gradient"] - 1}))
    twice = Hook(message=lambda message: message.reply({"gradient": 2 * message.payload["gradient"]}))
    sent = gradient([[3.0]])
    assert composed([less, twice]).message(sent).payload["gradient"] == 4.0
    assert composed([twice, less]).message(sent).payload["gradient"] == 5.0


def test_who_keeps_out_of_the_own_side_does_so_beside_others():
    noisy = Hook(message=lambda message: message.reply({"gradient": message.payload["gradient"] + 1}))
    everywhere = Hook(
        message=lambda message: message.reply({"gradient": message.payload["gradient"] + 10}), own_side=True
    )
    both = composed([noisy, everywhere])
    assert both.own_side
    assert both.message(gradient([[0.0]])).payload["gradient"] == 11.0
    assert both.message(gradient([[0.0]], receiver="bank")).payload["gradient"] == 10.0


def test_seams_that_nobody_uses_stay_closed():
    both = build(DEFENSES, "top-k+rounding", {"rounding": {"digits": 1}})
    assert both == Combined((("top-k", TopK()), ("rounding", Rounding(digits=1))))
    assert both.acts_on == {Seam.MESSAGE, Seam.RELEASE}
    hook = both.start(own_part("bank", np.zeros((2, 1)), labels=np.array([0, 1])), np.random.default_rng(0))
    assert hook.labels is Hook().labels
    assert hook.release is not Hook().release


def test_settings_are_written_and_read_again():
    name, settings = parse_choice("laplace-noise:scale=0.5+rounding", "--defense")
    built = build(DEFENSES, name, settings)
    assert build(DEFENSES, name, settings_of(built)) == built
    assert settings_of(built)["laplace-noise"]["scale"] == 0.5


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("top-k+top-k", "named once"),
        ("top-k+droput", "did you mean 'dropout'"),
        ("output-verification+rounding+nothing", "No defense is called 'nothing'"),
        ({"name": "top-k+dropout", "settings": {"share": 0.1}}, "No defense of top-k\\+dropout is called 'share'"),
        ({"name": "top-k+dropout", "settings": {"top-k": 0.1}}, "settings go by the defense"),
    ],
)
def test_what_cannot_be_joined_is_refused_in_a_sentence(asked, said):
    with pytest.raises(AuditError, match=said):
        seepage.audit("iris", federations="logistic-regression", attacks="gradient-sign", defenses=[asked], seeds=1)


def test_two_together_are_audited_like_any_other():
    found = seepage.audit(
        "iris",
        federations=[{"name": "split-network", "settings": {"epochs": 2, "batch": 30}}],
        attacks="gradient-direction",
        defenses=["laplace-noise:scale=10+rounding:digits=1", Combined((("top-k", TopK()), ("rounding", Rounding())))],
        seeds=1,
    )
    bare, noisy, sparse = (finding for finding in found if finding.role != "chosen")
    assert bare.value == 1.0 > noisy.value
    assert noisy.defense == "laplace-noise+rounding"
    assert defense_label(noisy) == "laplace-noise (scale=10) + rounding (digits=1)"
    assert sparse.defense_settings["top-k"]["share"] == TopK().share
    assert noisy.view != bare.view


def test_one_that_acts_in_trees_cannot_act_in_a_network_beside_another():
    found = seepage.audit(
        "iris",
        federations=[{"name": "split-network", "settings": {"epochs": 1, "batch": 30}}],
        attacks="gradient-direction",
        defenses=["top-k+purity-limit"],
        seeds=1,
    )
    assert [one.status for one in found if one.defense] == ["not applicable"]
