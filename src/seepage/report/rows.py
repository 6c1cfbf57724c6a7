"""The rows of 'Who can learn what': by federation the strongest guess under each defense, then all the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seepage.audit.findings.finding import Finding
from seepage.audit.findings.summary import SummaryLine
from seepage.report.amounts import level
from seepage.report.scenes import Scene, Trial, scenes
from seepage.report.sentences import ASSETS
from seepage.report.wording import bounds, opening, settings, subject, together
from seepage.scores.digits import NO_NUMBER, number
from seepage.scores.metrics import metric_of

TOO_CLOSE = "blind and ceiling are too close"
NOT_KNOWN = "truth not known"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a table, written out. `opens` marks the first row of a group."""

    attack: str
    attack_details: str
    defense: str
    defense_details: str
    undefended: bool
    value: str
    value_details: str
    blind: str
    blind_kind: str
    reference: str
    ceiling: str
    ceiling_kind: str
    advantage: str
    advantage_details: str
    answered: str
    chosen: str
    idle: str
    level: str
    bar: tuple[float, float, float] | None
    utility: str
    utility_metric: str
    cost: str
    traffic: str
    traffic_details: str
    seeds: str
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
        return any(row.traffic for group in (*self.strongest, *self.others) for row in group.rows)

    @property
    def hidden(self) -> int:
        """How many lines stand in the second table."""
        return sum(len(group.rows) for group in self.others)


Varying = Callable[[Finding], tuple[str, str]]


def tables(lines: Iterable[SummaryLine]) -> Tables:
    """Write out every line that was run, federation by federation, the largest leak first."""
    fine = [line for line in lines if line.status == "ok"]
    assets = list(dict.fromkeys((*ASSETS, *(line.first.asset for line in fine))))
    asked = list(dict.fromkeys(line.first.property for line in fine))
    stage = sorted(
        scenes(fine),
        key=lambda scene: (
            assets.index(scene.first.first.asset),
            asked.index(scene.first.first.property),
            not scene.telling,
            -_worst(scene),
        ),
    )
    varying = _varying(fine)
    strongest, others = [], []
    for scene in stage:
        shown = [_shown(trial) for trial in scene.trials] if scene.telling or not _scored(scene) else []
        rest = [line for trial in scene.trials for line in trial.lines if not any(line is other for other in shown)]
        strongest += [_group(scene, shown, varying)] * bool(shown)
        others += [_group(scene, rest, varying)] * bool(rest)
    return Tables(strongest=tuple(strongest), others=tuple(others))


def _shown(trial: Trial) -> SummaryLine:
    return trial.strongest or trial.lines[0]


def _scored(scene: Scene) -> bool:
    return any(line.advantage for trial in scene.trials for line in trial.lines)


def _worst(scene: Scene) -> float:
    return max(_mean(_shown(trial)) for trial in scene.trials[:1])


def _group(scene: Scene, lines: Sequence[SummaryLine], varying: Varying) -> Group:
    first = scene.first.first
    attacks = list(dict.fromkeys(_attack(line, varying) for line in lines))
    ordered = sorted(lines, key=lambda line: (line.first.defense is not None, -_mean(line)))
    if len(attacks) > 1 and len(lines) > len(scene.trials):  # several lines for a defense: by attack, then by defense
        ordered.sort(key=lambda line: attacks.index(_attack(line, varying)))
    bare = scene.undefended
    undefended = sum(bare.lines[0].first.traffic.values()) if bare else 0
    return Group(
        learned=opening(subject(first.asset, first.property)),
        federation=first.federation,
        details=varying(first)[1],
        adversary=together(first.adversary),
        rows=tuple(_row(line, varying, undefended, _chosen(line, scene), opens=line is ordered[0]) for line in ordered),
    )


def _attack(line: SummaryLine, varying: Varying) -> tuple[str, str]:
    return line.first.attack, varying(line.first)[0]


def _chosen(line: SummaryLine, scene: Scene) -> str:
    """Write, beside the strongest attack, what an adversary reaches who picks its attack without the truth."""
    trial = next((trial for trial in scene.trials if trial.strongest is line), None)
    picked = trial.chosen.advantage if trial and trial.chosen else None
    return f"{number(picked.mean)} by its own choice" if picked else ""


