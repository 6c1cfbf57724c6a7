"""How to run the audit again, with what it was run, and what to cite."""

from dataclasses import dataclass

from seepage.audit.findings.survey import Survey
from seepage.citations import Paper, cited
from seepage.defenses import DEFENSES
from seepage.report.circumstances import DealtColumns, dealings, facts
from seepage.report.plain_table import Fact


@dataclass(frozen=True)
class Rerun:
    """The plan as it was written, circumstances that make two audits comparable, and papers."""

    plan_text: str | None
    dealings: list[DealtColumns]
    facts: list[Fact]
    papers: list[Paper]

    @property
    def bibtex(self) -> str:
        """All entries for a bibliography."""
        return "\n\n".join(paper.bibtex for paper in self.papers)


def rerun(survey: Survey) -> Rerun | None:
    """Tell how the numbers came about; None where there is nothing to tell."""
    if not survey.findings and not survey.plan_text:
        return None
    named = dict.fromkeys(name for one in survey.findings for name in (one.attack, *DEFENSES.parts(one.defense or "")))
    return Rerun(survey.plan_text, dealings(survey.findings), facts(survey.findings), cited(named))
