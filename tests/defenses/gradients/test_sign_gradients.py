"""Signs alone: what they hide, what they do not, and when a model still learns from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import seepage
from samples import small_data
from seepage.audit.plan.settings import build
from seepage.defenses import DEFENSES
from seepage.defenses.gradients.sign_gradients import SignGradients, signs
from seepage.errors import BadSetting
from seepage.messages import Kind, Message

VALUES = st.floats(-2, 2, width=32)
GRADIENTS = arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=VALUES)
FAST = {"name": "sgd", "learning_rate": 0.1, "momentum": 0.9}  # what paper 001 trains images with


@given(gradient=GRADIENTS, scale=st.floats(1e-3, 1e3))
def test_every_value_keeps_its_sign_and_all_have_one_size(gradient, scale):
    found = signs(gradient, scale)
    assert np.array_equal(np.sign(found), np.sign(gradient))
    assert set(np.abs(found[gradient != 0]).tolist()) <= {float(np.float32(scale))}


@given(gradient=GRADIENTS)
def test_the_mean_size_is_that_of_the_whole_message(gradient):
    found = signs(gradient.astype(np.float64), "mean")
    sizes = [abs(float(value)) for value in gradient.ravel()]
    assert np.allclose(np.abs(found[gradient != 0]), sum(sizes) / len(sizes))
    assert not found[gradient == 0].any()


def test_rows_that_pull_harder_cannot_be_told_apart():
    gradient = np.random.default_rng(0).normal(size=(50, 4)) * np.linspace(0.01, 10, 50)[:, None]
    message = Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.arange(50), {"gradient": gradient})
    hook = SignGradients().start(small_data("iris").parts["active"], np.random.default_rng(0))
    assert set(np.linalg.norm(hook.message(message).payload["gradient"], axis=1).tolist()) == {2.0}


@pytest.mark.parametrize("scale", [1.0, "mean"])
def test_without_a_top_model_every_label_is_read_from_the_signs(scale):
    (finding,) = seepage.audit(
        "iris", federations=["summed-network"], attacks=["gradient-sign"], undefended=False, seeds=1,
        defenses=[{"name": "sign-gradients", "settings": {"scale": scale}}],
    )  # fmt: skip
    assert finding.value == finding.advantage == 1.0


@pytest.mark.parametrize("federation", ["summed-network", "split-network"])
def test_at_a_rate_that_is_fine_without_it_plain_sgd_fails_and_the_default_optimizer_does_not(federation):
    def audited(**settings):
        return seepage.audit(
            "breast_cancer", federations=[{"name": federation, "settings": settings}], attacks=["local-clustering"],
            defenses=["sign-gradients"], seeds=1,
        )  # fmt: skip

    clear, signed = audited(optimizer=FAST)
    assert clear.utility > 0.95
    assert signed.status == "failed" and "diverged" in signed.reason
    assert min(finding.utility for finding in audited()) > 0.95


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf"), "median"])
def test_impossible_scales_are_refused(scale):
    with pytest.raises(ValueError, match="scale must be above 0 and finite, or 'mean'"):
        SignGradients(scale=scale)
    with pytest.raises(BadSetting, match="sign-gradients: scale"):
        build(DEFENSES, "sign-gradients", {"scale": scale})
