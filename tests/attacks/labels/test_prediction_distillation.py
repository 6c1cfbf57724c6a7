"""Labels learned from predictions that everybody is sent."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from samples import small_data
from seepage.attacks.labels.prediction_distillation import PredictionDistillation
from seepage.audit.stages.chaining import threat_for
from seepage.defenses import DEFENSES
from seepage.errors import IncompatibleView
from seepage.federations import FEDERATIONS
from seepage.messages import Kind
from seepage.randomness import stream
from seepage.reasons import PredictionsHidden
from seepage.views import grant, observe
from trained_runs import guarded, trained

QUICK = {"split-network": {"epochs": 5}, "boosting": {"trees": 3}}
ATTACK = PredictionDistillation()


def guessed(name, data, *, shown=True, hooks=None):
    run = trained(FEDERATIONS[name](**QUICK.get(name, {})), data, hooks=hooks)
    run.release(data.test, shown=shown)
    knowledge = grant(data, threat_for(ATTACK, data.passive), stream(0, "knowledge"))
    view = observe(run.transcript, knowledge, ATTACK.needs)
    return ATTACK.run(view, stream(0, "attack")), view


@pytest.mark.parametrize("name", list(FEDERATIONS))
def test_every_federation_that_shows_predictions_teaches_labels(name):
    data = small_data("wine")
    guess, view = guessed(name, data)
    known = view.knowledge.known_rows
    assert set(guess.rows) == set(data.train) - set(known) and guess.notes["predictions"] == len(data.test)
    assert np.mean(guess.labels == data.labels[guess.rows]) > 0.75  # the largest class is 0.4


def test_it_is_as_good_as_a_forest_that_regresses_confidences():
    data = small_data("breast_cancer")
    guess, view = guessed("boosting", data)
    (message,) = view.received(Kind.PREDICTION)
    own, known = view.knowledge.features, view.knowledge.known_rows
    learned = np.concatenate((message.rows, np.repeat(known, 3)))
    taught = np.concatenate((message.payload["confidence"][:, 1], np.repeat(view.knowledge.known_labels, 3)))
    forest = ExtraTreesRegressor(200, min_samples_leaf=2, random_state=0).fit(own[learned], taught)
    plain = np.mean((forest.predict(own[guess.rows]) > 0.5) == data.labels[guess.rows])
    assert np.mean(guess.labels == data.labels[guess.rows]) > plain - 0.02


def test_replaced_labels_protect_little_against_it():
    data = small_data("breast_cancer")
    guess, _ = guessed("boosting", data, hooks=guarded(DEFENSES["label-dp"](epsilon=1.0), data))
    assert np.mean(guess.labels == data.labels[guess.rows]) > 0.85


def test_predictions_that_are_kept_teach_nobody():
    data = small_data("wine")
    with pytest.raises(IncompatibleView, match="received no prediction messages"):
        guessed("boosting", data, shown=False)
    agreement = FEDERATIONS["boosting"]().agreement(data)
    hidden = type("Shown", (), {"model": True, "predictions": False})()
    reason = ATTACK.needs.unmet(agreement, threat_for(ATTACK, data.passive, shown=hidden))
    assert reason == PredictionsHidden("active") and "--hide-predictions" in str(reason)
    assert ATTACK.needs.unmet(agreement, threat_for(ATTACK, data.passive)) is None
