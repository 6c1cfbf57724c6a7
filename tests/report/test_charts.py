import pytest

from imagined_findings import finding
from seepage.audit.findings.survey import Survey
from seepage.report.charts import UNDEFENDED_COLOR, charts


def test_plotly_accepts_every_chart(audit):
    graph_objects = pytest.importorskip("plotly.graph_objects")
    (chart,) = charts(Survey(audit))
    figure = graph_objects.Figure({"data": chart.spec["data"]})
    assert len(figure.data) == 10


def test_each_defense_setting_has_one_marker_at_its_strongest_attack(audit):
    (chart,) = charts(Survey(audit))
    assert sum(len(trace["x"]) for trace in chart.spec["data"]) == 11 + 7
    top_k = next(trace for trace in chart.spec["data"] if trace["name"] == "top-k")
    assert [round(y, 3) for y in top_k["y"]] == [0.973, 0.731, 0.560]
    assert [round(x, 3) for x in top_k["x"]] == [0.992, 0.986, 0.970]


def test_color_tells_the_defense_and_symbol_the_federation(audit):
    (chart,) = charts(Survey(audit))
    bare = [trace for trace in chart.spec["data"] if trace["name"] == "no defense"]
    assert {trace["marker"]["color"] for trace in bare} == {UNDEFENDED_COLOR}
    assert [trace["marker"]["symbol"] for trace in bare] == [["circle"], ["diamond"]]
    assert all((trace["marker"]["color"] == UNDEFENDED_COLOR) == (trace in bare) for trace in chart.spec["data"])


def test_error_bars_reach_to_the_interval():
    (chart,) = charts(
        Survey([finding(seed=seed, blind=0.0, value=value) for seed, value in enumerate((0.2, 0.3, 0.4))])
    )
    (trace,) = chart.spec["data"]
    assert trace["y"] == [pytest.approx(0.3)]
    assert trace["error_y"]["array"] == [pytest.approx(0.2484, abs=1e-4)]  # 4.303 * 0.1 / √3
    assert trace["error_y"]["arrayminus"] == [pytest.approx(0.2484, abs=1e-4)]


def test_assets_and_utility_metrics_have_charts_of_their_own():
    tried = [finding(), finding(asset="features"), finding(federation="forest", utility_metric="accuracy")]
    drawn = charts(Survey(tried))
    assert [chart.title for chart in drawn] == ["Labels against AUC", "Labels against accuracy", "Features against AUC"]


def test_a_setting_with_a_failed_attack_is_drawn_hollow():
    failed = finding(value=None, defense="top-k", status="failed", reason="crashed")
    probed = (finding(attack="linear-probe", value=0.9), finding(attack="linear-probe", value=0.7, defense="top-k"))
    (chart,) = charts(Survey([finding(), *probed, failed]))
    assert chart.gaps
    assert [trace["marker"]["symbol"] for trace in chart.spec["data"]] == [["circle"], ["circle-open"]]


def test_lines_without_utility_or_advantage_are_not_drawn():
    assert charts(Survey([finding(utility=None, utility_metric=None), finding(asset="features", value=None)])) == []


def test_tags_in_names_reach_plotly_as_text():
    (chart,) = charts(Survey([finding(adversary=("<a href='x'>lab</a>",), defense="<b>")]))
    (text,) = chart.spec["data"][0]["hovertext"]
    assert "<a" not in text
    assert "&lt;a href" in text
