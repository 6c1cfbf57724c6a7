"""The lines that the page on recordings shows are those of the example."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_shows_what_the_example_does():
    page = (ROOT / "docs" / "recordings.md").read_text(encoding="utf-8")
    shown = page.split("```python\n")[1].split("```")[0]
    assert shown in (ROOT / "examples" / "torch_loop.py").read_text(encoding="utf-8")
    added = [line for line in shown.splitlines() if line.lstrip().startswith(("record", "tap", "print"))]
    assert len(added) <= 12
