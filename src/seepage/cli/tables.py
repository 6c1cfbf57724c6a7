"""Findings on the terminal: the verdict in a few lines, or everything."""

from typing import TYPE_CHECKING

from seepage.cli.console import err
from seepage.cli.layout import print_rows, say

if TYPE_CHECKING:
    from seepage.audit.findings.survey import Survey


def print_verdict(survey: "Survey", title: str) -> None:
    """Print a few sentences, then a line for each asset, adversary and federation, then what did not apply."""
    from seepage.report.first_words import first_words
    from seepage.report.lines import ANSWERS, PLACES, lines

    for sentence in first_words(survey).sentences:
        say(sentence, hanging="  ")
    shown = lines(survey)
    if shown.rows:
        print_rows(title, (*PLACES, *ANSWERS), shown.rows, names=len(PLACES))
    for note in shown.notes:
        say(note)
    _print_failed(survey)


def print_survey(survey: "Survey", title: str, *, every: bool = False) -> None:
    """Print the strongest attack under each defense, then what could not be tried and why.

    Parameters
    ----------
    every
        Whether there is a line for every defense also where next to nothing was learned.
    """
    from seepage.report.gaps import gaps
    from seepage.report.overview import NAMES, NUMBERS, overview

    shown = overview(survey, every=every)
    if shown.rows:
        print_rows(title, (*NAMES, *NUMBERS), shown.rows, names=len(NAMES), right=True)
    for note in shown.notes:
        say(note, note[: len(note) - len(note.lstrip())])
    for gap in gaps(survey, "not applicable"):
        say(f"{gap.sentence}: not applicable. {gap.reason}")
    _print_failed(survey)


def _print_failed(survey: "Survey") -> None:
    from seepage.report.gaps import gaps

    for gap in gaps(survey, "failed"):
        err.print(f"{gap.sentence}: failed. {gap.reason}", markup=False)
