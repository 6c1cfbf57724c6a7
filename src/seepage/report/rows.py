"""The rows of 'Who can learn what': by federation the strongest guess under each defense, then all the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from seepage.audit.findings.labels import UNDEFENDED, settings_text
from seepage.audit.findings.scenes import Scene
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.report.plain_table import small
from seepage.report.wording import opening, subject, together
from seepage.scores.digits import NO_NUMBER, number
from seepage.scores.intervals import Interval
from seepage.scores.levels import level
from seepage.scores.metrics import metric_of

TOO_CLOSE = "blind and ceiling are too close"
NOT_KNOWN = "truth not known"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a table, cell by cell; `remarks` stand below the advantage, `opens` marks the first of a group."""

    defense: str
    attack: str
    measured: str
    blind: str
    ceiling: str
    advantage: str
    interval: str
    bar: tuple[float, float, float] | None
    level: str
    answered: str
    remarks: tuple[str, ...]
    utility: str
    seeds: str
    traffic: str
    undefended: bool
    opens: bool


@dataclass(frozen=True, kw_only=True)
class Group:
    """One asset or property, one federation, one adversary."""

    learned: str
    federation: str
    details: str
    adversary: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Tables:
    """What got furthest under each defense, and all the other guesses."""

    strongest: tuple[Group, ...]
    others: tuple[Group, ...]

    @property
    def traffic(self) -> bool:
        """Whether ciphertexts were counted anywhere."""
        return any(row.traffic != NO_NUMBER for group in (*self.strongest, *self.others) for row in group.rows)

    @property
    def hidden(self) -> int:
        """How many lines stand in the second table."""
        return sum(len(group.rows) for group in self.others)


def tables(survey: Survey) -> Tables | None:
    """Write out every line that was run, federation by federation, the largest leak first; None where none was."""
    strongest, others = [], []
    for verdict in survey.verdicts:
        for scene in sorted(verdict.scenes, key=lambda scene: (not scene.telling, -_worst(scene))):
            scored = any(line.advantage for line in scene.lines)
            shown = [trial.shown for trial in scene.trials if trial.shown and (scene.telling or not scored)]
            rest = [line for trial in scene.trials for line in trial.fine if not any(line is one for one in shown)]
            strongest += [_group(survey, scene, shown)] * bool(shown)
            others += [_group(survey, scene, rest)] * bool(rest)
    return Tables(strongest=tuple(strongest), others=tuple(others)) if strongest or others else None


def _worst(scene: Scene) -> float:
    return next((trial.shown.reach for trial in scene.trials if trial.shown), -1.0)


def _group(survey: Survey, scene: Scene, lines: Sequence[SummaryLine]) -> Group:
    first = scene.first

    def attack(line: SummaryLine) -> tuple[str, str]:
        return line.first.attack, survey.attack_details(line.first)

    attacks = list(dict.fromkeys(map(attack, lines)))
    ordered = sorted(lines, key=lambda line: (line.first.defense is not None, -line.reach))
    tried = sum(bool(trial.fine) for trial in scene.trials)
    if len(attacks) > 1 and len(lines) > tried:  # several lines for a defense: by attack, then by defense
        ordered.sort(key=lambda line: attacks.index(attack(line)))
    return Group(
        learned=opening(subject(first.asset, first.property)),
        federation=first.federation,
        details=survey.federation_details(first),
        adversary=together(first.adversary),
        rows=tuple(_row(line, scene, attack(line)[1], opens=line is ordered[0]) for line in ordered),
    )


