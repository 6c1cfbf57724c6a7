"""All rows equally long in expectation, each on its own line; and what that leaves to read."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hand_made import own_part
from seepage.defenses.gradients.max_norm import MaxNorm, stretched
from seepage.messages import Kind, Message

GRADIENTS = arrays(
    np.float32,
    st.tuples(st.integers(1, 8), st.integers(1, 6)),
    elements=st.floats(-2, 2, width=32, allow_subnormal=False),
)


@given(gradient=GRADIENTS, seed=st.integers(0, 99))
def test_every_row_stays_on_its_own_line_and_the_longest_as_it_is(gradient, seed):
    sent = stretched(gradient, np.random.default_rng(seed))
    lengths = np.linalg.norm(gradient.astype(np.float64), axis=1)
    for row, moved in zip(gradient.astype(np.float64), sent.astype(np.float64), strict=True):
        across = moved * (row @ row) - row * (row @ moved)
        assert np.allclose(across, 0, atol=1e-4 * (row @ row) * (1 + np.abs(moved).max()))
    assert np.allclose(sent[lengths.argmax()], gradient[lengths.argmax()], rtol=1e-5)
    assert sent.dtype == gradient.dtype


def test_squared_lengths_are_those_of_the_longest_in_the_mean():
    gradient = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 1.0], [1e-30, 0.0]])
    rng = np.random.default_rng(0)
    squares = np.mean([np.square(stretched(gradient, rng)).sum(axis=1) for _ in range(20_000)], axis=0)
    assert np.allclose(squares, 25, rtol=0.05)


def test_in_the_mean_every_gradient_is_what_it_was():
    gradient = np.array([[3.0, 4.0], [0.3, -0.4], [0.0, 1.0]])
    rng = np.random.default_rng(0)
    mean = np.mean([stretched(gradient, rng) for _ in range(20_000)], axis=0)
    assert np.allclose(mean, gradient, atol=0.1)


def test_nothing_stays_nothing():
    assert not stretched(np.zeros((3, 2)), np.random.default_rng(0)).any()


def test_a_batch_is_held_against_its_own_longest_row():
    hook = MaxNorm().start(own_part("bank", np.zeros((4, 0))), np.random.default_rng(0))
    gradient = np.array([[1.0, 0.0], [0.0, 2.0]])
    sent = hook.message(Message(Kind.GRADIENT, "bank", "shop", 0, 0, np.array([2, 3]), {"gradient": gradient}))
    assert sent.payload["gradient"][1].tolist() == [0.0, 2.0] and sent.payload["gradient"][0, 1] == 0
