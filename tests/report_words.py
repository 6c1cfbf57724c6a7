"""What a page and its verdicts say about findings made by hand."""

import re
from html import unescape

from seepage.audit.findings.survey import Survey
from seepage.cli.tables import print_survey
from seepage.report import render
from seepage.report.sentences import worded_verdicts


def without_scripts(page):
    """Return a page as it is written, without style and scripts."""
    return re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)


def plain_words(page):
    """Return the text of a page, without scripts and tags."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", without_scripts(page))).split())


def words_of(findings):
    """Return the text of the page about some findings."""
    return plain_words(render(Survey(findings)))


def printed(capsys, *findings):
    """Return what the terminal shows."""
    print_survey(Survey(findings), "as tested")
    return capsys.readouterr().out


def said_about(asset, findings):
    """Return the first verdict on an asset, in words."""
    return next(said for said in worded_verdicts(Survey(findings)) if said.verdict.asset == asset)
