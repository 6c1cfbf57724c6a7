"""Shadow models: they tell the fraction where the joint model is one of them, and not where it is another."""

from dataclasses import replace

import numpy as np
import pytest

import seepage
from hand_made import agreed, own_part
from property_runs import LARGE, observed
from seepage.attacks.properties.shadow_models import ShadowModels, draw_population, shadow_confidences, tell
from seepage.errors import BadSetting, IncompatibleView
from seepage.messages import Kind, Message
from seepage.transcript import Transcript
from seepage.views import Auxiliary, Knowledge, KnownRows, ThreatModel, observe

FEW = {"shadows": 20, "population": 300}


def people(rows, rng):
    """Columns, labels and a property: who has it has label 1 more often, so that models give it more confidence."""
    has = rng.uniform(size=rows) < 0.5
    columns = rng.normal(size=(rows, 2))
    labels = ((np.where(has, 1.0, -1.0) + columns[:, 0] + rng.normal(size=rows)) > 0).astype(np.int64)
    return columns, labels, has


def view_of(fraction, seed=0, lost=False):
    """A joint model that was trained on own columns of a population; or one that is not like that at all."""
    rng = np.random.default_rng(seed)
    columns, labels, has = people(4000, rng)
    asked, new = np.arange(2000), np.arange(3500, 4000)
    trained = 2000 + draw_population(has[2000:3500], fraction, 600, rng)
    said = shadow_confidences(columns[trained], labels[trained], columns[new], 2)
    if lost:
        said = np.eye(2)[labels[new]] * 0.98 + 0.01
    message = Message(Kind.PREDICTION, "bank", "bank", -1, 0, new, {"confidence": said})
    knowledge = Knowledge(
        threat=ThreatModel(adversaries=("bank",), property="p=1", auxiliary=Auxiliary()),
        own={"bank": own_part("bank", columns.astype(np.float32), labels=labels)},
        train=np.arange(3500), new=new, auxiliary=KnownRows(asked, asked, has[asked]),
    )  # fmt: skip
    return observe(Transcript(agreed(outputs=4), (message,)), knowledge)


def audited(data, settings, asked, **plan):
    attacks = [{"name": "shadow-models", "settings": settings}]
    tried = {"federations": "forest", "attacks": attacks, "properties": [asked], "defenses": [], "seeds": 1, **plan}
    (finding,) = seepage.audit(data, **tried)
    return finding


def run(view, seed=0, **settings):
    return ShadowModels(**{**FEW, **settings}).run(view, np.random.default_rng(seed))


@pytest.mark.parametrize("fraction", [0.2, 0.8])
def test_a_model_like_its_shadows_gives_its_fraction_away(fraction):
    guesses = [run(view_of(fraction, seed), shadows=40, population=600) for seed in range(3)]
    assert abs(np.mean([guess.fraction for guess in guesses]) - fraction) < 0.08
    assert all(guess.notes["shadow_error"] < 0.1 and guess.notes["distance"] < 1.5 for guess in guesses)


@pytest.mark.parametrize("true", [0.3, 0.5])
def test_of_two_worlds_the_right_one_is_named(true):
    guesses = [run(view_of(true, seed), fractions=(0.5, 0.3)) for seed in range(3)]
    assert [guess.fraction for guess in guesses] == [true] * 3
    assert all(guess.notes["shadow_accuracy"] > 0.9 for guess in guesses)


def test_a_model_that_is_none_of_its_shadows_says_nothing_about_the_fraction():
    """A joint model that knows more is surer; its confidences are the same here in all worlds."""
    one, other = (run(view_of(fraction, lost=True)) for fraction in (0.1, 0.9))
    assert one.fraction == other.fraction and one.notes["distance"] > 1.5


@pytest.mark.parametrize("federation", ["split-network", "forest"])
def test_it_runs_where_predictions_are_released(federation):
    view, _ = observed(ShadowModels(**FEW), federation, "active")
    one, two, other = (run(view, seed) for seed in (0, 0, 1))
    assert 0 <= one.fraction <= 1 and one.fraction == two.fraction
    assert one.notes == two.notes and one.notes != other.notes


