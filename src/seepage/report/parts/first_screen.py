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
    said, us = first_words(survey), f"us ({survey.active})" if survey.active else "us"
    asked = {
        f"What partners can learn about {us}": said.theirs,
        "What we can learn about them": said.ours,
        "What to switch on": said.advice,
    }
    answers = tuple((question, answer) for question, answer in asked.items() if answer)
    words = named_in(" ".join(said.sentences), glossary(survey))
    return FirstScreen(audited(survey), survey.certainty.marks, said.purpose, answers, said.certainty, words)
