"""For each asset or property: what defenses leave of the leak and of the utility, drawn and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.scenes import Scene
from seepage.audit.findings.survey import Survey
from seepage.audit.findings.verdicts import Verdict
from seepage.report.advice import advice
from seepage.report.pictures.charts import Chart, chart
from seepage.report.sentences import WordedVerdict, worded
from seepage.report.wording import opening, subject, together

OPEN: Final = 3
"""How many assets and properties are told at once; the others are folded."""
MOST_NAMED: Final = 5


@dataclass(frozen=True)
class TradeOff:
    """One federation and one adversary: the chart, where there is one, and what to prefer."""

    place: str
    chart: Chart | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Answers:
    """What is said about one asset or property: where most leaks, and everywhere else."""

    title: str
    said: WordedVerdict
    home: TradeOff
    elsewhere: tuple[TradeOff, ...]

    @property
    def places(self) -> str:
        """Where else it was measured: named, or counted where that would be long."""
        if len(self.elsewhere) > MOST_NAMED:
            return f"{len(self.elsewhere)} more federations and adversaries"
        return "; ".join(one.place for one in self.elsewhere)


@dataclass(frozen=True)
class TradeOffs:
    """All assets and properties with numbers: a few that leak most, and the others."""

    first: tuple[Answers, ...]
    others: tuple[Answers, ...]


def trade_offs(survey: Survey) -> TradeOffs | None:
    """Draw every asset and property that has numbers, the larger leaks among properties first; None without any."""
    told = [_answers(verdict) for verdict in survey.verdicts if verdict.home is not None]
    ordered = sorted(told, key=_order)
    return TradeOffs(tuple(ordered[:OPEN]), tuple(ordered[OPEN:])) if told else None


def _order(answers: Answers) -> tuple[bool, float]:
    """Leave labels and features first; properties are told by how much leaks."""
    asked = answers.said.verdict.asked is not None
    return (asked, -answers.said.verdict.advantage.mean if asked and answers.said.verdict.advantage else 0.0)


def _answers(verdict: Verdict) -> Answers:
    assert verdict.home is not None
    said = worded(verdict)
    home = verdict.home[0]
    return Answers(
        opening(subject(verdict.asset, verdict.asked)),
        said,
        TradeOff(_place(home), chart(home), said.notes),
        tuple(_elsewhere([scene for scene in verdict.elsewhere if not scene.quiet])),
    )


def _elsewhere(scenes: Sequence[Scene]) -> list[TradeOff]:
    return [TradeOff(_place(scene), chart(scene), advice(scene)) for scene in scenes]


def _place(scene: Scene) -> str:
    return f"{scene.first.federation}, by {together(scene.first.adversary)}"
