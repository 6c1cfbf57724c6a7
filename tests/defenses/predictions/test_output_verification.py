"""What a party objects to, against naive loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.defenses.predictions.output_verification import OutputVerification, branch_errors, value_errors
from seepage.guesses import Branches, BranchGuess, FeatureGuess
from seepage.hooks import Verification
from seepage.messages import ModelKind
from seepage.partition import OwnPart

NAMES = ("visits", "rate", "still")
LIMITS = np.array([[0.0, 10.0], [-1.0, 1.0], [2.0, 2.0]])


def part_of(rng, rows=12, gaps=False):
    features = np.stack([rng.uniform(0, 10, rows), rng.uniform(-1, 1, rows), np.full(rows, 2.0)], axis=1)
    if gaps:
        features[rng.random(features.shape) < 0.3] = np.nan
    return OwnPart("shop", NAMES, features.astype(np.float32), NAMES, np.arange(3), limits=LIMITS)


def guess_of(rng, rows, columns=("rate", "visits")):
    chosen = rng.choice(rows, size=rows // 2, replace=False)
    return FeatureGuess(chosen, tuple(("shop", name) for name in columns), rng.random((len(chosen), len(columns))))


def branch_guess(rng, part, nodes=4, leaves=5):
    columns = tuple(("shop", NAMES[place]) for place in rng.integers(2, size=nodes))
    thresholds = rng.uniform(-1, 5, nodes)
    paths = rng.integers(-1, 2, size=(leaves, nodes)).astype(np.int8)
    branches = Branches(columns, thresholds, thresholds, rng.random(nodes) < 0.5, paths)
    rows = np.arange(len(part.features))
    nothing = np.zeros((len(rows), leaves), dtype=bool)
    return BranchGuess(rows, branches, rng.integers(leaves, size=len(rows)), nothing, nothing)


def allowed(part, guess, limit):
    hook = OutputVerification(limit=limit).start(part, np.random.default_rng(0))
    every = np.ones(len(guess.rows), dtype=bool)
    return hook.verification(Verification(guess=guess, allowed=every)).allowed


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_errors_of_values_are_those_of_a_loop(seed, gaps):
    rng = np.random.default_rng(seed)
    part = part_of(rng, gaps=gaps)
    guess = guess_of(rng, 12, ("still", "rate", "visits"))
    for line, row in enumerate(guess.rows):
        off = []
        for place, (_, name) in enumerate(guess.columns):
            value, (low, high) = part.features[row, NAMES.index(name)], LIMITS[NAMES.index(name)]
            unit = (float(value) - low) / (high - low if high > low else 1)
            if not np.isnan(unit):
                off.append((unit - guess.units[line, place]) ** 2)
        expected = np.mean(off) if off else np.inf
        assert value_errors(part, guess)[line] == pytest.approx(expected)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_errors_of_branches_are_those_of_a_loop(seed, gaps):
    rng = np.random.default_rng(seed)
    part = part_of(rng, gaps=gaps)
    guess = branch_guess(rng, part)
    found = branch_errors(part, guess)
    for row in guess.rows:
        wrong = []
        for node, (_, name) in enumerate(guess.branches.columns):
            turn = guess.branches.paths[guess.leaf[row], node]
            if turn:
                value = part.features[row, NAMES.index(name)]
                missing = bool(guess.branches.missing_left[node])
                left = missing if np.isnan(value) else bool(value <= np.float32(guess.branches.thresholds[node]))
                wrong.append(left != (turn == 1))
        assert found[row] == pytest.approx(np.mean(wrong) if wrong else np.inf)


@given(st.integers(0, 2**32 - 1), st.floats(0, 0.5))
def test_exactly_rows_below_the_limit_are_objected_to(seed, limit):
    rng = np.random.default_rng(seed)
    part = part_of(rng)
    guess = guess_of(rng, 12)
    assert np.array_equal(allowed(part, guess, limit), value_errors(part, guess) >= limit)


def test_a_path_that_is_right_at_all_own_nodes_is_withheld_and_one_without_own_nodes_is_not():
    part = part_of(np.random.default_rng(0))
    visits = part.features[:, 0]
    branches = Branches((("shop", "visits"),), np.array([5.0]), np.array([0.5]), np.array([False]),
                        np.array([[1], [-1], [0]], dtype=np.int8))  # fmt: skip
    nothing = np.zeros((12, 3), dtype=bool)
    right = np.where(visits <= 5, 0, 1)
    for leaf, expected in ((right, False), (1 - right, True), (np.full(12, 2), True)):
        guess = BranchGuess(np.arange(12), branches, leaf, nothing, nothing)
        assert (allowed(part, guess, limit=0.01) == expected).all()


def test_a_limit_of_zero_objects_to_nothing_and_an_enormous_one_to_all():
    part = part_of(np.random.default_rng(0))
    exact = (part.features[:, :1] / 10).astype(np.float64)
    guess = FeatureGuess(np.arange(12), (("shop", "visits"),), exact)
    assert allowed(part, guess, limit=0.0).all()
    assert not allowed(part, guess, limit=1e9).any()


def test_a_guess_about_no_column_is_not_objected_to():
    part = part_of(np.random.default_rng(0))
    assert allowed(part, FeatureGuess(np.arange(3), (), np.zeros((3, 0))), limit=1e9).all()


def test_permissions_are_only_ever_taken_away():
    part = part_of(np.random.default_rng(0))
    guess = guess_of(np.random.default_rng(1), 12)
    hook = OutputVerification(limit=0.0).start(part, np.random.default_rng(0))
    none = np.zeros(len(guess.rows), dtype=bool)
    assert not hook.verification(Verification(guess=guess, allowed=none)).allowed.any()


@pytest.mark.parametrize(
    ("model", "attack"),
    [
        (ModelKind.LINEAR, "equality-solving"),
        (ModelKind.NETWORK, "generative-regression"),
        (ModelKind.TREE, "path-restriction"),
        (ModelKind.FOREST, "generative-regression"),
        (ModelKind.BOOSTING, None),
        (None, None),
    ],
)
def test_the_attack_of_the_paper_is_mimicked_unless_another_is_named(model, attack):
    assert OutputVerification().mimicked(model) == attack
    assert OutputVerification(mimic="label-chain").mimicked(model) == "label-chain"
