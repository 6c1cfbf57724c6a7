"""Four ways to rewrite a gradient, each against its definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ks_2samp, kstest, laplace
from torch.optim import SGD

from samples import small_data, two_classes
from seepage.defenses import DEFENSES
from seepage.defenses.gradients.discrete_gradients import DiscreteGradients, discretize
from seepage.defenses.gradients.laplace_noise import LaplaceNoise
from seepage.defenses.gradients.privacy_preserving_dl import PrivacyPreservingDL
from seepage.defenses.gradients.top_k import TopK, keep_largest
from seepage.federations.summed_network import SummedNetwork
from seepage.hooks import Hooks, Tampering
from seepage.messages import Kind, Message
from seepage.transcript import Epochs, Recording
from trained_runs import guarded, trained

GRADIENTS = arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=st.floats(-2, 2, width=32))


GRADIENT_DEFENSES = [name for name in DEFENSES if DEFENSES[name].rewrites == {Kind.GRADIENT}]


def message_of(gradient, epoch=0, kind=Kind.GRADIENT):
    key = "gradient" if kind is Kind.GRADIENT else "embedding"
    return Message(kind, "bank", "shop", epoch, 0, np.arange(len(gradient)), {key: np.asarray(gradient)})


def sent(defense, *messages, seed=0):
    hook = defense.start(two_classes(small_data("iris")).parts["active"], np.random.default_rng(seed))
    return [hook.message(message).payload.get("gradient") for message in messages]


@pytest.mark.parametrize("name", GRADIENT_DEFENSES)
def test_the_message_keeps_its_shape_and_type_and_the_original_is_untouched(name):
    gradient = np.random.default_rng(0).normal(size=(16, 4)).astype(np.float32)
    before = gradient.copy()
    for found in sent(DEFENSES[name](), message_of(gradient, 0), message_of(gradient, 1)):
        assert found.shape == gradient.shape and found.dtype == gradient.dtype
    assert np.array_equal(gradient, before)


@pytest.mark.parametrize("name", GRADIENT_DEFENSES)
def test_embeddings_pass_unchanged(name):
    hook = DEFENSES[name]().start(two_classes(small_data("iris")).parts["active"], np.random.default_rng(0))
    message = message_of(np.ones((3, 2), dtype=np.float32), kind=Kind.EMBEDDING)
    assert hook.message(message) is message


@pytest.mark.parametrize("name", GRADIENT_DEFENSES)
def test_the_other_side_receives_and_the_transcript_holds_the_defended_gradient(name):
    data = small_data("digits") if not DEFENSES[name]().binary else two_classes(small_data("digits"))
    record = Recording({Kind.GRADIENT: Epochs.only(1), Kind.EMBEDDING: Epochs.only(1)})
    defense = DEFENSES[name]()
    received = []

    def listen(embedding, rows):
        embedding.register_hook(lambda gradient: received.append(gradient.numpy().copy()))
        return embedding.sum() * 0

    def still(agreed):
        return SGD(agreed.param_groups[0]["params"], lr=1e-30)

    listening = {"passive": Tampering(optimizer=still, extra_loss=listen)}
    federation = SummedNetwork(epochs=2, batch=len(data.train))
    run = trained(federation, data, hooks=replace(guarded(defense, data), tamperings=listening), record=record)
    (recorded,) = [m.payload["gradient"] for m in run.transcript.messages if m.kind is Kind.GRADIENT]
    np.testing.assert_allclose(received[1], recorded, atol=1e-9)
    logits_only = [m for m in run.transcript.messages if m.kind is Kind.EMBEDDING]
    assert len(logits_only) == 1
    clear = trained(federation, data, hooks=Hooks({}, listening), record=record)
    (raw,) = [m.payload["gradient"] for m in clear.transcript.messages if m.kind is Kind.GRADIENT]
    assert not np.array_equal(recorded, raw)


# laplace-noise


def test_noise_is_laplacian_of_the_given_scale():
    gradient = np.zeros((500, 20))
    (found,) = sent(LaplaceNoise(scale=0.3), message_of(gradient))
    assert kstest(found.ravel(), laplace(scale=0.3).cdf).pvalue > 0.001
    assert kstest(found.ravel(), laplace(scale=0.33).cdf).pvalue < 0.001


def test_noise_of_scale_zero_changes_nothing():
    gradient = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    assert np.array_equal(sent(LaplaceNoise(scale=0.0), message_of(gradient))[0], gradient)


# top-k


@given(gradient=GRADIENTS, share=st.floats(0.01, 1.0))
def test_exactly_the_share_of_largest_values_survives(gradient, share):
    found = keep_largest(gradient, share)
    kept = int(np.ceil(round(share * gradient.size, 9)))
    naive = sorted(np.abs(gradient).ravel().tolist(), reverse=True)[:kept]  # by definition
    assert sorted(np.abs(found).ravel().tolist(), reverse=True)[:kept] == naive
    assert np.count_nonzero(found) <= kept
    assert np.all((found == 0) | (found == gradient))


@pytest.mark.parametrize(("share", "size", "kept"), [(0.07, 100, 7), (0.55, 100, 55), (0.14, 50, 7), (0.28, 25, 7)])
def test_a_share_that_divides_is_kept_exactly(share, size, kept):
    assert np.count_nonzero(keep_largest(np.arange(1.0, size + 1)[None], share)) == kept


# privacy-preserving-dl


@given(gradient=GRADIENTS, theta=st.floats(0.05, 1.0), seed=st.integers(0, 1000))
def test_at_most_the_wanted_share_is_sent_clipped_and_the_rest_is_zero(gradient, theta, seed):
    defense = PrivacyPreservingDL(theta_u=theta)
    found = defense.protect(gradient, np.random.default_rng(seed))
    assert np.count_nonzero(found) <= max(1, int(round(theta * gradient.size, 9)))
    assert np.abs(found).max() <= np.float32(defense.gamma)


def test_without_noise_it_sends_what_passes_the_threshold():
    quiet = PrivacyPreservingDL(theta_u=1.0, tau=0.5, gamma=1.0, epsilon=1e12)
    gradient = np.array([[0.2, -0.7], [0.9, 0.4]])
    np.testing.assert_allclose(quiet.protect(gradient, np.random.default_rng(0)), [[0, -0.7], [0.9, 0]], atol=1e-6)


def test_when_too_few_pass_the_rest_is_zero_as_defined_and_raw_in_the_authors_variant():
    gradient = np.array([[0.2, -0.7], [0.9, 0.4]])
    settings = {"theta_u": 0.75, "tau": 0.5, "gamma": 1.0, "epsilon": 1e12}
    as_defined = PrivacyPreservingDL(**settings).protect(gradient, np.random.default_rng(0))
    authors = PrivacyPreservingDL(**settings, unselected="raw").protect(gradient, np.random.default_rng(0))
    np.testing.assert_allclose(as_defined, [[0, -0.7], [0.9, 0]], atol=1e-6)
    np.testing.assert_allclose(authors, gradient, atol=1e-6)


def test_when_enough_pass_both_variants_agree():
    settings = {"theta_u": 0.5, "tau": 0.5, "gamma": 1.0, "epsilon": 1e12}
    variants = PrivacyPreservingDL(**settings), PrivacyPreservingDL(**settings, unselected="raw")
    one, two = (variant.protect(np.full((4, 4), 0.9), np.random.default_rng(0)) for variant in variants)
    assert np.array_equal(one, two) and np.count_nonzero(one) == 8


def naive_selection(values, defense, rng):
    """The loop as Shokri and Shmatikov write it, one value at a time."""
    most = max(1, int(defense.theta_u * len(values)))
    sigma_1 = 2 * most * defense.sensitivity / (8 / 9 * defense.epsilon)
    sigma_2 = 2 * most * defense.sensitivity / (2 / 9 * defense.epsilon)
    out, count = np.zeros_like(values), 0
    threshold = defense.tau + rng.laplace(scale=sigma_1)
    for place in rng.permutation(len(values)):
        clipped = np.clip(values[place], -defense.gamma, defense.gamma)
        if abs(clipped) + rng.laplace(scale=2 * sigma_1) >= threshold:
            out[place] = np.clip(values[place] + rng.laplace(scale=sigma_2), -defense.gamma, defense.gamma)
            count += 1
            if count == most:
                break
            threshold = defense.tau + rng.laplace(scale=sigma_1)
    return out


def test_the_selection_is_distributed_as_in_a_naive_loop():
    defense = PrivacyPreservingDL(theta_u=0.5, tau=0.3, gamma=1.0, epsilon=40.0)
    values = np.linspace(-1, 1, 8)
    ours = np.array([defense.protect(values[None], np.random.default_rng(seed))[0] for seed in range(1500)])
    loop = np.array([naive_selection(values, defense, np.random.default_rng(seed + 10**6)) for seed in range(1500)])
    assert ks_2samp((ours != 0).sum(axis=1), (loop != 0).sum(axis=1)).pvalue > 0.001
    np.testing.assert_allclose((ours != 0).mean(axis=0), (loop != 0).mean(axis=0), atol=0.06)
    for place in (0, 3, 7):
        assert ks_2samp(ours[:, place], loop[:, place]).pvalue > 0.001


# discrete-gradients


@given(gradient=GRADIENTS, intervals=st.integers(1, 30))
def test_values_inside_move_to_the_nearest_end_point_and_outliers_to_zero(gradient, intervals):
    low, high = -1.0, 0.75
    found = discretize(gradient.astype(np.float64), low, high, intervals)
    points = np.linspace(low, high, intervals + 1)
    for value, moved in zip(gradient.ravel().astype(np.float64), found.ravel(), strict=True):
        if low <= value <= high:
            assert np.isclose(abs(moved - value), np.abs(points - value).min(), atol=1e-12)
            assert np.isclose(np.abs(points - moved).min(), 0, atol=1e-12)
        else:
            assert moved == 0


def test_mean_and_deviation_are_those_of_the_whole_first_epoch():
    rng = np.random.default_rng(0)
    first = [rng.normal(3, 2, size=(10, 4)) for _ in range(3)]
    later = rng.normal(3, 2, size=(10, 4))
    messages = [*(message_of(gradient, 0) for gradient in first), message_of(later, 1)]
    found = sent(DiscreteGradients(intervals=6, warm_up="clear"), *messages)
    everything = np.concatenate(first)
    low, high = everything.mean() - 2 * everything.std(), everything.mean() + 2 * everything.std()
    np.testing.assert_allclose(found[3], discretize(later, low, high, 6), atol=1e-9)
    assert all(np.array_equal(one, two) for one, two in zip(found[:3], first, strict=True))


def test_a_silent_warm_up_sends_zeros_but_measures_all_the_same():
    gradient = np.random.default_rng(0).normal(size=(30, 4))
    clear = sent(DiscreteGradients(warm_up="clear"), message_of(gradient, 0), message_of(gradient, 1))
    silent = sent(DiscreteGradients(warm_up="silent"), message_of(gradient, 0), message_of(gradient, 1))
    assert not silent[0].any() and np.array_equal(clear[1], silent[1])


def test_a_run_remembers_nothing_of_the_run_before():
    gradient = np.random.default_rng(0).normal(size=(30, 4))
    defense = DiscreteGradients(warm_up="clear")
    fresh = sent(defense, message_of(gradient, 0), message_of(gradient, 1))
    sent(defense, message_of(100 * gradient, 0))
    assert np.array_equal(sent(defense, message_of(gradient, 0), message_of(gradient, 1))[1], fresh[1])


@pytest.mark.parametrize(
    ("defense", "field", "value"),
    [(LaplaceNoise, "scale", -0.1), (LaplaceNoise, "scale", float("nan")), (TopK, "share", 0.0), (TopK, "share", 1.5),
     (PrivacyPreservingDL, "theta_u", 0.0), (PrivacyPreservingDL, "tau", -1.0), (PrivacyPreservingDL, "epsilon", 0.0),
     (PrivacyPreservingDL, "gamma", -1.0), (DiscreteGradients, "intervals", 0)],
)  # fmt: skip
def test_impossible_settings_are_refused_at_first_and_when_a_field_is_replaced(defense, field, value):
    with pytest.raises(ValueError, match=f"{field} must be"):
        defense(**{field: value})
    with pytest.raises(ValueError, match=f"{field} must be"):
        replace(defense(), **{field: value})
