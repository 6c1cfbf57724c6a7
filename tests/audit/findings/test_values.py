"""What terminal, page and gate quote: leak, cost, what is kept of the gain, and how sure all that is."""

from functools import partial

import pytest

import imagined_findings
from seepage.audit.findings.certainty import Certainty
from seepage.audit.findings.comparison import compared
from seepage.audit.findings.survey import Survey

ROOM = {"blind": 0.5, "ceiling": 1.0}


def seeds_of(values, utilities=(0.95, 0.96, 0.94), undefended=(0.95, 0.96, 0.94), alone=None, **changes):
    """One attack under three seeds."""
    return [
        imagined_findings.finding(
            seed=seed, value=value, **ROOM, utility=utilities[seed], utility_undefended=undefended[seed],
            utility_alone=alone[seed] if alone else None, **changes,
        )
        for seed, value in enumerate(values)
    ]  # fmt: skip


BARE = (0.95, 0.94, 0.96)
ALONE = (0.85, 0.86, 0.84)
under = partial(seeds_of, alone=ALONE)


def scene_of(*findings):
    (scene,) = Survey([one for group in findings for one in group]).scenes
    return scene


def names(trials):
    return [trial.first.defense for trial in trials]


def test_the_leak_is_that_of_the_strongest_and_its_interval_knows_of_the_choice():
    one, two = seeds_of((0.82, 0.78, 0.80)), seeds_of((0.70, 0.85, 0.82), attack="linear-probe")
    trial = scene_of(one, two).undefended
    assert trial.advantage.mean == trial.strongest.advantage.mean == pytest.approx(0.6)
    assert trial.advantage.low < trial.strongest.advantage.low
    assert trial.advantage.high >= trial.strongest.advantage.high
    alone = scene_of(one).undefended
    assert alone.advantage == alone.strongest.advantage


def test_cost_and_what_is_kept_of_the_gain_are_paired_by_seed():
    scene = scene_of(under(BARE), under((0.6, 0.6, 0.6), (0.93, 0.94, 0.92), defense="top-k"))
    (trial,) = scene.defended
    assert (trial.cost.mean, trial.cost.low, trial.cost.high) == pytest.approx((0.02, 0.02, 0.02))
    assert scene.alone.mean == pytest.approx(0.85) and scene.gain.mean == pytest.approx(0.1)
    assert not scene.gain_within_noise and not trial.cost_within_noise
    assert trial.kept.mean == pytest.approx(0.8) and trial.utility.mean == pytest.approx(0.93)
    assert scene.undefended.cost is None and scene.undefended.kept is None


def test_nothing_is_said_to_be_kept_where_the_federation_adds_nothing_or_nobody_looked():
    useless = seeds_of((0.6, 0.6, 0.6), alone=(0.94, 0.97, 0.94), defense="top-k")
    scene = scene_of(useless)
    assert scene.gain_within_noise and scene.defended[0].kept is None
    unknown = scene_of(seeds_of((0.6, 0.6, 0.6), defense="top-k"))
    assert unknown.alone is unknown.gain is None and not unknown.gain_within_noise
    assert unknown.defended[0].kept is None
    once = scene_of(seeds_of((0.6,), alone=(0.948,), defense="top-k"))
    assert once.gain.low is None and once.gain_within_noise, "one seed cannot tell so little from nothing"


def test_a_cost_that_swings_around_nothing_is_told_as_none():
    (trial,) = scene_of(under((0.6, 0.6, 0.6), (0.951, 0.958, 0.941), defense="top-k")).defended
    assert trial.cost_within_noise
    (once,) = scene_of(seeds_of((0.6,), (0.93,), defense="top-k")).defended
    assert once.cost.low is None and not once.cost_within_noise


def test_defenses_that_cannot_be_told_apart_are_tied_and_not_ranked():
    found = compared(
        scene_of(
            under(BARE),
            under((0.53, 0.55, 0.57), (0.93, 0.94, 0.92), defense="laplace-noise"),
            under((0.57, 0.54, 0.55), (0.932, 0.938, 0.92), defense="top-k"),
            under((0.57, 0.59, 0.61), (0.90, 0.91, 0.89), defense="label-dp"),
            under((0.90, 0.89, 0.91), (0.95, 0.96, 0.94), defense="rounding"),
        )
    )
    assert {*names([found.lowest]), *names(found.lowest_tied)} == {"laplace-noise", "top-k"}
    assert {*names([found.cheapest]), *names(found.cheapest_tied)} == {"laplace-noise", "top-k"}
    assert not found.cheapest_unsure


