"""What an audit found, as one value to look at, keep and draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, overload

from seepage.audit.findings.finding import Finding, read_findings, to_lines
from seepage.audit.findings.folder import PLAN_FILE, REPORT_FILE
from seepage.audit.findings.frame import frame_of
from seepage.audit.findings.notes import Notes, read_notes
from seepage.audit.findings.survey import Survey
from seepage.audit.plan.plan import Plan, plan_text, read_plan
from seepage.files import check_file, private_folder, write_private
from seepage.scores.digits import counted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Findings(Sequence[Finding]):
    """Findings in the order of their plan: a list that can be shown, tabulated, saved and drawn.

    Examples
    --------
    >>> import seepage
    >>> chosen = {"federations": "logistic-regression", "attacks": "gradient-sign", "defenses": "none"}
    >>> findings = seepage.audit("iris", **chosen, seeds=2)
    >>> findings
    <Findings: 2 runs of 1 attack on 1 federation>
    >>> findings[0].value
    1.0
    >>> findings.to_frame()[["attack", "defense", "seeds", "advantage"]].to_dict("records")
    [{'attack': 'gradient-sign', 'defense': 'none', 'seeds': 2, 'advantage': 1.0}]
    """

    found: tuple[Finding, ...]
    plan: Plan | None = None
    notes: Notes = Notes()

    @classmethod
    def read(cls, folder: str | Path) -> "Findings":
        """Read what an audit wrote into a folder."""
        plan = Path(folder) / PLAN_FILE
        found = tuple(read_findings(Path(folder)))
        return cls(found, read_plan(plan) if plan.is_file() else None, read_notes(Path(folder)))

    @property
    def about(self) -> str:
        """Which data, and over how many seeds.

        >>> Findings(()).about
        'no findings'
        """
        if not self.found:
            return "no findings"
        data = ", ".join(dict.fromkeys(one.data for one in self.found))
        return f"{data}, {counted(len({one.seed for one in self.found}), 'seed')}"

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, place: int) -> Finding: ...
    @overload
    def __getitem__(self, place: slice) -> "Findings": ...
    def __getitem__(self, place: int | slice) -> "Finding | Findings":
        return Findings(self.found[place], self.plan, self.notes) if isinstance(place, slice) else self.found[place]

    def __repr__(self) -> str:
        attacks = counted(len({one.attack for one in self.found}), "attack")
        federations = counted(len({one.federation for one in self.found}), "federation")
        return f"<Findings: {counted(len(self), 'run')} of {attacks} on {federations}>"

    def _repr_html_(self) -> str:
        """Return the table that the command line prints, for notebooks."""
        from seepage.report import notebook_table

        return notebook_table(self)

    def to_frame(self, *, per_seed: bool = False) -> "pd.DataFrame":
        """Return a data frame, for which pandas must be installed.

        It has a row for each line of the tables: means over seeds, the advantage with its
        95 % interval, and a column for every setting, such as ``defense.scale``. No defense is
        called ``none``.

        Parameters
        ----------
        per_seed
            Whether there is a row for each seed instead.
        """
        return frame_of(self, per_seed=per_seed)

    def to_json_lines(self) -> str:
        """Return one JSON object a line, as ``findings.jsonl`` has them."""
        return to_lines(self)

    def save(self, path: str | Path) -> Path:
        """Write the JSON lines into a file, whole or not at all."""
        target = check_file(Path(path))
        private_folder(target.parent)
        return write_private(target, self.to_json_lines())

    def report(self, path: str | Path) -> Path:
        """Draw the findings as one self-contained page, and return where it is.

        Parameters
        ----------
        path
            A file, or a folder for ``report.html``.
        """
        from seepage.report import render

        named = Path(path)
        target = check_file(named / REPORT_FILE if named.is_dir() or not named.suffix else named)
        private_folder(target.parent)
        text = plan_text(self.plan) if self.plan is not None else None
        return write_private(target, render(Survey(self, text, notes=self.notes)))
