"""Claims of paper 003, held against findings that were made up so that each claim holds, and so that it does not."""

import pytest

from imagined_orders import Imagined
from seepage.papers.trees.tree_claims import CHECKS, CLAIMS
from seepage.papers.trees.tree_setting import BREAST_CANCER

V_MEASURES = {"local-clustering": 0.3, "union": 0.0, "union-clustering": 0.3, "id2graph": 0.7}


def found(value=None, auc=None):
    """Lines by claim, of findings whose value and test AUC are as these say of attack and defense."""

    def numbers(attack, defense, settings):
        known = V_MEASURES[attack]
        return {
            "value": value(attack, defense, settings, known) if value else known,
            "utility": 0.9,
            "utility_metric": "accuracy",
            "utility_metrics": {"auc": auc(defense, settings) if auc else 0.9},
            "status": "ok",
            "asset": "labels",
        }

    order = ByModel(seeds=2, only="breast_cancer", numbers=numbers)
    lines = CLAIMS.lines(order)
    assert len(order.asked) == 1 and [line["data"] for line in lines] == [BREAST_CANCER.label] * 10
    names = [name for name in CHECKS for _ in range(2)]
    return {(name, line["model"]): line for name, line in zip(names, lines, strict=True)}


class ByModel(Imagined):
    """What is made up is said of both models, but that grafting does not act in boosting."""

    def run(self, plan, folder):
        made_up = super().run(plan, folder)
        both = [one.model_copy(update={"federation": name}) for name in ("forest", "boosting") for one in made_up]
        return [one for one in both if (one.federation, one.defense) != ("boosting", "grafting")]


def test_where_it_is_ahead_it_holds_and_where_it_is_level_it_does_not():
    lines = found()
    assert [lines[name, "forest"]["holds"] for name in ("T23", "T24", "T25")] == ["yes"] * 3
    assert lines["T23", "forest"]["numbers"] == "0.700 for 0.300"
    assert lines["T24", "boosting"]["numbers"] == "0.700 for 0.000, 0.300"
    assert lines["T25", "forest"]["numbers"] == "2 of 2 seeds"
    level = found(lambda attack, *_: 0.7)
    assert [level[name, "forest"]["holds"] for name in ("T23", "T24", "T25")] == ["no"] * 3


def test_grafting_has_to_show_the_very_same_and_says_nothing_of_boosting():
    same = found(auc=lambda defense, _: 0.95 if defense == "grafting" else 0.9)
    assert (same["T26", "forest"]["holds"], same["T26", "forest"]["numbers"]) == ("yes", "test AUC +0.050 to +0.050")
    assert (same["T26", "boosting"]["holds"], same["T26", "boosting"]["numbers"]) == ("–", "–")
    other = found(lambda attack, defense, _, known: known - 0.001 * (defense == "grafting"))
    assert other["T26", "forest"]["holds"] == "no"


@pytest.mark.parametrize(("strong", "verdict"), [("purity-limit", "yes"), ("label-dp", "no")])
def test_the_better_trade_off_is_that_of_the_defense_that_leaks_less_at_the_same_worth(strong, verdict):
    lines = found(lambda attack, defense, _, known: 0.35 if (attack, defense) == ("id2graph", strong) else known)
    line = lines["T27", "boosting"]
    assert line["holds"] == verdict
    assert line["numbers"] == {
        "yes": "1 of 1 best others matched by some ξ, 0 of 1 best ξ by others",
        "no": "0 of 1 best others matched by some ξ, 1 of 1 best ξ by others",
    }[verdict]  # fmt: skip


def test_what_leaks_less_than_own_columns_tell_is_no_better_than_own_columns():
    """Below CL nothing is protected: label-dp far below and the limit at CL are level, so neither is better."""
    leaks = {"purity-limit": 0.3, "label-dp": 0.1}
    lines = found(lambda attack, defense, _, known: leaks.get(defense, known) if attack == "id2graph" else known)
    assert lines["T27", "boosting"]["numbers"].startswith("1 of 1") and lines["T27", "boosting"]["holds"] == "no"
