"""Tables of the page that compares defenses are drawn from stored findings, and never typed."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "results" / "defenses.md"
DRAWN = re.compile(r"<!-- drawn: (?P<task>table|built) (?P<stored>\S+) (?P<asset>\w+) -->\n\n(?P<shown>(?:\|.*\n)+)")


def script():
    spec = importlib.util.spec_from_file_location("defenses_compared", ROOT / "examples" / "defenses_compared.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_tables_are_what_the_script_says(request):
    compared, page = script(), PAGE.read_text("utf-8")

    def redrawn(found):
        findings = compared.kept(ROOT / found["stored"])
        lines = getattr(compared, found["task"])(findings, found["asset"])
        return found[0].replace(found["shown"], "".join(f"{line}\n" for line in lines))

    now = DRAWN.sub(redrawn, page)
    if request.config.getoption("--refresh-shown"):
        PAGE.write_text(now, "utf-8")
    else:
        assert now == page, "draw it anew with pytest tests/docs/test_defenses_page.py --refresh-shown"
    assert len(DRAWN.findall(page)) >= 3


@pytest.mark.parametrize("asset", ["labels", "features"])
def test_each_asset_has_its_picture(asset):
    assert f"(defenses-{asset}.svg)" in PAGE.read_text("utf-8")
    assert (PAGE.parent / f"defenses-{asset}.svg").is_file()
