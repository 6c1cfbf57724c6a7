"""Predictions are tried out on a mimicked attack; what a party objects to never leaves."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

import seepage
from made_up_attacks import OnLabels
from samples import small_data
from seepage.attacks import ATTACKS
from seepage.audit.stages.applicability import Guarded, unsuited
from seepage.audit.stages.verification import (
    Mimicry,
    NothingToVerify,
    Released,
    columns_of,
    mimicry,
    release_predictions,
    released_utility,
)  # fmt: skip
from seepage.defenses.predictions.output_verification import PUBLISHED, OutputVerification, value_errors
from seepage.defenses.predictions.rounding import Rounding
from seepage.errors import BadSetting, IncompatibleView, UnknownName
from seepage.federations import FEDERATIONS
from seepage.guesses import Branches, BranchGuess, FeatureGuess
from seepage.hooks import Hook
from seepage.messages import Kind, ModelKind
from seepage.randomness import stream
from seepage.reasons import MimicLacks, MimicsHidden, NothingToMimic, OtherModel
from seepage.scores import utility
from seepage.transcript import Transcript
from seepage.views import Needs, ThreatModel
from seepage.views.joint_columns import joint_columns
from seepage.views.released import released_predictions
from trained_runs import trained as trained_first


@dataclass(frozen=True)
class Given(OnLabels):
    """An attack that is handed what it guesses, from what it saw."""

    guess: Any
    name: ClassVar[str] = "given"
    steals: ClassVar[str] = "features"
    rows: ClassVar[str] = "new"
    needs: ClassVar[Needs] = Needs(
        received=frozenset({Kind.MODEL, Kind.PREDICTION, Kind.EMBEDDING}), models=frozenset(ModelKind), active=True
    )

    def run(self, view, rng):
        return self.guess(view, rng)


def trained(data, federation="logistic-regression"):
    run = trained_first(federation, data)
    run.release_model()
    return run


def hooks_of(data, limit):
    return {p: OutputVerification(limit=limit).start(data.parts[p], stream(0, "d", p)) for p in data.parties}


def wanted(attack, data, *colluding):
    return Mimicry(attack, ThreatModel(adversaries=(data.active, *colluding)))


def half(view, rng):
    """Guess ½ everywhere, for every row that was predicted."""
    columns, said = joint_columns(view).targets, released_predictions(view)
    return FeatureGuess(said.rows, columns, np.full((len(said.rows), len(columns)), 0.5))


def released_by(run):
    return [message for message in run.messages if message.kind is Kind.PREDICTION]


def test_rows_below_the_limit_are_never_released_and_all_others_are():
    data = small_data("wine", parties=3)
    run = trained(data)
    limit = 0.05
    done = release_predictions(run, data, hooks_of(data, limit), wanted(Given(half), data), 0, "")
    off = []
    for party in data.passive:
        part = data.parts[party]
        columns = tuple((party, name) for name in part.names)
        off.append(value_errors(part, FeatureGuess(data.test, columns, np.full((len(data.test), part.width), 0.5))))
    below = (np.array(off) < limit).any(axis=0)
    assert 0 < below.sum() < len(below)
    assert np.array_equal(done.withheld, below)
    sent = {int(row) for message in released_by(done.transcript) for row in message.rows}
    assert sent == set(data.test[~below].tolist())
    assert np.allclose(done.confidences[below], 1 / 3)
    assert np.array_equal(done.confidences[~below], run.predict(data.test[~below]))


@pytest.mark.parametrize(("limit", "share"), [(0.0, 0.0), (1e9, 1.0)])
def test_no_limit_withholds_nothing_and_an_enormous_one_everything(limit, share):
    data = small_data("wine")
    done = release_predictions(trained(data), data, hooks_of(data, limit), wanted(Given(half), data), 0, "")
    assert done.withheld.mean() == share
    assert bool(released_by(done.transcript)) == (share == 0)


def test_what_crosses_while_predictions_are_tried_out_is_in_no_transcript():
    data = small_data("wine")
    for federation in ("summed-network", "decision-tree"):
        run = trained(data, federation)
        before = len(run.transcript.messages)
        done = release_predictions(run, data, hooks_of(data, 0.06), wanted(Given(half), data), 0, "")
        rows = set(data.test[~done.withheld].tolist())
        new = done.transcript.messages[before:]
        assert 0 < len(rows) < len(data.test) and new
        assert {int(row) for message in new for row in message.rows} <= rows


def test_the_mimicked_attack_sees_what_the_adversary_would_have_seen():
    data = small_data("wine", parties=3)
    run = trained(data, "split-network")
    seen = []

    def look(view, rng):
        seen.append(view)
        return half(view, rng)

    release_predictions(run, data, hooks_of(data, 0.0), wanted(Given(look), data), 0, "")
    (view,) = seen
    assert np.array_equal(released_predictions(view).confidences, run.predict(data.test))
    assert view.adversaries == (data.active,) and set(view.knowledge.own) == {data.active}
    assert all(data.active in (message.sender, message.receiver) for message in view.messages)


def test_each_party_is_shown_its_own_columns_and_adversaries_are_not_asked():
    data = small_data("wine", parties=4)
    shown = {}

    def watching(party):
        def act(verification):
            shown[party] = verification.guess
            return verification

        return Hook(verification=act)

    def everything(view, rng):
        return replace(half(view, rng), notes={"error": 1.0})

    hooks = {party: watching(party) for party in data.parties}
    one, two, three = data.passive
    release_predictions(trained(data), data, hooks, wanted(Given(everything), data, one), 0, "")
    assert set(shown) == {two, three}
    for party in (two, three):
        assert shown[party].columns == tuple((party, name) for name in data.parts[party].names)
        assert not shown[party].notes


def test_a_party_decides_without_knowing_what_others_hold():
    data = small_data("wine", parties=3)
    one, two = data.passive
    run = trained(data)
    own = hooks_of(data, 0.05)[one]
    other = replace(data.parts[two], features=np.zeros_like(data.parts[two].features))
    scrambled = replace(data, parts={**data.parts, two: other})
    found = [
        release_predictions(run, table, {one: own}, wanted(Given(half), data), 0, "").withheld
        for table in (data, scrambled)
    ]
    assert found[0].any() and np.array_equal(*found)


def test_leaves_that_a_party_cannot_tell_apart_are_one_to_it():
    columns = (("shop", "visits"), ("inn", "nights"), ("shop", "rate"))
    paths = np.array([[1, 1, 0], [1, -1, 0], [-1, 0, 1], [-1, 0, -1]], dtype=np.int8)
    branches = Branches(columns, np.arange(3.0), np.arange(3.0), np.array([True, False, False]), paths)
    every = np.ones((4, 4), dtype=bool)
    guess = BranchGuess(np.arange(4), branches, np.arange(4), every, every)
    shop, inn, none = columns_of(guess, "shop"), columns_of(guess, "inn"), columns_of(guess, "bank")
    assert shop.branches.columns == (columns[0], columns[2]) and shop.leaf[0] == shop.leaf[1]
    assert np.array_equal(shop.branches.paths[shop.leaf], paths[:, [0, 2]])
    assert inn.leaf[2] == inn.leaf[3] and np.array_equal(inn.branches.paths[inn.leaf], paths[:, [1]])
    assert none.branches.columns == () and set(none.leaf.tolist()) == {0}
    assert not shop.candidates.any() and not shop.reachable.any()


def test_without_a_verifying_defense_nothing_is_withheld_and_utility_is_as_ever():
    data = small_data("wine")
    run = trained(data)
    assert mimicry(Rounding(), run.transcript.agreement, ()) is None
    assert mimicry(None, run.transcript.agreement, ()) is None
    done = release_predictions(run, data, {}, None, 0, "")
    assert not done.withheld.any()
    assert released_utility(data.labels[data.test], done) == utility(data.labels[data.test], run.predict(data.test))


def test_withheld_rows_are_worth_a_blind_choice_of_class():
    labels = np.array([0, 0, 1, 2])
    confidences = np.array([[1.0, 0, 0], [1 / 3] * 3, [0, 1.0, 0], [1 / 3] * 3])
    terms = FEDERATIONS["logistic-regression"]().agreement(small_data("iris"))
    withheld = np.array([False, True, False, True])
    metric, value, metrics = released_utility(labels, Released(confidences, withheld, Transcript(terms)))
    assert metric == "accuracy" and value == pytest.approx((1 + 1 / 3 + 1 + 1 / 3) / 4)
    assert metrics["withheld"] == 0.5


def test_an_attack_that_is_not_on_features_is_refused_and_an_unknown_one_suggested():
    terms = FEDERATIONS["logistic-regression"]().agreement(small_data("iris"))
    with pytest.raises(BadSetting, match="mimic is 'gradient-sign', which goes for labels"):
        mimicry(OutputVerification(mimic="gradient-sign"), terms, ())
    with pytest.raises(UnknownName, match="did you mean 'equality-solving'"):
        mimicry(OutputVerification(mimic="equality-solve"), terms, ())


def test_the_adversary_is_the_one_supposed_if_the_active_party_is_in_it():
    terms = FEDERATIONS["logistic-regression"]().agreement(small_data("wine", parties=3))
    one, _ = terms.passive
    for adversary, expected in (((), ("active",)), (("active", one), ("active", one)), ((one,), ("active",))):
        assert mimicry(OutputVerification(), terms, adversary).threat.adversaries == expected


def test_where_nothing_can_be_mimicked_the_reason_is_given():
    data = small_data("iris")

    def hindered(defense, name="logistic-regression", *, model=True):
        made = FEDERATIONS[name]()
        return unsuited(Guarded(made, defense, "verifying"), made.agreement(data), model=model)

    verify, other = OutputVerification(), OutputVerification(mimic="path-restriction")
    assert hindered(verify, "boosting") == NothingToMimic("verifying", "boosted forest", "boosting")
    assert hindered(verify, model=False) == MimicsHidden("verifying", "equality-solving", "logistic-regression")
    assert hindered(other) == MimicLacks(
        "verifying", "path-restriction", OtherModel("logistic-regression", "linear model", ("tree",))
    )
    assert hindered(verify) is None and hindered(Rounding()) is None


def audited(data="iris", limit=None, **plan):
    usual = {"attacks": "equality-solving", "federations": "logistic-regression", "seeds": 1}
    verifying = "output-verification" if limit is None else f"output-verification:limit={limit}"
    return seepage.audit(data, defenses=[verifying], encoding="ordinal", scaling="minmax", **{**usual, **plan})


def test_an_attack_with_nothing_to_infer_withholds_nothing_and_that_is_remarked():
    def refuse(view, rng):
        raise IncompatibleView("The tree never asks for a column of others.")

    data = small_data("wine")
    with pytest.warns(NothingToVerify, match="since given cannot be mimicked: The tree never asks"):
        done = release_predictions(trained(data), data, hooks_of(data, 1e9), wanted(Given(refuse), data), 0, "")
    assert not done.withheld.any()


def test_where_values_can_be_read_off_exactly_everything_is_withheld():
    table = small_data("iris")
    names = [name for part in table.parts.values() for name in part.columns]
    bare, defended = audited(parties={"active": names[:3], "passive": names[3:]}, limit=1e-6)
    assert bare.defense is None and bare.value < 1e-10 and bare.advantage > 0.99
    assert defended.status == "not applicable" and "predictions were withheld" in defended.reason
    assert defended.utility_metrics["withheld"] == 1.0 and defended.utility == pytest.approx(1 / 3)


def test_what_is_left_is_guessed_no_better_than_the_limit():
    bare, defended = audited("wine", limit=0.05)
    assert 0 < defended.utility_metrics["withheld"] < 1
    assert defended.utility_undefended == bare.utility
    assert defended.value >= 0.05 * (1 - defended.utility_metrics["withheld"])


def test_a_limit_of_zero_is_the_undefended_run():
    bare, defended = audited("wine", limit=0)
    assert defended.value == bare.value and defended.utility == bare.utility
    assert "withheld" not in defended.utility_metrics


def test_paths_down_a_tree_are_verified_too():
    bare, defended = audited("wine", attacks="path-restriction", federations="decision-tree")
    assert bare.status == "ok" and defended.status in {"ok", "not applicable"}
    assert defended.utility_metrics["withheld"] > 0


def test_hidden_models_leave_nothing_to_verify():
    findings = audited("wine", attacks="label-chain", model=False, undefended=False)
    assert [finding.status for finding in findings] == ["not applicable"]
    assert "models are hidden here" in findings[0].reason


def test_every_attack_that_is_mimicked_by_default_is_in_the_catalog():
    assert all(ATTACKS[name].steals == "features" for name in PUBLISHED.values())
