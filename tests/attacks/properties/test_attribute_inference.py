"""Attribute inference: a row at a time, right where rows tell, pulled to the auxiliary share where they do not."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

import seepage
from hand_made import agreed, own_part
from property_runs import LARGE, observed
from seepage.attacks.properties.attribute_inference import AttributeInference
from seepage.errors import BadSetting, IncompatibleView
from seepage.learners.small_network import SmallNetwork
from seepage.views import Auxiliary, Knowledge, KnownRows, ThreatModel, View
from seepage.views.intermediate_results import intermediate_results

QUICK = SmallNetwork(passes=20)
ENOUGH = Auxiliary(rows=70)


def view_of(columns, has, known=200, seed=0):
    """An adversary without messages that knows of some rows, as many of each side, whether they have the property."""
    rng = np.random.default_rng(seed)
    sides = [rng.permutation(np.flatnonzero(has == side))[: known // 2] for side in (True, False)]
    asked = np.concatenate(sides)
    own, auxiliary = {"bank": own_part("bank", columns.astype(np.float32))}, KnownRows(asked, asked, has[asked])
    threat = ThreatModel(adversaries=("bank",))
    knowledge = Knowledge(threat=threat, own=own, train=np.arange(len(has)), auxiliary=auxiliary)
    return View(agreed("forest", top_model=False, outputs=0), knowledge)


def run(view, seed=0, **settings):
    attack = AttributeInference(**{"inputs": "columns", "network": QUICK, **settings})
    return attack.run(view, np.random.default_rng(seed))


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.7])
def test_columns_that_tell_the_property_give_the_fraction(fraction):
    rng = np.random.default_rng(1)
    has = rng.permutation(2000) < 2000 * fraction
    columns = np.stack([has * 4.0 + rng.normal(size=2000) * 0.5, rng.normal(size=2000)], axis=1)
    guess = run(view_of(columns, has, known=100))
    assert abs(guess.fraction - fraction) < 0.01
    assert guess.notes["accuracy"] == 1 and guess.notes["largest_score"] > 0.95


def test_columns_that_say_nothing_give_the_share_of_the_auxiliary_rows_whatever_the_truth():
    guesses = []
    for fraction in (0.2, 0.8):
        rng = np.random.default_rng(3)
        has = rng.permutation(3000) < 3000 * fraction
        guesses.append(run(view_of(rng.normal(size=(3000, 1)), has, known=400)).others["averaged"])
    assert abs(guesses[0] - guesses[1]) < 0.05 and max(abs(guess - 0.5) for guess in guesses) < 0.1


def test_doubtful_rows_pull_the_count_towards_one_half():
    """What adjusted counting is for: with hit and false alarm rates of 0.84 and 0.16, 5 % look like 19 %."""
    rng = np.random.default_rng(0)
    has = rng.permutation(4000) < 200
    columns = (2.0 * has + rng.normal(size=4000))[:, None]
    guess = run(view_of(columns, has, known=200))
    assert guess.fraction == pytest.approx(0.05 * 0.84 + 0.95 * 0.16, abs=0.05)


def test_the_network_counts_as_another_implementation_does():
    rng = np.random.default_rng(0)
    has = rng.permutation(2000) < 600
    columns = np.stack([2 * has + rng.normal(size=2000), rng.normal(size=2000)], axis=1)
    view = view_of(columns, has, known=600)
    known = view.knowledge.auxiliary
    other = MLPClassifier((64, 32), alpha=1e-4, batch_size=32, max_iter=20, random_state=0)
    with pytest.warns(ConvergenceWarning):
        expected = other.fit(columns[known.rows], known.has).predict(columns).mean()
    assert run(view).fraction == pytest.approx(expected, abs=0.04)


def test_a_tenth_of_the_auxiliary_rows_is_kept_out_of_fitting():
    """Properties that are dealt like coins are learned by heart, and are still not known of rows that were kept out."""
    rng = np.random.default_rng(0)
    view = view_of(rng.normal(size=(400, 30)), rng.uniform(size=400) < 0.5, known=300)
    kept = [run(view, seed, network=SmallNetwork(passes=60)).notes["accuracy"] for seed in range(4)]
    assert 0.3 < np.mean(kept) < 0.7
    assert all(accuracy * 30 == pytest.approx(round(accuracy * 30)) for accuracy in kept)


@pytest.mark.parametrize("adversary", ["active", "passive"])
@pytest.mark.parametrize("federation", ["split-network", "summed-network", "logistic-regression"])
def test_intermediate_results_tell_it_in_every_network(federation, adversary):
    attack = AttributeInference(auxiliary=ENOUGH)
    view, true = observed(attack, federation, adversary)
    guess = attack.run(view, np.random.default_rng(0))
    assert abs(guess.fraction - true) < 0.08 and guess.notes["accuracy"] > 0.7


def test_every_line_is_one_row():
    """The authors' code mixes four rows into one line; then lines and answers have little to do with each other."""
    attack = AttributeInference(auxiliary=Auxiliary(rows=100))
    view, _ = observed(attack, "split-network", "active")
    results, known = intermediate_results(view), view.knowledge.auxiliary
    learned, asked = attack._lines(view, known)
    place = {row: place for place, row in enumerate(results.rows.tolist())}
    for line, row in zip(learned, known.rows.tolist(), strict=True):
        assert np.array_equal(line, np.concatenate([kind[place[row]] for kind in results.of.values()]))
    assert asked.shape == (len(view.knowledge.train), 64)
    accuracy = np.mean([attack.run(view, np.random.default_rng(seed)).notes["accuracy"] for seed in range(3)])
    order = np.random.default_rng(0).permutation(len(learned))
    rows, has = known.rows[order].tolist(), known.has[order]
    stacked = np.stack([kind[[place[row] for row in rows]] for kind in results.of.values()])
    scrambled = stacked.reshape(len(learned), -1)  # (4, n, 16) read as (n, 64): four rows in a line
    score = SmallNetwork().fitted(scrambled[::2], has[::2], np.random.default_rng(0))
    assert accuracy > 0.85 > 0.15 + ((score(scrambled[1::2]) > 0.5) == has[1::2]).mean()