def _row(line: SummaryLine, scene: Scene, variant: str, *, opens: bool) -> Row:
    first, advantage, written = line.first, scene.quoted(line), line.measure.written
    variants = "; ".join(filter(None, ("baseline" * line.is_baseline, variant)))
    return Row(
        defense=small(first.defense or UNDEFENDED, settings_text(first.defense_settings)),
        attack=small(first.attack, variants),
        measured=small(written(line.value), _value_details(line)),
        blind=small(written(line.blind), line.blind_kind or "", _reference(line)),
        ceiling=small(written(line.ceiling), line.ceiling_kind or ""),
        advantage=number(advantage.mean) if advantage else NO_NUMBER,
        interval=advantage.bounds if advantage else _why_no_advantage(line),
        bar=_bar(advantage),
        level=level(advantage.mean) if advantage else "unknown",
        answered=answered(line),
        remarks=tuple(filter(None, (_chosen(line, scene), _no_better(line)))),
        utility=small(number(line.utility), metric_of(first.utility_metric).title, _cost(line)),
        seeds=f"{line.seeds} of {line.seeds + line.failed}" if line.failed else str(line.seeds),
        traffic=_traffic(line, scene),
        undefended=first.defense is None,
        opens=opens,
    )


def _chosen(line: SummaryLine, scene: Scene) -> str:
    """Write, beside the strongest attack, what an adversary reaches who picks its attack without the truth."""
    trial = next((trial for trial in scene.trials if trial.strongest is line), None)
    picked = trial.chosen.advantage if trial and trial.chosen else None
    return f"{number(picked.mean)} by its own choice" if picked else ""


def _traffic(line: SummaryLine, scene: Scene) -> str:
    """Write how many ciphertexts crossed, and how many times as many as without a defense."""
    bare = scene.undefended.fine[:1] if scene.undefended else ()
    sealed, undefended = sum(line.first.traffic.values()), sum(sum(one.first.traffic.values()) for one in bare)
    if not line.first.traffic:
        return NO_NUMBER
    relative = line.first.defense is not None and sealed and undefended
    return small(f"{sealed:,}", f"× {sealed / undefended:.2f}" if relative else "")


def _value_details(line: SummaryLine) -> str:
    if line.value is None:
        return NOT_KNOWN
    return f"{line.measure.title}, {line.first.rows} rows"


def answered(line: SummaryLine) -> str:
    """Say what an attack that is silent on many rows reaches on the others."""
    if not line.betrays_some_rows or line.advantage_answered is None:
        return ""
    return f"{number(line.advantage_answered.mean)} on the {line.answered:.0%} answered"


def _no_better(line: SummaryLine) -> str:
    """Say so where guessed values, branches or shares are no nearer to the truth than blind ones."""
    if not line.measure.names_blind or line.advantage is None or line.reach > 0:
        return ""
    return f"no better than {line.measure.blind_phrase(line.blind_kind)}"


def _reference(line: SummaryLine) -> str:
    """Write what a guess would earn that nobody can make beforehand, such as the mean of each column."""
    if line.measure.reference is None or line.measure.reference[0] not in line.other:
        return ""
    key, name = line.measure.reference
    return f"{name} {line.measure.written(line.other[key])}"


def _why_no_advantage(line: SummaryLine) -> str:
    if line.value is None:
        return NOT_KNOWN
    return TOO_CLOSE if line.blind is not None and line.ceiling is not None else "no blind guess or ceiling"


def _bar(advantage: Interval | None) -> tuple[float, float, float] | None:
    """Return where the bar ends and where its interval begins and ends, in percent."""
    if advantage is None:
        return None
    mean = advantage.mean
    low = mean if advantage.low is None else advantage.low
    high = mean if advantage.high is None else advantage.high
    return (round(100 * mean, 1), round(100 * low, 1), round(100 * high, 1))


def _cost(line: SummaryLine) -> str:
    cost = "" if line.cost is None else f"cost {number(line.cost)}"
    tampered = "" if line.tampering_cost is None else f"{number(line.utility_undefended)} without tampering"
    return ", ".join(filter(None, (cost, tampered, withheld(line))))


def withheld(line: SummaryLine) -> str:
    """Say how many predictions a defense keeps back."""
    return f"{line.withheld:.0%} withheld" if line.withheld else ""
