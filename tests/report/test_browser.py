import re
import shutil
import subprocess

import pytest

from imagined_findings import finding
from seepage.audit.findings.survey import Survey
from seepage.report import render

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--virtual-time-budget=10000", "--enable-logging=stderr", "--v=0",
)  # fmt: skip

pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium on the PATH to open the page")


def opened(html, folder):
    """Return the page as a browser has it after running its scripts, and what its console said."""
    path = folder / "report.html"
    path.write_text(html, encoding="utf-8")
    done = subprocess.run(
        [BROWSER, *QUIET, f"--user-data-dir={folder / 'profile'}", "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_a_browser_draws_the_chart_without_complaint(audit, tmp_path):
    dom, console = opened(render(Survey(audit, "seeds = 3")), tmp_path)
    assert re.search(r'<svg[^>]*class="main-svg"', dom)
    assert dom.count('class="trace scatter') == 10
    assert console == []


def test_a_script_that_is_not_ours_does_not_run(audit, tmp_path):
    html = render(Survey(audit))
    intruder = "<script>document.body.append('intruder was here'.toUpperCase())</script></body>"
    dom, console = opened(html.replace("</body>", intruder, 1) if html.count("</body>") == 1 else "", tmp_path)
    assert "main-svg" in dom
    assert "INTRUDER WAS HERE" not in dom
    assert any("Content Security Policy" in line for line in console)


def test_names_with_tags_are_text_in_the_chart_too(tmp_path):
    dom, console = opened(render(Survey([finding(defense="<img src=x>", federation="</script><b>")])), tmp_path)
    assert "main-svg" in dom
    assert "<img" not in dom.split("<script>")[0]
    assert console == []
