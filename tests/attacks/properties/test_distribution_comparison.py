"""Distribution comparison through small federations: who sees what, and what comes out."""

from dataclasses import replace

import numpy as np
import pytest

import seepage
from property_runs import LARGE
from samples import small_data
from seepage.attacks.properties.distribution_comparison import DistributionComparison
from seepage.attacks.steps.norms.distribution_comparison import Comparison, compared_results
from seepage.errors import IncompatibleView
from seepage.federations.split_network import SplitNetwork
from seepage.hooks import Hooks
from seepage.randomness import stream
from seepage.views import Auxiliary, ThreatModel, grant, observe
from seepage.views.intermediate_results import IntermediateResults
from trained_runs import trained

QUICK = Comparison(populations=40, population=100, step=5, queries=5, quantiles=20)
FRACTIONS = {0.0, 0.25, 0.5, 0.75, 1.0}


def view_of(attack: DistributionComparison, adversary: tuple[str, ...] = (), epochs: int = 3):
    """Train a small network as the attack asks for and look at it as the adversary does."""
    data = small_data("breast_cancer", adversary=adversary, properties=(LARGE,))
    adversaries = adversary or (data.active,)
    threat = ThreatModel(adversaries=adversaries, property=LARGE, auxiliary=attack.auxiliary)
    knowledge = grant(data, threat, stream(0, "knowledge"))
    begin = attack.tampering
    tamperings = {} if begin is None else {party: begin(knowledge, stream(0, "tampering")) for party in adversaries}
    network = SplitNetwork(hidden=(8,), cut=4, top=(), epochs=epochs)
    run = trained(network, data, hooks=Hooks(tamperings=tamperings), record=attack.needs.recording())
    return observe(run.transcript, knowledge)


def test_an_active_adversary_averages_over_four_kinds_of_results():
    attack = DistributionComparison(comparison=QUICK)
    view = view_of(attack)
    guess = attack.run(view, np.random.default_rng(0))
    assert set(guess.others) == {"AO", "AG", "VO", "VG"} == set(guess.pictures)
    assert guess.fraction == pytest.approx(np.mean(list(guess.others.values())))
    assert {f"{name}_{gap}" for name in ("kl", "js", "bc") for gap in (25, 100)} <= set(guess.notes)
    for picture in guess.pictures.values():
        assert set(picture.shares) == FRACTIONS
        assert all(
            shares.sum() == pytest.approx(1) and len(shares) + 1 == len(picture.edges)
            for shares in picture.shares.values()
        )
    again = attack.run(view, np.random.default_rng(0))
    assert (again.fraction, again.others, again.notes) == (guess.fraction, guess.others, guess.notes)


def test_gradients_as_they_were_sent_may_say_something_else():
    replayed, sent = (
        DistributionComparison(comparison=QUICK, gradients=gradients) for gradients in ("replayed", "sent")
    )
    view = view_of(sent)
    guesses = [attack.run(view, np.random.default_rng(0)) for attack in (replayed, sent)]
    assert guesses[0].others["VO"] == guesses[1].others["VO"]
    assert guesses[0].others["VG"] != guesses[1].others["VG"]


def test_a_passive_adversary_has_its_own_outputs_alone():
    attack = DistributionComparison(comparison=QUICK)
    guess = attack.run(view_of(attack, ("passive",)), np.random.default_rng(0))
    assert set(guess.others) == {"AO"} == set(guess.pictures)
    assert guess.fraction == guess.others["AO"]
    assert 0 < guess.notes["kl_25"] < guess.notes["kl_100"]


def test_people_who_stand_in_are_learned_from_but_not_asked_about():
    attack = DistributionComparison(comparison=QUICK, auxiliary=Auxiliary(aligned=False))
    view = view_of(attack)
    assert set(attack.run(view, np.random.default_rng(0)).others) == {"AO"}
    known = view.knowledge.auxiliary
    assert known is not None and not known.aligned
    rows = np.sort(view.knowledge.train)
    norms = np.ones(len(rows))
    norms[np.searchsorted(rows, known.rows)] = known.has  # everybody else is as those with the property are
    results = IntermediateResults(rows, {"AO": norms[:, None]})
    assert compared_results(results, known, QUICK, np.random.default_rng(0)).fraction > 0.99
    aligned = compared_results(results, replace(known, source=known.rows), QUICK, np.random.default_rng(0)).fraction
    assert aligned == pytest.approx(norms.mean(), abs=0.03)


def test_an_audit_finds_a_property_that_shapes_the_embeddings():
    settings = {"auxiliary": {"rows": 60}, "comparison": {"population": 400, "quantiles": 20}}
    tried = {"federations": "split-network:epochs=5", "defenses": [], "seeds": 1, "properties": [LARGE]}
    attacks = [{"name": "distribution-comparison", "settings": settings}]
    (finding,) = seepage.audit("breast_cancer", attacks=attacks, **tried)
    assert finding.status == "ok" and finding.property == LARGE
    assert finding.value < 0.15
    assert {"error_AO", "error_AG", "error_VO", "error_VG", "js_100"} <= set(finding.other_metrics)


def test_without_auxiliary_rows_there_is_nothing_to_compare_with():
    attack = DistributionComparison(comparison=QUICK)
    view = view_of(attack)
    unknowing = replace(view, knowledge=replace(view.knowledge, auxiliary=None))
    with pytest.raises(IncompatibleView, match="No auxiliary rows are known"):
        attack.run(unknowing, np.random.default_rng(0))


def test_training_that_ran_away_is_refused_with_a_reason():
    view = view_of(DistributionComparison(comparison=QUICK))
    rows = np.sort(view.knowledge.train)
    results = IntermediateResults(rows, {"AO": np.full((len(rows), 1), np.nan)})
    with pytest.raises(IncompatibleView, match="Some norms of AO are no numbers"):
        compared_results(results, view.knowledge.auxiliary, QUICK, np.random.default_rng(0))
