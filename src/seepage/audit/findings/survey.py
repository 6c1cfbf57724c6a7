"""Findings summed up once: whatever terminal, notebook and page say is read from here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from seepage.attacks.attack import ASSETS
from seepage.audit.findings.certainty import Certainty
from seepage.audit.findings.circumstances import Settings, grouped
from seepage.audit.findings.finding import CHOSEN, Finding, read_findings
from seepage.audit.findings.folder import PLAN_FILE
from seepage.audit.findings.labels import settings_text, telling
from seepage.audit.findings.matrix import Cell, cell_of, place_of
from seepage.audit.findings.notes import Notes, read_notes
from seepage.audit.findings.purpose import Purpose, purposes
from seepage.audit.findings.scenes import Scene, scenes
from seepage.audit.findings.summary import SummaryLine, summarize
from seepage.audit.findings.unfinished import Unfinished, read_unfinished
from seepage.audit.findings.verdicts import Verdict
from seepage.audit.recommending.recommendation import Recommendation, read_recommendation


@dataclass(frozen=True)
class Survey:
    """What an audit found, from all sides. Everything is computed when it is first asked for, and once.

    Parameters
    ----------
    findings
        What was found, one for each seed.
    plan_text
        The plan as it was written.
    unfinished
        How far the audit came, where it was stopped.
    notes
        What to know when reading the findings: remarks that were told, and what a constant is worth.
    recommendation
        What was recommended, where somebody asked for it.
    """

    findings: Sequence[Finding]
    plan_text: str | None = None
    unfinished: Unfinished | None = None
    notes: Notes = Notes()
    recommendation: Recommendation | None = None

    @classmethod
    def read(cls, folder: Path) -> "Survey":
        """Read all that an audit wrote into a folder."""
        plan = folder / PLAN_FILE
        text = plan.read_text(encoding="utf-8", errors="replace") if plan.is_file() else None
        return cls(
            read_findings(folder), text, read_unfinished(folder), read_notes(folder), read_recommendation(folder)
        )

    @cached_property
    def lines(self) -> tuple[SummaryLine, ...]:
        """Means over seeds, one for each thing that was tried or chosen, in the order of the findings."""
        return tuple(summarize(self.findings))

    @cached_property
    def tried(self) -> tuple[SummaryLine, ...]:
        """The lines that count for the worst case: all but those of adversaries who choose."""
        return tuple(line for line in self.lines if line.first.role != CHOSEN)

    @cached_property
    def purposes(self) -> tuple[Purpose, ...]:
        """What each federation is worth beyond what the label holder reaches alone."""
        return tuple(purposes(self.findings, self.notes.constant))

    @cached_property
    def aims(self) -> tuple[tuple[str, str | None], ...]:
        """Assets with their properties as they are told: those that were not tried as well, any others at the end."""
        found = dict.fromkeys((line.first.asset, line.first.property) for line in self.lines)
        order = list(dict.fromkeys((*ASSETS, *(asset for asset, _ in found))))
        missing = [(asset, None) for asset in order if asset not in {tried for tried, _ in found}]
        return tuple(sorted((*missing, *found), key=lambda aim: order.index(aim[0])))

    @cached_property
    def scenes(self) -> tuple[Scene, ...]:
        """Where defenses can be compared: aim by aim, in the order in which something was run."""
        ran_first = sorted(self.lines, key=lambda line: line.status != "ok")
        return tuple(sorted(scenes(ran_first), key=lambda one: self.aims.index((one.first.asset, one.first.property))))

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What is to be said about each aim."""
        return tuple(self._verdict(*aim) for aim in self.aims)

    @cached_property
    def certainty(self) -> Certainty:
        """How many seeds and rows stand behind all this."""
        return Certainty.of(self.tried)

    @cached_property
    def active(self) -> str | None:
        """The party that holds the labels: who asks what it gives away; None where findings do not name it."""
        named = (one.partition.get("active") for one in self.findings)
        return next((str(name) for name in named if name is not None), None)

    def is_ours(self, scene: Scene) -> bool:
        """Whether the label holder is among those who learn; where it is not named, who goes for labels is not."""
        if self.active is not None:
            return self.active in scene.first.adversary
        after_labels = {one.first.adversary for one in self.scenes if one.first.asset == "labels"}
        return scene.first.adversary not in after_labels

    @cached_property
    def adversaries(self) -> tuple[tuple[str, ...], ...]:
        """Everybody who tried to learn something, in the order of appearance."""
        return tuple(dict.fromkeys(one.first.adversary for one in self.scenes))

    @cached_property
    def matrix(self) -> tuple[Cell, ...]:
        """A cell for every aim that was tried, on every federation, by every adversary."""
        places = {place_of(scene.first): scene.first for scene in self.scenes}
        held = {(_aim(one.first), place_of(one.first), one.first.adversary): one for one in self.scenes}
        aims = {_aim(scene.first): scene.first for scene in self.scenes}
        return tuple(
            cell_of(
                around.model_copy(update={"asset": aim[0], "property": aim[1]}),
                adversary,
                held.get((aim, place, adversary)),
                self.federation_details(around),
            )
            for aim in aims
            for place, around in places.items()
            for adversary in self.adversaries
        )

    def attack_details(self, finding: Finding) -> str:
        """Write what tells an attack apart from others of its name."""
        return settings_text(telling(finding.attack_settings, self._variants["attack", finding.attack]))

    def federation_details(self, finding: Finding) -> str:
        """Write what tells a federation apart from others of its name."""
        return settings_text(telling(_surroundings(finding), self._variants["federation", finding.federation]))

    def _verdict(self, asset: str, asked: str | None) -> Verdict:
        def about(first: Finding) -> bool:
            return (first.asset, first.property) == (asset, asked)

        return Verdict(
            asset,
            asked,
            tuple(line for line in self.lines if about(line.first)),
            tuple(scene for scene in self.scenes if about(scene.first)),
        )

    @cached_property
    def _variants(self) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
        """The different settings that attacks and federations of each name were tried with."""
        every = [line.first for line in self.lines]
        attacks = (("attack", one.attack, Settings(one.attack_settings)) for one in every)
        federations = (("federation", one.federation, Settings(_surroundings(one))) for one in every)
        different = grouped(dict.fromkeys((*attacks, *federations)), lambda variant: variant[:2])
        return {named: [settings.values for *_, settings in variants] for named, variants in different.items()}


def _aim(finding: Finding) -> tuple[str, str | None]:
    return finding.asset, finding.property


def _surroundings(finding: Finding) -> dict[str, Any]:
    return {
        "data": finding.data,
        **finding.model_settings,
        "parties": finding.parties,
        "encoding": finding.encoding,
        "scaling": finding.scaling,
        "split": finding.split,
    }
