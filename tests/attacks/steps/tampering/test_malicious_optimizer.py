"""The malicious optimizer against Algorithm 1 by hand, and against the authors' slip."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seepage.attacks.steps.tampering.acceleration import Acceleration
from seepage.attacks.steps.tampering.malicious_optimizer import MaliciousOptimizer, excess
from seepage.networks.nesterov import AcceleratedGradient

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
VECTORS = st.integers(1, 8).flatmap(lambda n: st.tuples(*[st.lists(FLOATS, min_size=n, max_size=n)] * 2))


def parameter(values, dtype=torch.float64):
    return torch.nn.Parameter(torch.tensor(values, dtype=dtype))


def sgd(weight, momentum=0.5, rate=0.1, **settings):
    return torch.optim.SGD([weight], lr=rate, momentum=momentum, **settings)


def steps_of(optimizer, weight, gradients):
    """Return the updates that a sequence of gradients leads to."""
    made = []
    for gradient in gradients:
        before = weight.detach().clone()
        weight.grad = torch.as_tensor(gradient, dtype=weight.dtype)
        optimizer.step()
        made.append((weight.detach() - before).numpy())
    return np.array(made)


def factors(gradients, acceleration=None, **settings):
    """Return by which factors the updates of an honest twin are scaled."""
    weight, twin = parameter(np.zeros_like(gradients[0])), parameter(np.zeros_like(gradients[0]))
    found = steps_of(MaliciousOptimizer(sgd(weight, **settings), acceleration), weight, gradients)
    return found / steps_of(sgd(twin, **settings), twin, gradients)


# by hand


def test_on_a_steady_slope_the_factors_are_those_worked_out_by_hand():
    # gradient 1, momentum 0.5: the velocities are 1, 1.5, 1.75, 1.875
    # r1 = 1                                    scaled velocity 1
    # r2 = 1 + 1.5   / 1       = 2.5            scaled velocity 3.75
    # r3 = 1 + 1.75  / 3.75    = 1.466 667      scaled velocity 2.566 667
    # r4 = 1 + 1.875 / 2.566667 = 1.730 519     scaled velocity 3.244 724
    by_hand = [1, 2.5, 1 + 7 / 15, 1 + 1.875 / (1.75 * 22 / 15)]
    np.testing.assert_allclose(factors([[1.0]] * 4).ravel(), by_hand, rtol=1e-12)
    weight = parameter([0.0])
    found = steps_of(MaliciousOptimizer(sgd(weight)), weight, [[1.0]] * 4)
    np.testing.assert_allclose(found.ravel(), [-0.1, -0.375, -0.25666667, -0.32447240], rtol=1e-7)


def test_a_velocity_that_grows_too_fast_is_cut_at_the_most():
    # velocities 1, 10.5, 5.25 + 1: 1 + 10.5 is cut to 5, then 1 + 6.25 / 52.5
    assert factors([[1.0], [10.0], [1.0]]).ravel().tolist() == pytest.approx([1, 5, 1 + 6.25 / 52.5])
    assert factors([[1.0], [10.0]], Acceleration(most=3.0))[1].item() == pytest.approx(3)


def test_half_the_reset_is_half_the_excess():
    assert factors([[1.0], [1.0]], Acceleration(reset=0.5))[1].item() == pytest.approx(1 + 0.5 * 1.5)


def test_on_a_long_steady_slope_the_factor_settles_at_the_golden_ratio():
    assert factors([[1.0]] * 60)[-1].item() == pytest.approx((1 + 5**0.5) / 2)  # r = 1 + 1 / r


def test_every_parameter_has_a_factor_of_its_own():
    found = factors([[1.0, 1.0, 1.0], [1.0, -2.0, 10.0]])
    np.testing.assert_allclose(found[1], [2.5, 1.0, 5.0])


# oscillation


def test_a_parameter_that_swings_gets_the_least():
    swings = [[(-1.0) ** step] for step in range(8)]
    assert factors(swings, momentum=0.1).ravel().tolist() == pytest.approx([1.0] * 8)
    calmer = factors(swings, Acceleration(least=0.25), momentum=0.1).ravel()
    assert calmer[1:].tolist() == pytest.approx([0.25] * 7) and calmer[0] == pytest.approx(1)


def descend(make, rate, steps):
    """Return how far from the minimum of ``weight² / 2`` each step ends."""
    weight, far = parameter([1.0]), []
    optimizer = make(torch.optim.SGD([weight], lr=rate))
    for _ in range(steps):
        weight.grad = weight.detach().clone()
        optimizer.step()
        far.append(abs(weight.item()))
    return far


def test_a_rate_at_which_the_agreed_optimizer_swings_is_not_scaled_up():
    honest, malicious = descend(lambda agreed: agreed, 1.5, 30), descend(MaliciousOptimizer, 1.5, 30)
    assert malicious == pytest.approx(honest)  # each step turns around: r = 1
    blind = descend(lambda agreed: agreed, 1.5 * 2, 30)  # the same factor that a steady slope would get, all the time
    assert blind[-1] > 1e6 > 1e-6 > malicious[-1]


def test_below_the_swinging_rate_it_is_faster_than_the_agreed_optimizer():
    assert descend(MaliciousOptimizer, 0.1, 30)[-1] < 0.2 * descend(lambda agreed: agreed, 0.1, 30)[-1]


# safe and honest inside


def network(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2))


AGREED = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1, fused=True),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=5e-4, fused=True),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01, fused=True),
    "accelerated": lambda parameters: AcceleratedGradient(parameters, curvature=10.0),
}


def train(model, optimizer, steps=12):
    rng = np.random.default_rng(0)
    for _ in range(steps):
        rows = torch.from_numpy(rng.normal(size=(16, 4)).astype(np.float32))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(rows), (rows[:, 0] > 0).long()).backward()
        optimizer.step()
    return [one.detach().clone() for one in model.parameters()]


@pytest.mark.parametrize("name", AGREED)
def test_without_reset_it_is_the_agreed_optimizer_bit_for_bit(name):
    one, two = network(), network()
    agreed = AGREED[name](two.parameters())
    honest = train(one, AGREED[name](one.parameters()))
    found = train(two, MaliciousOptimizer(agreed, Acceleration(reset=0.0)))
    assert all(torch.equal(a, b) for a, b in zip(honest, found, strict=True))


@pytest.mark.parametrize("name", AGREED)
def test_it_goes_around_any_optimizer(name):
    one, two = network(), network()
    honest, found = (
        train(one, AGREED[name](one.parameters())),
        train(two, MaliciousOptimizer(AGREED[name](two.parameters()))),
    )
    assert all(torch.isfinite(after).all() for after in found)
    assert not any(torch.equal(a, b) for a, b in zip(honest, found, strict=True))


def test_the_agreed_momentum_is_that_of_an_honest_twin_fed_the_same_gradients():
    rng = np.random.default_rng(0)
    gradients = rng.normal(size=(20, 6))
    weight, twin = parameter([0.0] * 6), parameter([0.0] * 6)
    agreed, honest = sgd(weight, 0.9), sgd(twin, 0.9)
    steps_of(MaliciousOptimizer(agreed), weight, gradients)
    steps_of(honest, twin, gradients)
    assert torch.equal(agreed.state[weight]["momentum_buffer"], honest.state[twin]["momentum_buffer"])
    assert not torch.equal(weight, twin)


def test_a_parameter_that_stood_still_starts_anew():
    weight = parameter([0.0, 0.0])
    found = steps_of(MaliciousOptimizer(sgd(weight, 0.0)), weight, [[0.0, 1.0], [2.0, 1.0], [2.0, 1.0]])
    np.testing.assert_allclose(found, [[0.0, -0.1], [-0.2, -0.2], [-0.4, -0.15]])  # r: 1 and 1, 1 and 2, 2 and 1.5
    assert not steps_of(MaliciousOptimizer(sgd(weight)), weight, [[0.0, 0.0]] * 3).any()  # no 0 / 0


def test_a_parameter_without_a_gradient_is_left_alone():
    used, unused = parameter([1.0]), parameter([1.0])
    optimizer = MaliciousOptimizer(torch.optim.SGD([{"params": [used]}, {"params": [unused], "lr": 0.5}], lr=0.1))
    optimizer.step()
    used.grad = torch.ones_like(used)
    optimizer.step()
    assert used.item() == pytest.approx(0.9) and unused.item() == 1.0


def test_the_learning_rate_is_shared_with_the_agreed_optimizer():
    weight = parameter([0.0])
    agreed = sgd(weight, 0.0)
    optimizer = MaliciousOptimizer(agreed)
    optimizer.param_groups[0]["lr"] = 0.5
    assert agreed.param_groups[0]["lr"] == 0.5
    assert steps_of(optimizer, weight, [[1.0]]).item() == -0.5


@given(pair=VECTORS, reset=st.floats(0, 1e3), bounds=st.lists(st.floats(0, 100), min_size=2, max_size=2).map(sorted))
def test_every_factor_is_within_the_bounds_and_one_where_there_is_nothing_to_compare(pair, reset, bounds):
    update, last = (torch.tensor(values, dtype=torch.float32) for values in pair)
    found = excess(update, last, Acceleration(reset=reset, least=bounds[0], most=bounds[1]))
    low, high = (torch.tensor(bound - 1, dtype=torch.float32) for bound in bounds)
    fresh = last == 0
    assert torch.all(found[fresh] == 0)
    assert torch.all((found[~fresh] >= low) & (found[~fresh] <= high))  # which no number that is none passes


@given(pair=VECTORS)
def test_the_factors_are_those_of_the_formula(pair):
    update, last = (torch.tensor(values, dtype=torch.float64) for values in pair)
    found = excess(update, last, Acceleration())
    for step, before, more in zip(*pair, found.tolist(), strict=True):
        wanted = 1.0 if before == 0 else min(max(1 + step / before, 1.0), 5.0)
        assert 1 + more == pytest.approx(wanted)


@pytest.mark.parametrize("reset", [0.0, 1.0])
def test_the_tiniest_last_update_gives_no_infinity(reset):
    update, last = torch.tensor([1e30, -1e30, 0.0, 1e-45]), torch.tensor([1e-45, 1e-45, 1e-45, -1e-45])
    found = excess(update, last, Acceleration(reset=reset, least=0.5))
    assert found.tolist() == ([4.0, -0.5, 0.0, -0.5] if reset else [0.0] * 4)


# the authors' slip


def authors(gradients, rate, momentum, tiny=1e-7):
    """Their update: the gradient is the momentum buffer itself, so scaling one scales the other."""
    place, buffer, last = np.zeros(len(gradients[0])), None, None
    for gradient in gradients:
        buffer = gradient.copy() if buffer is None else momentum * buffer + gradient
        if last is not None:
            for element in range(len(buffer)):
                ratio = 1 + 1.0 * buffer[element] / (last[element] + tiny)
                buffer[element] *= min(max(ratio, 1.0), 5.0)
        last = buffer.copy()
        place = place - rate * buffer
    return place


def test_compounding_is_the_update_of_the_authors_code():
    gradients = np.random.default_rng(0).normal(size=(12, 5))
    for compounding in (True, False):
        weight = parameter([0.0] * 5)
        steps_of(MaliciousOptimizer(sgd(weight, 0.9), Acceleration(compounding=compounding)), weight, gradients)
        assert np.allclose(weight.detach().numpy(), authors(gradients, 0.1, 0.9), rtol=1e-4) == compounding


def test_compounding_blows_up_on_a_steady_slope_and_scaling_does_not():
    compounded = factors([[1.0]] * 40, Acceleration(compounding=True), momentum=0.9)
    assert compounded[-1] > 1e6 and factors([[1.0]] * 40, momentum=0.9).max() < 3


def test_without_a_momentum_buffer_there_is_nothing_to_compound():
    for make in (AGREED["sgd"], AGREED["adam"]):
        one, two = network(), network()
        plain = train(one, MaliciousOptimizer(make(one.parameters())))
        compounded = train(two, MaliciousOptimizer(make(two.parameters()), Acceleration(compounding=True)))
        assert all(torch.equal(a, b) for a, b in zip(plain, compounded, strict=True))


# settings


def test_a_closure_is_refused():
    weight = parameter([0.0])
    with pytest.raises(ValueError, match="takes no closure"):
        MaliciousOptimizer(sgd(weight)).step(lambda: 0.0)
