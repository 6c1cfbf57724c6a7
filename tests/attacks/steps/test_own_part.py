"""Label replacement and refinement touch auxiliary rows, and nothing else."""

from dataclasses import replace

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from samples import small_data
from seepage.attacks.steps.augmentation import Augmentation, Refinement
from seepage.views import KnownRows


class Summing:
    """Stands in for a refinement: says which rows it was given by what it returns."""

    def loss(self, outputs, has):
        self.outputs, self.has = outputs, has
        return outputs.sum()


def known_rows(rows, has, source=None):
    rows = np.asarray(rows)
    return KnownRows(rows, rows if source is None else np.asarray(source), np.asarray(has))


@given(st.integers(0, 2**32 - 1), st.integers(1, 30))
def test_replacement_changes_exactly_the_labels_of_auxiliary_rows(seed, size):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=60)
    before = labels.copy()
    known = known_rows(rng.choice(60, size, replace=False), rng.random(size) < 0.5)
    changed = Augmentation(known, replace=True).labels(labels)
    rest = np.setdiff1d(np.arange(60), known.rows)
    assert np.array_equal(changed[known.rows], known.has.astype(int))
    assert np.array_equal(changed[rest], labels[rest])
    assert np.array_equal(labels, before) and changed.dtype == labels.dtype
    assert Augmentation(known, replace=False).labels(labels) is labels


def test_people_who_stand_in_bring_their_columns_and_get_their_property_as_label():
    data = small_data("breast_cancer")
    part = data.parts["active"]
    known = known_rows(data.train[:4], [True, True, False, False], source=data.test[:4])
    replacing, keeping = Augmentation(known, replace=True), Augmentation(known, replace=False)
    assert np.array_equal(known.in_table(part).features[data.train[:4]], part.features[data.test[:4]])
    assert np.array_equal(keeping.labels(data.labels)[data.train[:4]], data.labels[data.test[:4]])
    assert np.array_equal(replacing.labels(data.labels)[data.train[:4]], [1, 1, 0, 0])
    assert np.array_equal(replacing.labels(data.labels)[data.train[4:]], data.labels[data.train[4:]])


def test_aligned_rows_leave_the_table_and_the_labels_alone():
    data, known = small_data("iris"), known_rows([3, 1], [True, False])
    assert known.in_table(data.parts["active"]) is data.parts["active"]
    assert known.in_labels(data.labels) is data.labels


@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 40))
def test_the_extra_loss_is_that_of_auxiliary_rows_in_the_batch_over_the_size_of_the_batch(seed, size, batch):
    rng = np.random.default_rng(seed)
    known = known_rows(rng.choice(50, size, replace=False), rng.random(size) < 0.5)
    rows = rng.choice(50, batch, replace=False)
    summing = Summing()
    embedding = torch.from_numpy(rng.normal(size=(batch, 3)))
    loss = Augmentation(known, replace=False, refinement=summing).extra_loss(embedding, rows)
    inside = [place for place, row in enumerate(rows) if row in known.rows]
    if not inside:
        assert loss is None
        return
    assert torch.equal(summing.outputs, embedding[inside])
    assert summing.has.tolist() == [bool(known.has[known.rows == rows[place]][0]) for place in inside]
    assert loss.item() == (embedding[inside].sum() / batch).item()


def test_without_a_refinement_nothing_is_added():
    augmentation = Augmentation(known_rows([0, 1], [True, False]), replace=True)
    assert augmentation.extra_loss(torch.ones(2, 3), np.arange(2)) is None


def test_the_loss_pulls_on_auxiliary_rows_of_the_batch_alone():
    refinement = Refinement(1.0, (4,), 1e-3, 0.1, np.random.default_rng(0))
    augmentation = Augmentation(known_rows([7, 9], [True, False]), replace=False, refinement=refinement)
    embedding = torch.randn(5, 3, generator=torch.Generator().manual_seed(0), requires_grad=True)
    augmentation.extra_loss(embedding, np.array([1, 9, 2, 7, 30])).backward()
    assert (embedding.grad.abs().sum(dim=1) > 0).tolist() == [False, True, False, True, False]


def test_mislabelled_rows_are_taken_for_what_they_are_thought_to_be():
    known = known_rows([0, 1, 2, 3], [True, True, False, False])
    wrong = replace(known, has=~known.has)
    labels = np.zeros(4, dtype=np.int64)
    assert np.array_equal(Augmentation(wrong, replace=True).labels(labels), [0, 0, 1, 1])
