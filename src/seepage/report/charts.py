"""Leakage against utility, as Plotly draws it."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle
from typing import Any, Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import PUT_BACK, Scene, Trial
from seepage.audit.findings.survey import Survey
from seepage.report.wording import opening, subject, together
from seepage.scores.digits import counted, number
from seepage.scores.intervals import Interval
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import metric_of

NO_DEFENSE: Final = "no defense"
UNDEFENDED_COLOR: Final = "#d64550"
COLORS: Final = ("#2f7ed8", "#e08a1e", "#1f9e89", "#9b6bd3", "#c2558f", "#7a8c2e", "#4aa8c9", "#a8714a")
SYMBOLS: Final = (
    ("circle", "●"), ("diamond", "◆"), ("square", "■"), ("triangle-up", "▲"), ("triangle-down", "▼"),
    ("pentagon", "⬟"), ("star", "★"), ("hexagon", "⬢"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LegendMark:
    """An entry of a legend: a color or a symbol with its name."""

    name: str
    glyph: str
    color: str | None = None


@dataclass(frozen=True, kw_only=True)
class Chart:
    """What Plotly draws (`spec`, which ``draw.js`` gives axes and a frame) with the words that go around it."""

    title: str
    description: str
    defenses: tuple[LegendMark, ...]
    federations: tuple[LegendMark, ...]
    gaps: bool
    spec: dict[str, Any]


def charts(survey: Survey) -> list[Chart]:
    """Draw one chart for each asset or property and utility metric that has numbers for both axes."""
    groups: dict[tuple[str, str], list[Scene]] = {}
    for scene in survey.scenes:
        metric = next((line.first.utility_metric for line in scene.lines if line.first.utility_metric), None)
        if metric is not None and scene.telling and any(map(_drawable, scene.trials)):
            groups.setdefault((subject(scene.first.asset, scene.first.property), metric), []).append(scene)
    return [_chart(learned, metric, stage) for (learned, metric), stage in groups.items()]


def _chart(learned: str, metric: str, stage: Sequence[Scene]) -> Chart:
    trials = [trial for scene in stage for trial in scene.trials if _drawable(trial)]
    names = dict.fromkeys(trial.first.defense for trial in trials if trial.first.defense)
    colors: dict[str | None, str] = dict(zip(names, cycle(COLORS), strict=False))
    if any(trial.first.defense is None for trial in trials):
        colors = {None: UNDEFENDED_COLOR, **colors}
    symbols = dict(zip(dict.fromkeys(scene.first.federation for scene in stage), cycle(SYMBOLS), strict=False))
    traces = [
        _trace(series, colors[series[0].first.defense], symbols)
        for scene in stage
        for series in grouped(filter(_drawable, scene.trials), lambda trial: trial.first.defense).values()
    ]  # the settings of one defense are joined by a line
    utility = metric_of(metric).title
    return Chart(
        title=f"{opening(learned)} against {utility}",
        description=(
            f"Scatter chart of the advantage on the {learned} against the {utility} of the joint model, "
            f"{counted(len(trials), 'marker')}. The table above has the same numbers."
        ),
        defenses=tuple(LegendMark(name=name or NO_DEFENSE, glyph="●", color=color) for name, color in colors.items()),
        federations=tuple(LegendMark(name=name, glyph=glyph) for name, (_, glyph) in symbols.items()),
        gaps=any(trial.understated for trial in trials),
        spec={"data": traces, "utility": escape(utility), "tolerable": TOLERABLE},
    )


def _drawable(trial: Trial) -> bool:
    return trial.strongest is not None and trial.strongest.utility is not None


def _trace(series: Sequence[Trial], color: str, symbols: dict[str, tuple[str, str]]) -> dict[str, Any]:
    strongest = [trial.strongest for trial in series if trial.strongest]
    first = strongest[0].first
    symbol = symbols[first.federation][0]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(first.defense or NO_DEFENSE),
        "x": [line.utility for line in strongest],
        "y": [line.reach for line in strongest],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [_whisker(line.advantage, up=True) for line in strongest],
            "arrayminus": [_whisker(line.advantage, up=False) for line in strongest],
            "color": color,
            "thickness": 1.2,
            "width": 3,
        },
        "line": {"color": color, "width": 1, "dash": "dot"},
        "marker": {
            "color": color,
            "size": 16 if first.defense is None else 10,
            "symbol": [f"{symbol}-open" if trial.understated else symbol for trial in series],
            "line": {"width": 1.5, "color": color},
        },
        "hoverinfo": "text",
        "hovertext": [_hover(trial) for trial in series],
    }


def _whisker(advantage: Interval | None, *, up: bool) -> float:
    """Return how far the interval reaches to one side."""
    if advantage is None or advantage.low is None or advantage.high is None:
        return 0.0
    return max(0.0, advantage.high - advantage.mean if up else advantage.mean - advantage.low)


def _hover(trial: Trial) -> str:
    """Write what a marker stands for; Plotly reads tags in it, so names are escaped."""
    line = trial.strongest
    assert line is not None
    first = line.first
    cost = "" if line.cost is None else f" (cost {number(line.cost)})"
    parts = [
        NO_DEFENSE if first.defense is None else defense_label(first),
        f"{first.attack} by {together(first.adversary)} on {first.federation}, {first.data}",
        f"advantage {line.advantage}",
        f"{line.measure.title} {line.measure.written(line.value)}, "
        f"blind {line.measure.written(line.blind)}, ceiling {line.measure.written(line.ceiling)}",
        f"{metric_of(first.utility_metric).title} {number(line.utility)}{cost}, {counted(line.seeds, 'seed')}",
        f"{line.withheld:.0%} of predictions withheld" if line.withheld else "",
        f"no number for {', '.join(trial.unmeasured)}" if trial.unmeasured else "",
        f"off by {line.measure.written(trial.undone.other[PUT_BACK])} with withdrawn rows put back"
        if trial.undone
        else "",
    ]
    head, *rest = [escape(part) for part in parts if part]
    return "<br>".join((f"<b>{head}</b>", *rest))
