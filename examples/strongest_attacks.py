"""Write down the strongest attack on each federation, with and without each defense, from what audits have found.

Run it with the folders of several audits; what several folders hold of one data set is put together. The tables are
printed as Markdown, one for each asset:

    python examples/strongest_attacks.py runs/breast_cancer runs/digits > strongest.md
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path

from seepage.audit.findings.finding import Finding, read_findings
from seepage.audit.findings.labels import label
from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.survey import Survey
from seepage.scores.digits import number

NOTHING = "–"


def tables(audits: Mapping[str, Sequence[Finding]]) -> Iterator[str]:
    """Yield a table for each asset: federations and defenses down, data sets across."""
    found = {name: Survey(findings).scenes for name, findings in audits.items()}
    every = [scene for stage in found.values() for scene in stage if scene.telling]
    for asset in dict.fromkeys(scene.first.asset for scene in every):
        yield f"\n## {asset.capitalize()}\n"
        yield f"| federation, adversary | defense | {' | '.join(audits)} |"
        yield "|---|---|" + "---|" * len(audits)
        mine = [scene for scene in every if scene.first.asset == asset]
        for place in dict.fromkeys(map(_place, mine)):
            for defense in dict.fromkeys(
                _defense(trial) for scene in mine if _place(scene) == place for trial in scene.trials
            ):
                cells = [_cell([one for one in stage if _is(one, asset, place)], defense) for stage in found.values()]
                yield f"| {place} | {defense} | {' | '.join(cells)} |"


def _place(scene: Scene) -> str:
    first = scene.first
    active = next(iter(first.partition.get("columns", {})), None)
    return f"{first.federation}, {'active' if active in first.adversary else 'passive'}"


def _is(scene: Scene, asset: str, place: str) -> bool:
    return scene.first.asset == asset and _place(scene) == place


def _defense(trial: Trial) -> str:
    return label(trial.first.defense, dict(list(trial.first.defense_settings.items())[:1]))


def _cell(stage: Sequence[Scene], defense: str) -> str:
    trials = [trial for scene in stage for trial in scene.trials if _defense(trial) == defense]
    strongest = max((trial.strongest for trial in trials if trial.strongest), key=attrgetter("strength"), default=None)
    if strongest is None:
        return NOTHING
    chosen = next((trial.chosen for trial in trials if trial.chosen and trial.chosen.advantage), None)
    picked = f"; chosen {number(chosen.reach)}" if chosen else ""
    metric = strongest.measure
    value, blind = metric.written(strongest.value), metric.written(strongest.blind)
    return f"**{number(strongest.reach)}** {strongest.first.attack} ({metric.title} {value}, blind {blind}{picked})"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    audits: dict[str, list[Finding]] = {}
    for folder in sys.argv[1:]:
        for finding in read_findings(Path(folder)):
            audits.setdefault(finding.data, []).append(finding)
    sys.stdout.write("\n".join(tables(audits)) + "\n")
