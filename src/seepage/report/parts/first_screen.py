"""The first screen: what was audited, and the three answers that people come for."""

from dataclasses import dataclass

from seepage.audit.findings.survey import Survey
from seepage.report.first_words import first_words
from seepage.report.parts.audited import audited
from seepage.report.parts.glossary import Entry, glossary, named_in
from seepage.report.plain_table import Fact


@dataclass(frozen=True)
class FirstScreen:
    """What was looked at, what the federation is for, answers to questions, how sure they are, and their words."""

    audited: list[Fact]
    marks: tuple[str, ...]
    purpose: str
    answers: tuple[tuple[str, str], ...]
    certainty: str
    words: tuple[Entry, ...]


def first_screen(survey: Survey) -> FirstScreen | None:
    """Gather what has to be seen first; the sentences are those of the terminal. None without findings."""
    if not survey.findings:
        return None
    said = first_words(survey)
    about_holder, about_others = _headings(survey)
    asked = {about_holder: said.theirs, about_others: said.ours, "What to switch on": said.advice}
    answers = tuple((question, answer) for question, answer in asked.items() if answer)
    words = named_in(" ".join(said.sentences), glossary(survey))
    return FirstScreen(audited(survey), survey.certainty.marks, said.purpose, answers, said.certainty, words)


def _headings(survey: Survey) -> tuple[str, str]:
    """Return what is asked about the label holder, and about the others, in the words of whom the page is for."""
    holder, reader = survey.active, survey.notes.reader
    if reader is not None and reader != holder:
        return f"What can be learned about {holder}", f"What {holder} can learn about us ({reader})"
    us = f"us ({holder})" if holder else "us"
    return f"What partners can learn about {us}", "What we can learn about them"
