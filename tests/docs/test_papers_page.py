"""docs/papers.md: every table of the catalog, with its command, its code, its page and how far it has got."""

import re
from pathlib import Path

import pytest

from seepage.papers.described import PAPERS, described
from seepage.papers.table import markdown_lines

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "papers.md"
MARK = re.compile(r"(<!-- paper: (\w+) -->\n\n)((?:\|.*\n)+)")
STATE = re.compile(r"numbers|(numbers in part|runs): \S.*[^.]|runs")
LACKING = re.compile(r"[Nn]o numbers of ours|Not run for this page")


def lines_of(paper):
    for table, told in described(PAPERS[paper]).items():
        file = f"papers/{PAPERS[paper]}/{told['file']}.py"
        assert (ROOT / "src" / "seepage" / file).is_file()
        yield {
            "in the paper": re.sub("Paper [0-9]+", "The paper", re.sub(",? of paper [0-9]+", "", told["title"])),
            "command": f"`seepage reproduce {paper}/{table}`",
            "code": f"`{file}`",
            "numbers": f"[{told['page']}](results/{told['page']})",
            "state": told["state"],
        }


def redrawn(text):
    return MARK.sub(lambda found: found[1] + "\n".join(markdown_lines(list(lines_of(found[2])))) + "\n", text)


def test_page_has_every_table_of_the_catalog(request):
    text = PAGE.read_text("utf-8")
    assert [found[2] for found in MARK.finditer(text)] == list(PAPERS)
    if request.config.getoption("--refresh-shown"):
        PAGE.write_text(redrawn(text), "utf-8")
    else:
        assert text == redrawn(text), "draw it anew with pytest tests/docs/test_papers_page.py --refresh-shown"


@pytest.mark.parametrize("paper", PAPERS)
def test_states_are_what_the_pages_show(paper):
    """A page that says it lacks numbers belongs to a table that says so too, and the other way round."""
    told = described(PAPERS[paper])
    assert all(STATE.fullmatch(table["state"]) for table in told.values())
    for page in {table["page"] for table in told.values()}:
        lacks = LACKING.search((ROOT / "docs" / "results" / page).read_text("utf-8")) is not None
        states = [table["state"] for table in told.values() if table["page"] == page]
        assert lacks or not any(state.startswith("runs") for state in states), f"{page} does not say what it lacks"
        assert not lacks or any(state != "numbers" for state in states), f"{page} lacks what tables say it has"