def _row(line: SummaryLine, varying: Varying, undefended: int, chosen: str, *, opens: bool) -> Row:
    first, advantage = line.first, line.advantage
    sealed = sum(first.traffic.values())
    return Row(
        attack=first.attack,
        attack_details=varying(first)[0],
        defense=first.defense or "none",
        defense_details=settings(first.defense_settings),
        undefended=first.defense is None,
        value=line.measure.written(line.value),
        value_details=_value_details(line),
        blind=line.measure.written(line.blind),
        blind_kind=line.blind_kind or "",
        reference=_reference(line),
        ceiling=line.measure.written(line.ceiling),
        ceiling_kind=line.ceiling_kind or "",
        advantage=number(advantage.mean) if advantage else NO_NUMBER,
        advantage_details=bounds(advantage) if advantage else _why_no_advantage(line),
        answered=_answered(line),
        chosen=chosen,
        idle=_no_better(line),
        level=level(advantage.mean) if advantage else "unknown",
        bar=_bar(line),
        utility=number(line.utility),
        utility_metric=metric_of(first.utility_metric).title,
        cost=_cost(line),
        traffic=f"{sealed:,}" if first.traffic else "",
        traffic_details=f"× {sealed / undefended:.2f}" if first.defense is not None and sealed and undefended else "",
        seeds=f"{line.seeds} of {line.seeds + line.failed}" if line.failed else str(line.seeds),
        opens=opens,
    )


def _value_details(line: SummaryLine) -> str:
    if line.value is None:
        return NOT_KNOWN
    return f"{line.measure.title}, {line.first.rows} rows"


def _answered(line: SummaryLine) -> str:
    """Say what an attack that is silent on many rows reaches on the others."""
    if not line.betrays_some_rows or line.advantage_answered is None:
        return ""
    return f"{number(line.advantage_answered.mean)} on the {line.answered:.0%} answered"


def _no_better(line: SummaryLine) -> str:
    """Say so where guessed values, branches or shares are no nearer to the truth than blind ones."""
    if not line.measure.names_blind or line.advantage is None or line.advantage.mean > 0:
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


def _bar(line: SummaryLine) -> tuple[float, float, float] | None:
    """Return where the bar ends and where its interval begins and ends, in percent."""
    if line.advantage is None:
        return None
    mean = line.advantage.mean
    low = mean if line.advantage.low is None else line.advantage.low
    high = mean if line.advantage.high is None else line.advantage.high
    return (round(100 * mean, 1), round(100 * low, 1), round(100 * high, 1))


def _cost(line: SummaryLine) -> str:
    withheld = f"{line.withheld:.0%} withheld" if line.withheld else ""
    cost = "" if line.cost is None else f"cost {number(line.cost)}"
    tampered = "" if line.tampering_cost is None else f"{number(line.utility_undefended)} without tampering"
    return ", ".join(filter(None, (cost, tampered, withheld)))


def _varying(lines: Sequence[SummaryLine]) -> Varying:
    """Return what tells apart attacks, and federations, that have the same name."""
    attacks: dict[str, list[Mapping[str, Any]]] = {}
    federations: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        attacks.setdefault(line.first.attack, []).append(line.first.attack_settings)
        federations.setdefault(line.first.federation, []).append(_surroundings(line.first))
    several_data = len({line.first.data for line in lines}) > 1
    of_attacks = {name: _differing(everyone) for name, everyone in attacks.items()}
    of_federations = {name: _differing(everyone) for name, everyone in federations.items()}

    def varying(finding: Finding) -> tuple[str, str]:
        attack = _only(finding.attack_settings, of_attacks[finding.attack])
        federation = _only(_surroundings(finding), of_federations[finding.federation])
        if several_data:
            federation = {"data": finding.data, **federation}
        baseline = "baseline" if finding.role == "baseline" else ""
        return "; ".join(filter(None, (baseline, settings(attack)))), settings(federation)

    return varying


def _surroundings(finding: Finding) -> dict[str, Any]:
    return {
        **finding.model_settings,
        "parties": finding.parties,
        "encoding": finding.encoding,
        "scaling": finding.scaling,
        "split": finding.split,
    }


def _differing(everyone: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the settings that are not the same for all."""
    first, *others = everyone
    distinct = [other for other in others if other is not first and other != first]
    keys = dict.fromkeys(key for one in (first, *distinct) for key in one)
    return {key for key in keys if any(other.get(key) != first.get(key) for other in distinct)}


def _only(mine: Mapping[str, Any], keys: set[str]) -> dict[str, Any]:
    return {key: value for key, value in mine.items() if key in keys}


def _mean(line: SummaryLine) -> float:
    return line.advantage.mean if line.advantage else -1.0
