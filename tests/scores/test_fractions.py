"""The error of a fraction, beside the best answer that needs no attack."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seepage.scores.fractions import score_fraction

FRACTION = st.floats(0, 1)


def test_value_blind_and_advantage_by_hand():
    score = score_fraction(0.35, 0.30, {"one half": 0.5, "auxiliary share": 0.1}, others={"AO": 0.4}, notes={"kl": 2.0})
    assert score.metric == "fraction_error" and score.ceiling == 0.0
    assert score.value == pytest.approx(0.05)
    assert score.blind == pytest.approx(0.2)
    assert score.advantage == pytest.approx(0.75)
    assert score.other == pytest.approx({
        "true_fraction": 0.3, "guessed_fraction": 0.35, "error_one_half": 0.2, "error_auxiliary_share": 0.2,
        "error_AO": 0.1, "kl": 2.0,
    })  # fmt: skip


@given(guessed=FRACTION, true=FRACTION, blind=st.dictionaries(st.sampled_from("abcd"), FRACTION, min_size=1))
def test_blind_is_the_best_of_several_answers(guessed, true, blind):
    score = score_fraction(guessed, true, blind)
    assert score.blind == min(abs(answer - true) for answer in blind.values())
    assert abs(blind[score.blind_kind] - true) == score.blind
    for kind in blind:
        alone = score_fraction(guessed, true, {kind: blind[kind]})
        assert score.advantage is None or alone.advantage >= score.advantage  # more answers never flatter


@given(true=FRACTION, blind=FRACTION)
def test_a_blind_answer_earns_nothing_and_the_truth_everything(true, blind):
    score = score_fraction(blind, true, {"own": blind})
    assert score.advantage in {None, 0.0}
    exact = score_fraction(true, true, {"own": blind})
    assert exact.value == 0 and exact.advantage in {None, 1.0}
    assert (exact.advantage is None) == (abs(blind - true) < 0.01)


def test_an_error_above_blind_is_no_advantage():
    assert score_fraction(0.9, 0.3, {"one half": 0.5}).advantage == 0.0


def test_there_is_nothing_to_gain_where_auxiliary_rows_hold_everybody_with_the_property():
    score = score_fraction(0.04, 0.05, {"one half": 0.5, "all known rows with it": 0.05})
    assert score.blind == 0 and score.blind_kind == "all known rows with it" and score.advantage is None
    assert score.other["error_all_known_rows_with_it"] == 0
