"""What is granted, and nothing else."""

import numpy as np
import pytest

from hand_made import agreed
from samples import small_data
from seepage.errors import BadSetting, Remark, UnknownName
from seepage.randomness import stream
from seepage.transcript import Transcript
from seepage.views import Knowledge, ThreatModel, grant, observe


def test_so_many_labels_of_each_class_are_granted_from_training_rows():
    data = small_data("iris")
    knowledge = grant(data, ThreatModel(adversaries=("passive",), labels_per_class=4), stream(0, "knowledge"))
    assert np.bincount(knowledge.known_labels).tolist() == [4, 4, 4]
    assert np.array_equal(knowledge.known_labels, data.labels[knowledge.known_rows])
    assert set(knowledge.known_rows) <= set(data.train)
    assert knowledge.summary() == {"own_columns": 2, "known_labels": 12, "model": True}


def test_more_labels_than_a_class_has_are_refused_by_name():
    data = small_data("iris")
    with pytest.raises(BadSetting, match="class 'setosa' has only 40 training rows"):
        grant(data, ThreatModel(adversaries=("passive",), labels_per_class=41), stream(0, "knowledge"))


def test_of_a_class_with_too_few_rows_half_are_known_and_that_is_said():
    data = small_data("iris")
    rare = data.train[data.labels[data.train] == 0]
    data = data.training_on(np.setdiff1d(data.train, rare[3:]))
    with pytest.warns(Remark, match=r"of classes with fewer training rows the adversary knows half: 'setosa' \(3\)"):
        knowledge = grant(data, ThreatModel(adversaries=("passive",), labels_per_class=4), stream(0))
    assert np.bincount(knowledge.known_labels).tolist() == [2, 4, 4]
    assert np.isin(knowledge.known_rows[:2], rare[:3]).all()


def test_colluding_parties_put_their_columns_side_by_side():
    data = small_data("breast_cancer", parties=3)
    knowledge = grant(data, ThreatModel(adversaries=("passive-1", "passive-2")), stream(0, "knowledge"))
    own = [data.parts[name].features for name in ("passive-1", "passive-2")]
    assert np.array_equal(knowledge.features, np.hstack(own))


def test_an_adversary_that_is_no_party_is_refused():
    with pytest.raises(UnknownName, match="No party is called 'c'"):
        observe(Transcript(agreed(parties=("a", "b"))), Knowledge(threat=ThreatModel(adversaries=("c",))))
