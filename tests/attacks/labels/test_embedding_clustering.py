"""Groups of the own bottom model's outputs: found where training pulled classes apart, and nowhere else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import SpectralClustering

from completion_runs import colluding_view, small_view, view_of
from samples import small_data
from seepage.attacks.labels.embedding_clustering import EmbeddingClustering
from seepage.attacks.labels.local_clustering import LocalClustering
from seepage.errors import IncompatibleView
from seepage.federations.split_network import SplitNetwork
from seepage.federations.summed_network import SummedNetwork
from seepage.learners.clustering import spectral_cut, standardized
from seepage.randomness import stream
from seepage.scores import v_measure
from seepage.views.own_bottoms import OwnBottoms


def groups(view, **chosen):
    return EmbeddingClustering(**chosen).run(view, stream(0, "attack"))


def clouds(rng, count=60, apart=4.0):
    """Rows of two directions and of all lengths, and which direction each has."""
    side = np.repeat([0, 1], count)
    middle = np.where(side[:, None] == 0, [[apart, 0.0, 0.0]], [[0.0, apart, 0.0]])
    return (rng.normal(size=(2 * count, 3)) + middle) * rng.lognormal(1.0, 1.5, (2 * count, 1)), side


@pytest.mark.parametrize(
    ("name", "federation"),
    [("breast_cancer", SplitNetwork(epochs=10)), ("digits", SummedNetwork(epochs=20))],
)
def test_outputs_after_training_show_classes_better_than_own_columns(name, federation):
    data = small_data(name)
    view = view_of(data, federation)
    found, alone = groups(view), LocalClustering().run(view, stream(0, "attack"))
    assert np.array_equal(found.rows, data.train)
    told, before = (v_measure(data.labels[data.train], one.clusters) for one in (found, alone))
    assert told > before + 0.03


def test_outputs_that_have_nothing_to_do_with_labels_tell_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(OwnBottoms, "outputs", lambda self, rows: rng.random((len(rows), 16), dtype=np.float32))
    data = small_data("breast_cancer")
    assert v_measure(data.labels[data.train], groups(small_view()).clusters) < 0.05


def test_the_cut_is_that_of_the_whole_graph_of_cosines():
    points, side = clouds(np.random.default_rng(0))
    units = points / np.linalg.norm(points, axis=1, keepdims=True)
    library = SpectralClustering(2, affinity="precomputed", random_state=0).fit_predict((1 + units @ units.T) / 2)
    found = spectral_cut(points, 2, np.random.default_rng(0))
    assert v_measure(library, found) == pytest.approx(1.0)
    assert v_measure(side, found) > 0.9


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_neither_the_length_of_a_row_nor_its_place_changes_the_cut(seed):
    rng = np.random.default_rng(seed)
    points, _ = clouds(rng, count=20)
    order = rng.permutation(len(points))
    moved = points[order] * rng.uniform(0.1, 10, (len(points), 1))
    one, two = (spectral_cut(some, 2, np.random.default_rng(0)) for some in (points, moved))
    assert v_measure(one[order], two) == pytest.approx(1.0)


@pytest.mark.parametrize("points", [np.zeros((5, 3)), np.ones((5, 3)), np.zeros((5, 0)), np.full((1, 2), 7.0)])
def test_rows_that_are_all_the_same_are_one_group(points):
    assert set(spectral_cut(points, 2, np.random.default_rng(0)).tolist()) == {0}


def test_rows_without_an_output_are_grouped_like_all_others():
    points, _ = clouds(np.random.default_rng(0))
    points[::7] = 0.0
    assert set(spectral_cut(points, 2, np.random.default_rng(0)).tolist()) == {0, 1}


def test_a_constant_output_weighs_nothing_and_the_others_weigh_the_same():
    made = standardized(np.array([[1.0, 1e8, 0.1], [3.0, 1e8, 0.1], [1.0, 1e8, 0.1]], dtype=np.float32))
    assert made.std(axis=0) == pytest.approx([1.0, 0.0, 0.0])


def test_the_method_is_a_choice_and_outputs_of_colluding_parties_lie_side_by_side():
    both = [groups(colluding_view(), method=method) for method in ("spectral", "k-means")]
    assert v_measure(both[0].clusters, both[1].clusters) > 0.3
    assert np.array_equal(both[0].clusters, groups(colluding_view()).clusters)
    with pytest.raises(ValueError, match="method must be one of spectral, k-means, got 'best'"):
        EmbeddingClustering(method="best")


def test_a_party_without_a_model_of_its_own_has_nothing_to_group():
    view = view_of(small_data("breast_cancer"), SplitNetwork(bottom="identity", epochs=1))
    with pytest.raises(IncompatibleView, match="is the identity"):
        groups(view)
    with pytest.raises(IncompatibleView, match="at the end of training is not known"):
        groups(replace(small_view(), snapshots=()))


def test_outputs_that_are_no_numbers_are_refused(monkeypatch):
    monkeypatch.setattr(OwnBottoms, "outputs", lambda self, rows: np.full((len(rows), 2), np.nan, dtype=np.float32))
    with pytest.raises(IncompatibleView, match="are no numbers, so they cannot be grouped"):
        groups(small_view())
