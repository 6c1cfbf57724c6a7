"""The verdict, one asset at a time, in plain words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.audit.findings.verdicts import Verdict
from seepage.report.advice import advice
from seepage.report.theory.equation_bounds import exact_recoveries
from seepage.report.wording import called, listed, picked, together
from seepage.scores.digits import counted, number
from seepage.scores.intervals import Interval
from seepage.scores.levels import NOTICEABLE, level
from seepage.scores.metrics import metric_of

NOUNS: Final = {"features": "feature values"}


@dataclass(frozen=True)
class Place:
    """What is said about one federation and one adversary besides those of the headline."""

    where: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class WordedVerdict:
    """What the audit says about one asset."""

    verdict: Verdict
    headline: str
    notes: tuple[str, ...]
    elsewhere: tuple[Place, ...] = ()


def worded_verdicts(survey: Survey) -> list[WordedVerdict]:
    """Judge labels, features and each property, then any other asset."""
    return [worded(verdict) for verdict in survey.verdicts]


def worded(verdict: Verdict) -> WordedVerdict:
    """Put a verdict into words."""
    lines, worst = verdict.lines, verdict.worst
    if verdict.home is None or worst is None or worst.advantage is None:
        return WordedVerdict(verdict, _without_numbers(verdict), _failures(lines))
    home, trial = verdict.home
    return WordedVerdict(
        verdict,
        _headline(worst, trial.advantage or worst.advantage),
        notes=(
            *_failures(lines),
            *_chosen(trial),
            *exact_recoveries(lines),
            *advice(home),
            *_single_attack(home),
            *_no_better(verdict.stage),
            *_silent(verdict.scenes),
        ),
        elsewhere=(
            *(Place(_where(scene, verdict.stage), advice(scene)) for scene in verdict.elsewhere if not scene.quiet),
            *_quiet([scene for scene in verdict.elsewhere if scene.quiet]),
        ),
    )


def _chosen(trial: Trial) -> tuple[str, ...]:
    """Say what is left of the worst case for an adversary who picks its attack without the truth."""
    line = trial.chosen
    if line is None or line.advantage is None:
        return ()
    return (
        "This is the worst case: the strongest attack was told by the truth. Who picks by what it knows itself takes "
        f"{picked(line.picks)}, with an advantage of {line.advantage} ({_compared(line)}).",
    )


def _headline(line: SummaryLine, advantage: Interval) -> str:
    first = line.first
    amount, name = level(advantage.mean), _title(first.asset, first.property)
    noun = NOUNS.get(first.asset, first.asset)
    circumstance = (
        "without a defense" if first.defense is None else f"under {defense_label(first)} (no run without a defense)"
    )
    numbers = f"{_compared(line)}; advantage {advantage}"
    if amount == "none":
        high = advantage.high
        reach = "" if high is None or high < NOTICEABLE else f"; the interval reaches {number(high)}"
        return (
            f"{name}: {circumstance}, no attack did better than {_blind(first)} by more than {NOTICEABLE:g} "
            f"of what there is to gain (strongest: {called(first)} on {first.federation}, {numbers}{reach})."
        )
    reached = f"{name}: {circumstance}, {together(first.adversary)} can {line.measure.reached[amount].format(noun)}"
    if line.measure.is_estimate:
        return f"{reached}: {_compared(line)}. Advantage {advantage}, by {called(first)} on {first.federation}."
    return f"{reached} ({numbers}) by {called(first)} on {first.federation}."


def _compared(line: SummaryLine) -> str:
    """Put what was measured beside what a blind guess earns."""
    metric = line.measure
    value, blind, phrase = metric.written(line.value), metric.written(line.blind), metric.blind_phrase(line.blind_kind)
    if metric.is_estimate:
        return f"estimated within {value}; without the federation within {blind} ({phrase})"
    if metric.names_blind:
        return f"{metric.title} {value} where {phrase} earns {blind}"
    outside = " for people outside training" * line.outside_training
    return f"{metric.title} {value}{outside}, blind guess {blind}"


def _blind(first: Finding) -> str:
    metric = metric_of(first.metric)
    return metric.blind_phrase(first.blind_kind) if metric.names_blind else "a blind guess"


def _title(asset: str, asked: str | None) -> str:
    return asset.capitalize() if asked is None else f"Share of people with {asked}"


def _no_better(stage: Sequence[Scene]) -> tuple[str, ...]:
    """Name attacks that got no nearer to a value or a share than a blind guess, without a defense."""
    bare = (line for scene in stage if scene.undefended for line in scene.undefended.lines)
    idle = (line for line in bare if line.measure.names_blind and line.advantage and line.reach <= 0)
    groups = grouped(idle, lambda line: ("" if line.measure.is_estimate else called(line.first), _blind(line.first)))
    return tuple(_idle(name, blind, lines) for (name, blind), lines in groups.items())


def _idle(name: str, blind: str, lines: Sequence[SummaryLine]) -> str:
    """Tell of one attack on several federations, or of several that estimate the same share."""
    written = lines[0].measure.written
    if not name:
        told = [f"{called(line.first)} on {line.first.federation} (within {written(line.value)})" for line in lines]
        return f"No better than {blind} (within {written(lines[0].blind)}): {listed(told)}."
    told = [
        f"{line.first.federation} ({line.measure.title} {written(line.value)} against {written(line.blind)})"
        for line in lines
    ]
    return f"No better than {blind}: {name} on {listed(told)}."


def _quiet(silent: Sequence[Scene]) -> tuple[Place, ...]:
    """Tell of all places where next to nothing leaks in one line."""
    if not silent:
        return ()
    places = [
        f"{scene.first.federation} by {together(scene.first.adversary)} ({number(scene.undefended.advantage.mean)})"
        for scene in silent
        if scene.undefended and scene.undefended.advantage
    ]
    return (Place(f"Next to nothing, with or without a defense, on {listed(places)}.", ()),)


def _without_numbers(verdict: Verdict) -> str:
    name, lines = _title(verdict.asset, verdict.asked), verdict.lines
    fine = [line for line in lines if line.status == "ok"]
    if not lines:
        why = " (none was named, or found to ask about)" if verdict.asset == "properties" else ""
        return f"{name}: not tried{why}."
    if not fine and any(line.status == "failed" for line in lines):
        return f"{name}: nothing is known, because every run failed or could not be made."
    if not fine:
        return f"{name}: nothing is known, because no attack that was asked for could be run."
    if all(line.is_baseline for line in fine):
        return f"{name}: only baselines gave a number; see the table."
    if all(line.value is None for line in fine):
        return f"{name}: the truth is not known here, so the guesses cannot be scored."
    if all(line.measure.is_estimate for line in fine):
        best = min(fine, key=lambda line: line.value if line.value is not None else 1.0)
        metric = best.measure
        return (
            f"{name}: there is next to nothing to gain, because {metric.blind_phrase(best.blind_kind)} comes within "
            f"{metric.written(best.blind)} without the federation ({called(best.first)} on "
            f"{best.first.federation}: within {metric.written(best.value)})."
        )
    return f"{name}: no advantage can be given, because blind and ceiling are too close."


def _failures(lines: Iterable[SummaryLine]) -> tuple[str, ...]:
    failed = sum(line.failed for line in lines)
    return (f"{counted(failed, 'run')} failed, so the leak may be larger than shown.",) if failed else ()


def _single_attack(home: Scene) -> tuple[str, ...]:
    """Warn where defenses were tried against one attack only: what stops one may not stop another."""
    lines = [line for line in home.lines if line.advantage is not None]
    names = {line.first.attack for line in lines if not line.is_baseline}
    if len(names) != 1 or all(line.first.defense is None for line in lines):
        return ()
    besides = " besides baselines" if any(line.is_baseline for line in lines) else ""
    return (
        f"Only {', '.join(names)} gave numbers here{besides}; a defense that stops it may not stop another attack.",
    )


def _silent(every: Sequence[Scene]) -> tuple[str, ...]:
    """Name federations of which nothing is known, lest silence be taken for tightness."""
    told = {scene.first.federation for scene in every if scene.telling}
    names = list(dict.fromkeys(scene.first.federation for scene in every))
    silent = [name for name in names if name not in told]
    return (
        (f"Nothing is known about {listed(silent)}: no attack that was tried gave a number there.",) if silent else ()
    )


def _where(scene: Scene, stage: Sequence[Scene]) -> str:
    """Say where another scene plays and what leaks there; only what tells scenes apart is named."""
    first = scene.first
    others = [other.first for other in stage]
    place = f"Also on {first.federation}"
    if any(other.data != first.data for other in others):
        place += f", {first.data}"
    if any(other.adversary != first.adversary for other in others):
        place += f", by {together(first.adversary)}"
    bare = scene.undefended
    if bare is None or bare.strongest is None or bare.advantage is None:
        return f"{place}: nothing was measured without a defense."
    return f"{place}: advantage {bare.advantage} without a defense by {called(bare.strongest.first)}."
