"""What docs/results says about paper 002, run again on the real data."""

import pytest

from imagined_orders import changed
from samples import needs_data
from seepage.papers.features.feature_attacks import FIGURE5, FIGURE6, FIGURE7
from seepage.papers.features.feature_figures import FIGURE11_ROUNDING
from seepage.papers.order import Order

pytestmark = [pytest.mark.slow, needs_data]


def lines(table, **settings):
    return table.lines(Order(**{"seeds": 2, "jobs": 2, **settings}))


def mean(cell: str) -> float:
    return float(cell.split("±")[0])


def test_equality_solving_is_exact_up_to_the_threshold_and_the_bounded_solution_always_beats_a_constant():
    found = lines(FIGURE5)
    assert len(found) == 18
    for line in found:
        assert mean(line["bounded"]) < mean(line["½"])
        assert mean(line["ESA"]) <= mean(line["Eq. 15"])
        if mean(line["exact"]) == 1.0:
            assert mean(line["ESA"]) == mean(line["bounded"]) == 0.0
    exact = [(line["data"], line["target share"]) for line in found if mean(line["exact"]) == 1.0]
    assert exact == [("drive", "10%"), ("drive", "20%")]


def test_path_restriction_is_above_both_random_guesses():
    for line in lines(FIGURE6, seeds=6):
        if line["seeds"] != "0":
            assert mean(line["PRA"]) > max(mean(line["own columns"]), mean(line["any path"]))


def test_rounding_stops_the_published_attack_on_many_classes_and_no_other():
    none, three, two, one = lines(FIGURE11_ROUNDING, only="drive")
    assert mean(three["ESA"]) > 10 * mean(three["½"]) > mean(none["ESA"])
    assert mean(two["bounded"]) < 0.7 * mean(two["½"])
    for line in (none, three, two, one):
        assert mean(line["GRN"]) < mean(line["½"])


def test_generative_regression_beats_a_constant_on_logistic_regression():
    table = changed(FIGURE7, models=("logistic-regression",), shares=(0.1, 0.6))
    for line in lines(table):
        assert mean(line["GRN"]) < mean(line["½"]) < mean(line["uniform"])
