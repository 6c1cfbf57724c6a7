import json
from dataclasses import replace

import numpy as np
import pytest

from samples import small_data, without_active_columns
from seepage.audit.reliance.pictures import run_pictures
from seepage.federations.boosting import Boosting
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.randomness import stream
from seepage.transcript import Epochs, Recording
from trained_runs import trained as trained_first

LAST = Recording(snapshots=Epochs.only(-1))


def trained(federation, data, record=LAST):
    return trained_first(federation, data, record=record).transcript


def drawn(transcript, data, *adversaries, seed=0):
    return run_pictures(transcript, data, adversaries, stream(seed, "pictures"))


@pytest.fixture(scope="module")
def tables():
    data = small_data(parties=3)
    transcript = trained(SplitNetwork(epochs=2, hidden=(8,), cut=4), data)
    return data.training_on(data.train[:80]), transcript  # so few are laid out in no time


def test_tables_have_a_projection_and_shares_that_add_up_to_one(tables):
    data, transcript = tables
    pictures = drawn(transcript, data, "passive-1")
    assert list(pictures) == ["projection", "reliance"]
    assert pictures["projection"]["classes"] == 2
    assert sum(count for *_, count in pictures["projection"]["counts"]) == len(data.train)
    assert set(pictures["reliance"]) == set(data.parties)
    assert sum(pictures["reliance"].values()) == pytest.approx(1.0, abs=1e-5)
    assert json.loads(json.dumps(pictures, allow_nan=False)) == pictures
    assert drawn(transcript, data, "passive-1") == pictures
    quick = run_pictures(transcript, data, ("passive-1",), stream(0, "pictures"), projected=False)
    assert quick == {"reliance": pictures["reliance"]}


def test_several_adversaries_lay_their_outputs_side_by_side(tables):
    data, transcript = tables
    both, one = (drawn(transcript, data, *names) for names in (("passive-1", "passive-2"), ("passive-1",)))
    assert both["projection"] != one["projection"] and both["reliance"] == one["reliance"]


def test_pictures_have_maps_from_left_to_right():
    data = small_data("digits", kind="halves")
    federation = SplitNetwork(epochs=1, bottom="resnet", planes=(4, 8), cut=4)
    pictures = drawn(trained(federation, data), data.training_on(data.train[:40]), "passive")
    assert [entry["party"] for entry in pictures["attention"]] == ["active", "passive"]
    assert {len(entry["map"]) for entry in pictures["attention"]} == {4}
    assert sum(pictures["reliance"].values()) == pytest.approx(1.0, abs=1e-5)


def test_a_label_holder_without_columns_has_no_share():
    data = without_active_columns(small_data())
    transcript = trained(SummedNetwork(epochs=1, hidden=(4,)), data)
    few = data.training_on(data.train[:40])
    pictures = drawn(transcript, few, "passive")
    assert pictures["reliance"] == {"passive": 1.0} and "projection" in pictures
    assert list(drawn(transcript, few, "active")) == ["reliance"]


def test_trees_and_runs_without_snapshots_have_no_pictures():
    data = small_data()
    assert drawn(trained(Boosting(trees=1), data), data, "passive") == {}
    assert drawn(trained(SplitNetwork(epochs=1), data, Recording()), data, "passive") == {}


def test_columns_that_were_left_out_are_left_out_here_and_what_does_not_fit_is_not_drawn(tables):
    data, transcript = tables
    part = data.parts["passive-1"]
    wider = replace(part, names=("more", *part.names), features=np.pad(part.features, ((0, 0), (1, 0))))
    screened = replace(data, parts={**data.parts, "passive-1": wider})
    assert drawn(transcript, screened, "passive-1") == drawn(transcript, data, "passive-1")
    nameless = replace(transcript, snapshots=tuple(replace(taken, columns=()) for taken in transcript.snapshots))
    assert drawn(nameless, data, "passive-1") == drawn(transcript, data, "passive-1")
    assert drawn(nameless, screened, "passive-1") == {}
    assert list(drawn(nameless, screened, "passive-2")) == ["projection"]


def test_a_model_that_diverged_has_no_projection(tables):
    data, transcript = tables
    lost = tuple(
        replace(taken, state={name: np.full_like(array, np.inf) for name, array in taken.state.items()})
        for taken in transcript.snapshots
    )
    assert drawn(replace(transcript, snapshots=lost), data, "passive-1") == {}
