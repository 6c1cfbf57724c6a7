"""Distance correlation is what its definition says, whatever the scale, and can always be descended on."""

import numpy as np
import pytest
import torch

from seepage.mechanisms.distance_correlation import MOST_ROWS, distance_correlation


def by_definition(x, z):
    """Two loops over rows, and sums as they are written down."""

    def centered(rows):
        count = len(rows)
        distances = [[np.sqrt(sum((a - b) ** 2 for a, b in zip(r, s, strict=True))) for s in rows] for r in rows]
        means = [sum(line) / count for line in distances]
        whole = sum(means) / count
        return [[distances[i][j] - means[i] - means[j] + whole for j in range(count)] for i in range(count)]

    def product(one, other):
        return sum(a * b for line, its in zip(one, other, strict=True) for a, b in zip(line, its, strict=True))

    a, b = centered(x), centered(z)
    return np.sqrt(product(a, b) / np.sqrt(product(a, a) * product(b, b)))


def drawn(seed=0, rows=12):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    return x, np.hstack((x[:, :1] ** 2, rng.normal(size=(rows, 1))))


@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_two_loops_over_rows_give(seed):
    x, z = drawn(seed)
    found = distance_correlation(torch.from_numpy(x), torch.from_numpy(z)).item()
    assert found == pytest.approx(by_definition(x, z), abs=1e-12)


def test_scale_place_and_turns_change_nothing():
    x, z = (torch.from_numpy(one) for one in drawn())
    turn = torch.linalg.qr(torch.from_numpy(np.random.default_rng(1).normal(size=(2, 2)))).Q
    plain = distance_correlation(x, z)
    assert torch.allclose(distance_correlation(1e3 * x - 7, 0.01 * z @ turn + 5), plain, atol=1e-9)
    assert torch.allclose(distance_correlation(x, x @ torch.eye(3, dtype=x.dtype)), torch.ones((), dtype=x.dtype))


def test_what_is_independent_has_little_and_a_parabola_has_much():
    rng = np.random.default_rng(0)
    x, y = (torch.from_numpy(rng.normal(size=(500, 1))) for _ in range(2))
    assert distance_correlation(x, y) < 0.15
    assert distance_correlation(x, x**2) > 0.45
    assert abs(np.corrcoef(x[:, 0], x[:, 0] ** 2)[0, 1]) < 0.2


@pytest.mark.parametrize("kind", ["some rows equal", "all rows equal", "one row"])
def test_the_gradient_is_a_number_where_rows_are_equal(kind):
    z = torch.ones(6, 2) if kind == "all rows equal" else torch.arange(12.0).reshape(6, 2) % 4
    z = (z[:1] if kind == "one row" else z).requires_grad_()
    found = distance_correlation(torch.arange(float(2 * len(z))).reshape(-1, 2), z)
    found.backward()
    assert torch.isfinite(found) and torch.isfinite(z.grad).all()
    assert bool(z.grad.any()) == (kind == "some rows equal")


def test_the_gradient_is_that_of_differences():
    x, z = (torch.from_numpy(one) for one in drawn(rows=6))
    assert torch.autograd.gradcheck(lambda moved: distance_correlation(x, moved), (z.requires_grad_(),))


def test_of_many_rows_the_first_ones_count():
    rng = np.random.default_rng(0)
    x, z = (torch.from_numpy(rng.normal(size=(MOST_ROWS + 5, 2))) for _ in range(2))
    assert distance_correlation(x, z) == distance_correlation(x[:MOST_ROWS], z[:MOST_ROWS])