def test_of_one_seed_small_differences_are_none():
    once = [
        seeds_of((0.51,), (0.93,), defense="laplace-noise"),
        seeds_of((0.52,), (0.928,), defense="top-k"),
        seeds_of((0.57,), (0.90,), defense="label-dp"),
    ]
    found = compared(scene_of(seeds_of((1.0,)), *once))
    assert found.lowest.first.defense == "laplace-noise" and names(found.lowest_tied) == ["top-k"]
    assert names(found.cheapest_tied) == ["top-k"]


def test_a_defense_that_leaves_the_partner_without_use_is_not_the_cheapest():
    noise = under((0.5, 0.5, 0.5), (0.852, 0.861, 0.842), defense="privacy-preserving-dl")
    scene = scene_of(under(BARE), noise)
    found = compared(scene)
    assert found.lowest.first.defense == "privacy-preserving-dl" and found.cheapest is None
    assert names(found.useless) == ["privacy-preserving-dl"]
    mild = under((0.58, 0.58, 0.58), (0.84, 0.93, 0.92), defense="top-k")
    assert compared(scene_of(under(BARE), noise, mild)).cheapest.first.defense == "top-k"


def test_a_leak_that_is_tolerable_on_average_alone_is_marked():
    found = compared(scene_of(under(BARE), under((0.52, 0.60, 0.62), defense="top-k")))
    assert found.cheapest.first.defense == "top-k" and found.cheapest_unsure


def test_few_seeds_a_sample_and_few_rows_are_marked():
    sampled = {"audited_rows": 5000, "all_rows": 30000}
    assert Survey(seeds_of((0.6,), **sampled)).certainty.marks == ("1 seed", "a sample of 5,000 of 30,000 rows")
    few = Survey(seeds_of((0.6, 0.6, 0.6), audited_rows=150, all_rows=150)).certainty
    assert few.marks == ("150 rows only",) and not few.sampled
    assert Survey(seeds_of((0.6, 0.6, 0.6))).certainty == Certainty(3) and Certainty(3).marks == ()
    mixed = [*seeds_of((0.6, 0.6, 0.6)), *seeds_of((0.6, 0.6), federation="forest")]
    assert Survey(mixed).certainty.marks == ("2 seeds",), "the least sure of all"
    assert Survey([]).certainty == Certainty(0)


def test_every_adversary_has_a_cell_on_every_federation_that_says_why_it_is_empty():
    partition = {"active": "hospital", "columns": {"hospital": ["a"], "lab": ["b"]}}
    finding = partial(imagined_findings.finding, partition=partition)
    lacking = partial(finding, value=None, status="not applicable")
    survey = Survey(
        [
            finding(),
            lacking(federation="forest", reason="No gradients\ncross."),
            lacking(federation="forest", attack="union", reason="No nodes cross."),
            lacking(federation="forest", attack="id2graph", reason="No nodes cross."),
            finding(federation="forest", attack="local-clustering", role="baseline", value=0.627),
            finding(asset="features", adversary=("hospital",), metric="mse", value=0.01, blind=0.08, ceiling=0.0),
        ]
    )
    told = {(cell.asset, cell.federation, *cell.adversary): cell for cell in survey.matrix}
    assert len(told) == 8 and survey.active == "hospital"
    assert told["labels", "summed-network", "lab"].bare.advantage.mean == 1 and survey.matrix[0].reason is None
    assert told["labels", "forest", "lab"].reason == "No nodes cross."
    assert told["labels", "forest", "hospital"].reason == "hospital holds the labels itself."
    assert told["features", "forest", "hospital"].reason == "Nothing was tried."
    assert told["features", "forest", "hospital"].scene is None


def test_who_holds_the_column_of_a_property_has_nothing_to_learn():
    partition = {"active": "hospital", "columns": {"hospital": ["age", "b"], "lab": ["sex"]}}
    asked = partial(imagined_findings.finding, partition=partition, asset="properties", adversary=("hospital",))
    survey = Survey([asked(property="sex=m"), imagined_findings.finding(partition=partition)])
    reasons = {(cell.property, *cell.adversary): cell.reason for cell in survey.matrix}
    assert reasons["sex=m", "lab"] == "lab holds 'sex' itself."