def test_people_whom_nobody_else_knows_are_learned_from_and_not_counted():
    attack = AttributeInference(auxiliary=Auxiliary(rows=30, aligned=False))
    assert attack.tampering is not None
    view, true = observed(attack, "split-network", "active")
    learned, asked = attack._lines(view, view.knowledge.auxiliary)
    assert len(learned) == 60 and len(asked) == len(view.knowledge.train) - 60
    assert abs(attack.run(view, np.random.default_rng(0)).fraction - true) < 0.15


def test_own_columns_need_nothing_but_auxiliary_rows():
    attack = AttributeInference(inputs="columns", auxiliary=Auxiliary(aligned=False))
    assert attack.tampering is None and attack.needs.lines() == [
        "rows of which it knows whether they have the property"
    ]
    for federation in ("forest", "logistic-regression"):
        for finding in seepage.audit(
            "breast_cancer", federations=[federation], properties=[LARGE], defenses=[], seeds=1,
            attacks=["attribute-inference", {"name": "attribute-inference", "settings": {"inputs": "columns"}}],
        ):  # fmt: skip
            assert finding.status == "ok" and finding.role == "baseline"
            assert {"accuracy", "largest_score", "error_averaged"} <= set(finding.other_metrics)
            assert "distinguishing" in finding.bounds


def test_gaps_in_own_columns_are_filled():
    rng = np.random.default_rng(0)
    has = rng.permutation(600) < 200
    columns = np.stack([4.0 * has, rng.normal(size=600)], axis=1)
    columns[::7, 1] = np.nan
    assert abs(run(view_of(columns, has, known=100)).fraction - 1 / 3) < 0.02


def test_what_is_lacking_is_said():
    attack = AttributeInference(inputs="columns")
    bare = view_of(np.zeros((40, 0)), np.arange(40) < 20, known=20)
    with pytest.raises(IncompatibleView, match="has no columns to read"):
        attack.run(bare, np.random.default_rng(0))
    unknown = replace(bare, knowledge=replace(bare.knowledge, auxiliary=None))
    with pytest.raises(IncompatibleView, match="No auxiliary rows are known"):
        attack.run(unknown, np.random.default_rng(0))
    with pytest.raises(BadSetting, match=r"network\.passes must be 1 or more, got 0"):
        seepage.audit(
            "iris", federations=["logistic-regression"], properties=["sepal length (cm)=6.."], defenses=[], seeds=1,
            attacks=[{"name": "attribute-inference", "settings": {"network": {"passes": 0}}}],
        )  # fmt: skip