def test_replicas_read_the_columns_of_everybody():
    attack = ShadowModels(shadows=12, population=300, replicate=True)
    assert attack.needs.complete and not ShadowModels().needs.complete
    view, _ = observed(attack, "split-network", "active")
    known, (others,) = view.knowledge.auxiliary, view.knowledge.complete.values()
    told = np.isin(np.arange(len(others)), np.concatenate([known.source, view.knowledge.new]))
    assert np.isfinite(others[told]).all() and np.isnan(others[~told]).all()
    one, two, plain = attack.run(view, np.random.default_rng(0)), attack.run(view, np.random.default_rng(0)), run(view)
    assert one.fraction == two.fraction and 0 <= one.fraction <= 1 and one.notes != plain.notes
    with pytest.raises(IncompatibleView, match="others' columns are not known"):
        attack.run(replace(view, knowledge=replace(view.knowledge, complete={})), np.random.default_rng(0))


def test_an_audit_says_that_replicas_know_more_than_any_party():
    finding = audited("breast_cancer", {"shadows": 4, "population": 100, "replicate": True}, LARGE)
    assert finding.status == "ok" and finding.knowledge["complete"] is True


def test_several_classes_and_classes_that_a_population_lacks():
    said = shadow_confidences(np.zeros((4, 1)), np.array([2, 2, 2, 2]), np.zeros((3, 1)), 3)
    assert np.array_equal(said, np.tile([0.0, 0.0, 1.0], (3, 1)))
    held = {leaf: [f"{leaf} length (cm)", f"{leaf} width (cm)"] for leaf in ("sepal", "petal")}
    finding = audited("iris", FEW, "petal length (cm)=4..", federations="logistic-regression", parties=held)
    assert finding.status == "ok" and finding.role == "baseline" and not finding.bounds


def test_misaligned_people_and_gaps_are_no_obstacle():
    attack = ShadowModels(**FEW, auxiliary=Auxiliary(rows=20, aligned=False))
    assert attack.tampering is None
    view, _ = observed(attack, "forest", "active")
    view.knowledge.own["active"].features[::5, 0] = np.nan
    assert 0 <= attack.run(view, np.random.default_rng(0)).fraction <= 1


def test_who_lacks_labels_columns_or_auxiliary_rows_is_told():
    finding = audited("breast_cancer", {}, LARGE, adversary=["passive"])
    assert finding.status == "not applicable" and "labels of the training rows are needed" in finding.reason
    view = view_of(0.5)
    part = view.knowledge.own["bank"]
    bare = replace(part, features=np.zeros((4000, 0), dtype=np.float32), columns=(), names=())
    with pytest.raises(IncompatibleView, match="no columns of its own that a shadow model could read"):
        run(replace(view, knowledge=replace(view.knowledge, own={"bank": bare})))
    with pytest.raises(IncompatibleView, match="No auxiliary rows are known"):
        run(replace(view, knowledge=replace(view.knowledge, auxiliary=None)))
    with pytest.raises(IncompatibleView, match="received no prediction messages"):
        run(replace(view, messages=()))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"shadows": 1}, "shadows must be 2 or more, got 1"),
        ({"population": 0}, "population must be 1 or more, got 0"),
        ({"quantiles": 0}, "quantiles must be 1 or more, got 0"),
        ({"strength": 0.0}, "strength must be above 0 and finite, got 0.0"),
        ({"fractions": (0.3, 0.3)}, "two different ones between 0 and 1, got 0.3 and 0.3"),
        ({"fractions": (-0.1, 0.3)}, "two different ones between 0 and 1, got -0.1 and 0.3"),
        ({"fractions": (0.3, 1.2)}, "two different ones between 0 and 1, got 0.3 and 1.2"),
    ],
)
def test_settings_are_checked(settings, complaint):
    with pytest.raises(ValueError, match=complaint):
        ShadowModels(**settings)
    with pytest.raises(BadSetting, match=complaint):
        audited("iris", settings, "petal length (cm)=4..")


def test_populations_have_the_fraction_that_is_asked_for():
    rng = np.random.default_rng(0)
    has = np.arange(100) < 30
    for fraction in (0.0, 0.25, 1.0):
        drawn = draw_population(has, fraction, 20, rng)
        assert len(np.unique(drawn)) == 20 and has[drawn].mean() == fraction
    assert has[draw_population(has, 0.9, 200, rng)].sum() == 180  # more than there are: some come twice


def test_two_shadows_are_enough_to_guess_and_too_few_to_judge_by():
    vectors, fractions = np.array([[0.1, 0.2], [0.8, 0.9]]), np.array([0.2, 0.6])
    told = tell(vectors, fractions, np.array([0.7, 0.9]), np.random.default_rng(0), worlds=True)
    assert told.fraction == 0.6 and told.quality is None
    view = view_of(0.5)
    assert "shadow_error" not in run(view, shadows=2).notes
    assert "shadow_accuracy" not in run(view, shadows=3, fractions=(0.2, 0.8)).notes
