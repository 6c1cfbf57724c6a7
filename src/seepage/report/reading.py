"""What a reader needs to know about the numbers of this page."""

from dataclasses import dataclass

from seepage.audit.findings.survey import Survey
from seepage.report.feature_errors import feature_errors
from seepage.report.fraction_errors import fraction_errors
from seepage.report.plain_table import Fact
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import metric_of


@dataclass(frozen=True)
class Reading:
    """The metrics that were measured, and which parts of the page need a word besides."""

    metrics: list[Fact]
    columns: bool
    shares: bool
    traffic: bool
    tolerable: float = TOLERABLE


def reading(survey: Survey) -> Reading:
    """Choose what to explain."""
    found = survey.findings
    told = [name for one in found for name in (one.metric, one.ranking.metric if one.ranking else None)]
    measures = [metric_of(name) for name in dict.fromkeys(told)]
    return Reading(
        [Fact(name=metric.title, texts=(metric.meaning,)) for metric in measures if metric.meaning],
        columns=bool(feature_errors(survey)),
        shares=bool(fraction_errors(survey)),
        traffic=any(one.traffic for one in found if one.status == "ok"),
    )
