"""What docs/results says about paper 000, run again on the real data with few seeds."""

import pytest

from imagined_orders import changed
from samples import needs_data
from seepage.audit.plan.plan import DataPlan
from seepage.audit.stages.preparation import load_table
from seepage.data import Property
from seepage.papers.order import Order
from seepage.papers.properties.property_attacks import TABLE5
from seepage.papers.properties.property_robustness import TABLE16, printed_defenses
from seepage.papers.properties.property_setting import ADULT, BANK, CENSUS, TOLD

pytestmark = [pytest.mark.slow, needs_data]

FRACTIONS = {
    "A-sex": 66.21, "A-race": 84.27, "A-work": 67.52,
    "B-month": 30.45, "B-mart": 60.19, "B-cont": 6.43,
    "C-sex": 52.05, "C-race": 10.20, "C-edu": 9.94,
}  # fmt: skip
"""Table IV, in percent."""


def mean(cell: str) -> float:
    return float(cell.split("±")[0])


@pytest.fixture(scope="module")
def ours():
    """Property and case → a line of Table V, on adult and bank marketing."""
    found = [line for data in (ADULT, BANK) for line in TABLE5.lines(Order(only=data.data, seeds=2, jobs=2))]
    lines = [line for line in found if line["whose"] == "ours" and line["data"] != "mean"]
    assert len(lines) == 12 and not any(line["remark"] for line in lines)
    return {(line["property"], line["case"]): line for line in lines}


def average(ours, heading, case):
    return sum(mean(line[heading]) for (_, at), line in ours.items() if at == case) / 6


@pytest.mark.parametrize("data", [ADULT, BANK, CENSUS], ids=lambda data: data.data)
def test_properties_are_as_frequent_as_the_paper_says(data):
    table = load_table(DataPlan(name=data.data))
    for name, asked in data.properties.items():
        assert 100 * Property.parse(asked).rows_of(table).mean() == pytest.approx(FRACTIONS[name], abs=0.5), name


def test_distribution_comparison_is_within_six_percent_for_the_active_party(ours):
    assert average(ours, "ProVFL-B", "C1") <= 0.06


def test_augmentation_lowers_the_error_of_both_parties(ours):
    assert average(ours, "ProVFL-M", "C1") < average(ours, "ProVFL-B", "C1")
    assert average(ours, "ProVFL-M", "C2") < average(ours, "ProVFL-B", "C2")


def test_adjusted_counting_is_far_more_exact_for_the_active_party(ours):
    assert average(ours, "adjusted-count", "C1") <= 0.012
    assert average(ours, "adjusted-count", "C1") < average(ours, "ProVFL-B", "C1") / 2


def test_a_passive_party_learns_little_that_its_own_columns_did_not_tell(ours):
    assert average(ours, "adjusted-count", "C2") > average(ours, "own columns", "C2") - 0.01
    assert average(ours, "own columns", "C2") < average(ours, "½", "C2") / 2


def test_withdrawal_moves_the_fraction_and_hides_nothing_from_who_puts_rows_back():
    half = changed(TABLE16, defenses=printed_defenses(TOLD["table16"]["printed"])[-1:])
    for line in half.lines(Order(seeds=1, jobs=2)):
        assert line["defense"] == "D5 withdrawal 0.5" and not line["remark"]
        assert mean(line["adjusted-count"]) == pytest.approx(mean(line["shift"]), abs=0.03)
        assert mean(line["put back, adjusted-count"]) < 0.03
