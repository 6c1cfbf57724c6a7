"""Which columns stay at home, and who is warned."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seepage
from samples import small_data
from seepage.defenses.predictions.feature_screening import EverythingCorrelated, FeatureScreening, FewColumns
from seepage.errors import BadSetting
from seepage.hooks import Screening
from seepage.layouts import ImageShape
from seepage.partition import OwnPart
from trained_runs import guarded, screened


def part_of(width, attributes=None, classes=2, **more):
    attributes = np.arange(width) if attributes is None else np.array(attributes)
    columns = tuple(f"column {number}" for number in range(attributes.max() + 1))
    names = tuple(f"encoded {number}" for number in range(width))
    return OwnPart("shop", columns, np.zeros((5, width)), names, attributes, classes=classes, **more)


def kept(correlations, limit, attributes=None):
    correlations = np.array(correlations, dtype=float)
    part = part_of(len(correlations), attributes, classes=None)
    hook = FeatureScreening(limit=limit).start(part, np.random.default_rng(0))
    asked = Screening(part=part, correlations=correlations, kept=np.ones(len(correlations), dtype=bool))
    return hook.screening(asked).kept.tolist()


def test_a_column_is_left_out_when_any_correlation_is_above_the_limit_in_magnitude():
    assert kept([[0.2, 0.3], [0.2, -0.8], [0.81, 0.0], [0.8, 0.8]], limit=0.8) == [True, True, False, True]
    assert kept([[0.2, 0.3], [0.2, -0.8], [0.81, 0.0], [0.8, 0.8]], limit=0.7) == [True, False, False, False]


def test_encoded_columns_of_one_attribute_never_part():
    assert kept([[0.1], [0.95], [0.2], [0.3]], limit=0.9, attributes=[0, 0, 0, 1]) == [False, False, False, True]


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=8), st.floats(0.01, 1))
def test_exactly_the_naive_choice_is_kept(correlations, limit):
    naive = [abs(value) <= limit + 1e-12 for value in correlations]
    if any(naive):
        assert kept([[value] for value in correlations], limit) == naive


def test_a_limit_of_one_leaves_nothing_out():
    assert kept([[1.0], [-1.0000000000000002]], limit=1.0) == [True, True]


def test_when_all_would_go_the_least_correlated_stays_and_that_is_remarked():
    with pytest.warns(EverythingCorrelated, match="'column 1', the least correlated, is kept"):
        assert kept([[0.99], [0.95], [0.97]], limit=0.9) == [False, True, False]


@pytest.mark.filterwarnings("ignore::seepage.errors.Remark")
def test_a_column_that_two_parties_hold_is_left_out():
    data = small_data("wine")
    theirs = data.parts[data.active].features[:, :1]
    own = data.parts["passive"]
    both = replace(
        own, columns=(*own.columns, "copy"), names=(*own.names, "copy"), limits=None,
        features=np.concatenate([own.features, -3 * theirs + 1], axis=1),
        attributes=np.append(own.attributes, len(own.columns)),
    )  # fmt: skip
    shared = replace(data, parts={**data.parts, "passive": both})
    left = screened(shared, guarded(FeatureScreening(limit=0.999), shared))
    assert left.parts["passive"].names == own.names
    assert left.parts[data.active] is shared.parts[data.active]


@pytest.mark.parametrize(("width", "classes", "few"), [(1, 2, True), (2, 2, False), (4, 5, True), (5, 5, False)])
def test_a_party_with_fewer_columns_than_equations_is_warned_of(width, classes, few):
    part = part_of(width, classes=classes)
    if few:
        with pytest.warns(FewColumns, match=f"'shop' brings {width} encoded columns? to {classes} classes; up to"):
            FeatureScreening().start(part, np.random.default_rng(0))
        with pytest.raises(BadSetting, match="It refuses to take part"):
            FeatureScreening(few_columns="refuse").start(part, np.random.default_rng(0))
    else:
        FeatureScreening(few_columns="refuse").start(part, np.random.default_rng(0))


def test_columns_that_screening_leaves_are_counted_again():
    part = part_of(3, classes=3)
    asked = Screening(part=part, correlations=np.array([[0.99], [0.0], [0.1]]), kept=np.ones(3, dtype=bool))
    with pytest.warns(FewColumns, match="'shop' is left with 2 encoded columns to 3 classes"):
        FeatureScreening().start(part, np.random.default_rng(0)).screening(asked)
    with pytest.raises(BadSetting, match="is left with 2 encoded columns"):
        FeatureScreening(few_columns="refuse").start(part, np.random.default_rng(0)).screening(asked)


def test_the_active_party_screens_nothing_of_its_own():
    active = replace(part_of(1, classes=9), labels=np.zeros(5, dtype=np.int64))
    hook = FeatureScreening(few_columns="refuse").start(active, np.random.default_rng(0))
    asked = Screening(part=active, correlations=np.ones((1, 1)), kept=np.ones(1, dtype=bool))
    assert hook.screening(asked) is asked


def test_pictures_stay_whole():
    with pytest.raises(BadSetting, match="pixels of a picture"):
        FeatureScreening().start(part_of(4, layout=ImageShape(1, 2, 2)), np.random.default_rng(0))


def screening(**settings):
    chosen = {"federations": ["logistic-regression"], "attacks": ["gradient-sign"], "seeds": 1, "undefended": False}
    return seepage.audit("iris", **chosen, defenses=[{"name": "feature-screening", "settings": settings}])


def test_a_refusal_before_training_becomes_a_finding():
    (finding,) = screening(few_columns="refuse")
    assert finding.status == "not applicable" and "'passive' brings 2 encoded columns to 3 classes" in finding.reason


def test_a_warning_reaches_whoever_runs_the_audit():
    with pytest.warns(FewColumns.__mro__[1], match="brings 2 encoded columns"):
        (finding,) = screening(limit=1.0)
    assert finding.status == "ok"
