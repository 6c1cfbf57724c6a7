import pytest

from imagined_findings import finding
from seepage.audit.findings.survey import Survey
from seepage.report import render
from seepage.report.pictures.charts import FRAME, chart
from seepage.report.pictures.plot import Box, Scale, around, placed, span


def drawn(*findings):
    """Return the charts of all scenes that have one."""
    return [one for scene in Survey(findings).scenes if (one := chart(scene)) is not None]


def over_seeds(values, **changes):
    return [finding(seed=seed, value=value, **changes) for seed, value in enumerate(values)]


def test_each_defense_setting_has_one_point_at_its_strongest_attack(audit):
    summed, logistic = drawn(*audit)
    assert (len(summed.marks), len(logistic.marks)) == (11, 7)
    up = Scale(-0.03, 1.05, FRAME.bottom, FRAME.top)
    words = {mark.words.partition(":")[0]: mark for mark in summed.marks}
    assert [words[f"top-k (share={share})"].y for share in (0.75, 0.25, 0.1)] == [
        pytest.approx(up.at(value), abs=0.2) for value in (0.973, 0.731, 0.560)
    ]
    assert words["top-k (share=0.25)"].words.endswith("AUC 0.986 [0.983, 0.989]")


def test_whiskers_reach_to_both_intervals():
    (one,) = drawn(*[finding(seed=seed, blind=0.0, value=value, utility=value + 0.3) for seed, value in
                     enumerate((0.2, 0.3, 0.4))])  # fmt: skip
    (mark,) = one.marks
    upright, level = mark.whiskers
    up = Scale(-0.03, 1.05, FRAME.bottom, FRAME.top)
    assert (upright.y1, upright.y2) == (
        pytest.approx(up.at(0.3 - 0.2484), abs=0.1),
        pytest.approx(up.at(0.5484), abs=0.1),
    )
    assert upright.x1 == upright.x2 == mark.x and level.y1 == level.y2 == mark.y
    assert level.x1 < mark.x < level.x2 and level.cut  # 4.303 · 0.1 / √3 is far beyond a frame around one point


def test_one_seed_has_no_whiskers_and_says_so():
    (one,) = drawn(finding(), finding(defense="top-k", value=0.8))
    assert all(mark.whiskers == () for mark in one.marks)
    assert one.notes == ("One seed: how large the noise is is not known, and there are no intervals.",)


def test_shapes_tell_the_front_from_what_is_beaten_and_from_what_is_not_compared():
    spread = (-0.001, 0.0, 0.001)

    def tried(defense, value, utility):
        return [finding(seed=seed, defense=defense, value=value + wobble, blind=0.5, utility=utility + wobble,
                        utility_undefended=0.99 + wobble) for seed, wobble in enumerate(spread)]  # fmt: skip

    failed = finding(defense="dropout", value=None, status="failed", reason="crashed")
    probed = [one.model_copy(update={"attack": "linear-probe"}) for name in (None, "top-k", "rounding", "laplace-noise")
              for one in tried(name, 0.55, 0.95)]  # fmt: skip
    (one,) = drawn(*tried(None, 0.9, 0.99), *tried("top-k", 0.6, 0.98), *tried("rounding", 0.7, 0.9), failed, *probed,
                   *tried("laplace-noise", 0.6, 0.98),
                   finding(defense="dropout", attack="linear-probe", value=0.8))  # fmt: skip
    kinds = {mark.words.partition(":")[0]: mark.kind for mark in one.marks}
    assert kinds == {"no defense": "undefended", "top-k": "front", "laplace-noise": "front", "rounding": "beaten",
                     "dropout": "doubted"}  # fmt: skip
    assert one.kinds == set(kinds.values())


def test_a_difference_within_noise_beats_nobody():
    values = (0.55, 0.65, 0.75)
    first = over_seeds(values, blind=0.5, defense="top-k")
    second = over_seeds([value + wobble for value, wobble in zip(values, (-0.02, 0.0, 0.05), strict=True)], blind=0.5,
                        defense="rounding")  # fmt: skip
    (one,) = drawn(*over_seeds((1.0, 1.0, 1.0), blind=0.5), *first, *second)
    assert [mark.kind for mark in one.marks] == ["undefended", "front", "front"]


def test_the_front_goes_in_steps_from_the_lowest_leak_to_the_best_model():
    (one,) = drawn(
        finding(value=0.9, blind=0.5, utility=0.99), finding(value=0.6, blind=0.5, utility=0.95, defense="top-k")
    )
    bare, top_k = one.marks
    assert one.front == f"{top_k.x:g},{top_k.y:g} {top_k.x:g},{bare.y:g} {bare.x:g},{bare.y:g}"


def test_the_label_holder_alone_is_a_line_with_its_interval():
    alone = [finding(seed=seed, utility_alone=value) for seed, value in enumerate((0.90, 0.91, 0.92))]
    (one,) = drawn(*alone)
    assert one.alone.name == "label holder alone 0.910"
    assert one.alone.band[0] < one.alone.place < one.alone.band[1]
    assert drawn(finding())[0].alone is None
    assert 'class="alone"' in render(Survey(alone)) and "label holder alone" not in render(Survey([finding()]))


def test_only_what_has_numbers_for_both_axes_is_drawn():
    assert (
        drawn(
            finding(utility=None, utility_undefended=None, utility_metric=None), finding(asset="features", value=None)
        )
        == []
    )


def test_a_chart_names_asset_adversary_federation_and_metric_and_lists_its_points():
    (one,) = drawn(finding(), finding(defense="top-k", value=0.8))
    assert one.title == "Advantage on labels against AUC: summed-network, by lab"
    assert one.description == "2 points: no defense: advantage 1.000, AUC 0.990; top-k: advantage 0.464, AUC 0.990."


def test_settings_are_in_a_label_only_where_they_tell_points_apart():
    tried = [("top-k", {"share": 0.1}, 0.7), ("top-k", {"share": 0.5}, 0.9), ("rounding", {"digits": 2}, 0.8)]
    (one,) = drawn(*(finding(defense=name, defense_settings=held, value=value) for name, held, value in tried))
    assert {label.text for label in one.labels} == {"top-k share=0.1", "top-k share=0.5", "rounding"}


def test_labels_keep_off_each_other_off_points_and_inside_the_frame(audit):
    for one in drawn(*audit):
        boxes = [label.box for label in one.labels]
        assert len(boxes) > 5 and all(box.inside(FRAME) for box in boxes)
        assert not any(box.touches(other) for place, box in enumerate(boxes) for other in boxes[:place])
        assert not any(box.touches(around(mark.x, mark.y, 4.5)) for box in boxes for mark in one.marks)


def test_a_label_without_room_is_left_out_and_counted():
    frame = Box(0, 0, 60, 20)
    assert placed([("no room for this", 30, 10)], frame, []) == [None]
    crowd = [finding(defense=f"a defense with a name that is long, number {number}") for number in range(60)]
    (one,) = drawn(*crowd)
    assert len(one.labels) < 60 and any("had no room for a name" in note for note in one.notes)


def test_an_axis_is_not_stretched_by_wide_intervals():
    low, high = span([0.90, 0.95], reaching=[0.0, 1.0])
    assert 0.85 < low < 0.90 and 0.95 < high < 1.0
    assert span([0.5]) == (0.4884, 0.5116)


def test_names_with_tags_are_text_in_charts():
    page = render(Survey([finding(adversary=("<a href='x'>lab</a>",), defense="<b>")]))
    assert "<a href='x'>" not in page and "<b>" not in page and "&lt;b&gt;: advantage" in page
