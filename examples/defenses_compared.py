"""Compare all defenses on several data sets: what they leave to the strongest attack, and what they cost.

    python examples/defenses_compared.py keep docs/results/defenses.jsonl.xz runs/breast_cancer runs/digits
    python examples/defenses_compared.py table docs/results/defenses.jsonl.xz labels
    python examples/defenses_compared.py built docs/results/built-otherwise.jsonl.xz labels
    python examples/defenses_compared.py draw docs/results/defenses.jsonl.xz docs/results

The first puts what audits have found into one compressed file. The second prints a table of one asset as Markdown, the
third one of a federation that was built in several ways, without a defense. The fourth draws a picture of each asset.
"""

import json
import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from seepage.audit.findings.finding import Finding, read_findings
from seepage.audit.findings.labels import UNDEFENDED, defense_label, settings_text, telling
from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.survey import Survey
from seepage.scores.digits import NO_NUMBER, number
from seepage.scores.intervals import Interval

BARE: Final[Mapping[str, Any]] = {
    "partition": {},
    "versions": {},
    "knowledge": {},
    "bounds": {},
    "pictures": {},
    "traffic": {},
    "crossed": (),
}
"""What no table shows, and takes most room."""


def keep(target: Path, folders: Sequence[Path]) -> None:
    """Write what several audits have found into one file."""
    found = [one.model_copy(update=BARE) for folder in folders for one in read_findings(folder) if one.role != "chosen"]
    lines = "".join(json.dumps(one.to_json(), ensure_ascii=False) + "\n" for one in found)
    target.write_bytes(lzma.compress(lines.encode(), preset=9))


def kept(source: Path) -> list[Finding]:
    """Read that file."""
    lines = lzma.decompress(source.read_bytes()).decode().splitlines()
    return [Finding.from_json(json.loads(line)) for line in lines]


def scenes(findings: Sequence[Finding], asset: str) -> list[Scene]:
    """Return the scenes of one asset, data set by data set."""
    return [scene for scene in Survey(findings).scenes if scene.first.asset == asset and scene.attacked]


def table(findings: Sequence[Finding], asset: str) -> Iterator[str]:
    """Yield the lines of a table: a federation under a defense in each, data sets across."""
    stage = scenes(findings, asset)
    data = list(dict.fromkeys(scene.first.data for scene in stage))
    yield f"| federation | defense | {' | '.join(data)} |"
    yield f"|---|---|{'---|' * len(data)}"
    for federation in dict.fromkeys(scene.first.federation for scene in stage):
        here = {scene.first.data: scene for scene in stage if scene.first.federation == federation}
        names = dict.fromkeys(defense_label(trial.first, short=True) for one in here.values() for trial in one.trials)
        for name in names:
            cells = [_cell(here.get(one), name) for one in data]
            yield f"| {federation} | {name} | {' | '.join(cells)} |"


def built(findings: Sequence[Finding], asset: str) -> Iterator[str]:
    """Yield the lines of a table of one asset: how a federation was built in each, data sets across."""
    stage = [scene for scene in Survey(findings).scenes if scene.first.asset == asset and scene.attacked]
    every = [scene.first.model_settings for scene in stage]
    data = list(dict.fromkeys(scene.first.data for scene in stage))
    held = {(_way(scene, every), scene.first.data): scene for scene in stage}
    yield f"| built with | {' | '.join(data)} |"
    yield f"|---|{'---|' * len(data)}"
    for way in dict.fromkeys(way for way, _ in held):
        yield f"| {way} | {' | '.join(_cell(held.get((way, one)), UNDEFENDED) for one in data)} |"


def _way(scene: Scene, every: Sequence[Mapping[str, Any]]) -> str:
    """Write the settings in which a federation differs from the others."""
    return settings_text(telling(scene.first.model_settings, every))


def _cell(scene: Scene | None, name: str) -> str:
    """Write what leaks, by which attack, and what the model is worth less than without a defense."""
    trial = _trial(scene, name)
    if scene is None or trial is None or trial.strongest is None or not trial.complete:
        return NO_NUMBER
    cost = "" if trial is scene.undefended else f", costs {_span(trial.cost)}"
    worth = f", worth {number(trial.utility.mean)}" if trial is scene.undefended and trial.utility else ""
    return f"**{_span(trial.advantage)}** {trial.strongest.first.attack}{cost}{worth}"


def _trial(scene: Scene | None, name: str) -> Trial | None:
    every = scene.trials if scene is not None else ()
    return next((trial for trial in every if defense_label(trial.first, short=True) == name), None)


def _span(held: Interval | None) -> str:
    if held is None:
        return NO_NUMBER
    spread = f" ± {(held.high - held.low) / 2:.2f}" if held.low is not None and held.high is not None else ""
    return f"{held.mean:.2f}{spread}".replace("-", "−")


def draw(findings: Sequence[Finding], folder: Path) -> None:
    """Draw leak against cost, an SVG for each asset and a panel for each data set."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "seepage", "font.size": 8, "svg.fonttype": "none"})
    from matplotlib import pyplot

    for asset in dict.fromkeys(one.asset for one in findings):
        stage = [one for one in scenes(findings, asset) if one.first.federation == "split-network"]
        names = list(dict.fromkeys(trial.first.defense for scene in stage for trial in scene.defended))
        figure, panels = pyplot.subplots(
            1, max(1, len(stage)), figsize=(3.1 * max(1, len(stage)), 4.8), sharey=True, squeeze=False
        )
        for panel, scene in zip(panels[0], stage, strict=False):
            panel.set_title(scene.first.data)
            panel.set_xlabel("cost in utility")
            panel.axhspan(0, 0.2, color="#eef3ee")
            for trial in scene.defended:
                if trial.advantage is None or trial.cost is None or not trial.complete:
                    continue
                place = names.index(trial.first.defense)
                shape = {"fmt": "osD^v<>Pp*Xdh"[place % 13], "color": pyplot.get_cmap("tab20")(place % 20)}
                reach, cost = trial.advantage, trial.cost
                spread = [[reach.mean - (reach.low or 0.0)], [(reach.high or 1.0) - reach.mean]]
                panel.errorbar(
                    cost.mean, reach.mean, yerr=spread, label=trial.first.defense, markersize=4, lw=0.6, **shape
                )
        panels[0][0].set_ylabel(f"advantage ({asset})")
        told = {
            name: mark for panel in panels[0] for mark, name in zip(*panel.get_legend_handles_labels(), strict=True)
        }
        figure.legend(told.values(), told.keys(), loc="lower center", ncols=6, frameon=False)
        figure.tight_layout(rect=(0, 0.05 + 0.045 * -(-len(told) // 6), 1, 1))
        figure.savefig(folder / f"defenses-{asset}.svg", metadata={"Date": None})
        pyplot.close(figure)


def main(task: str, source: Path, *more: str) -> None:
    """Do what was asked for."""
    if task == "keep":
        keep(source, [Path(folder) for folder in more])
    elif task == "table":
        print("\n".join(table(kept(source), more[0])))
    elif task == "built":
        print("\n".join(built(kept(source), more[0])))
    elif task == "draw":
        draw(kept(source), Path(more[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
