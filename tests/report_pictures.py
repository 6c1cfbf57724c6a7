"""Make the pictures of README and documentation from a real audit: `make pictures`, or this file with a folder."""

import sys
from pathlib import Path

import chromium
from seepage.report import write_report

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def main(folder: Path) -> None:
    """Draw the report of a folder again, and take its pictures."""
    if not chromium.READY:
        sys.exit(f"There is {chromium.MISSING}.")
    page = write_report(folder)
    with chromium.window() as window:
        for name, size, dark, place in PICTURES:
            window.show(page, size, dark=dark)
            window.picture(IMAGES / name, place)
            print(IMAGES / name)


PICTURES = (
    ("report.png", (1280, 800), False, ""),
    ("report-dark.png", (1280, 800), True, ""),
    ("report-chart.png", (1280, 760), False, "#trade-offs"),
    ("report-phone.png", (375, 760), False, ""),
)
"""Name, size, whether it is dark, and which part of the page is at the top."""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
