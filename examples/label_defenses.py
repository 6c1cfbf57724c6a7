"""Draw what `seepage reproduce label/figure5` has found.

Run it with the folder of one data set, or the file that ``--keep`` wrote and the name of the data set, and the picture
to write:

    python examples/label_defenses.py runs/label-figure5/digits digits.svg
    python examples/label_defenses.py docs/reproductions/label-figure5.jsonl.xz digits digits.svg
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from seepage.audit.findings.finding import Finding, read_findings
from seepage.papers.labels.label_figures import FAMILIES
from seepage.papers.labels.label_setting import TRAIN, active, model_utility, of, passive
from seepage.papers.plans import UNDEFENDED, Variant
from seepage.papers.readings import Reading
from seepage.papers.stored import read_stored

COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Told apart by people with any kind of color vision, on the white that lies behind them in a dark page too."""

_SIDE: Final = 240
_LEFT: Final = 56
_TOP: Final = 86
_GAP: Final = 78
_TICKS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Point:
    """One defense at one setting: what the model is worth, and what an attack still learns."""

    label: str
    worth: float
    leak: float


@dataclass(frozen=True)
class Panel:
    """One attack.

    Parameters
    ----------
    bare
        The point without any defense.
    blind
        What is learned without reading a message.
    families
        Defense → its points, from weak to strong.
    """

    title: str
    bare: Point
    blind: float
    families: Sequence[tuple[str, Sequence[Point]]]


def draw(findings: Sequence[Finding]) -> str:
    """Return the picture: both attacks, and the linear probe in the same trainings."""
    labels = int(findings[0].attack_settings["labels_per_class"])
    panels = []
    for metric, name in (("top1", "{} completion"), ("top1_linear_probe", "linear probe after {} training")):
        for attack, kind, training in ((passive(labels), "passive", "honest"), (active(labels), "active", "malicious")):
            reading = of(attack, metric, TRAIN)
            panels.append(
                Panel(
                    name.format(kind if metric == "top1" else training),
                    point(UNDEFENDED, attack, reading, findings),
                    mean(of(attack, "blind", TRAIN), findings),
                    [
                        (label, [point(variant, attack, reading, findings) for variant in variants])
                        for label, variants in FAMILIES.items()
                    ],
                )
            )
    return trade_off(f"Top-1 of attacks against test accuracy under defenses, {findings[0].data}", panels)


def point(variant: Variant, attack: Reading, reading: Reading, findings: Sequence[Finding]) -> Point:
    """Return one defense: the means over seeds of model and attack."""
    mine = variant.of(findings)
    return Point(variant.label, mean(model_utility(attack), mine), mean(reading, mine))


def mean(reading: Reading, findings: Sequence[Finding]) -> float:
    """Return the mean of one number over seeds."""
    found = reading.of(findings).mean
    if found is None:
        raise SystemExit(f"No finding of {reading.attack} has {reading.metric or 'a value'}; run label/figure5 first.")
    return found


def trade_off(title: str, panels: Sequence[Panel], *, across: int = 2) -> str:
    """Draw the panels side by side as an SVG; both axes run from 0 to 1.

    >>> point = Point("none", 0.9, 0.8)
    >>> drawn = trade_off("Digits", [Panel("passive", point, 0.5, [("noise", [Point("noise 0.1", 0.2, 0.1)])])])
    >>> drawn.count("<circle"), "blind 0.500" in drawn  # one in the legend, one in the panel
    (2, True)
    """
    down = -(-len(panels) // across)
    width = _LEFT + across * (_SIDE + _GAP) - _GAP + 16
    height = _TOP + down * (_SIDE + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *_legend([name for name, _ in panels[0].families]),
    ]
    for place, panel in enumerate(panels):
        row, column = divmod(place, across)
        parts += _panel(panel, _LEFT + column * (_SIDE + _GAP), _TOP + row * (_SIDE + _GAP))
    return "\n".join([*parts, "</svg>", ""])


def _legend(names: Sequence[str]) -> list[str]:
    parts, x, y = [], float(_LEFT), 20
    entries = [f'<circle cx="{{x}}" cy="{{y}}" r="6" fill="{color}" fill-opacity="0.75"/>' for color in COLORS]
    entries = entries[: len(names)]
    entries.append('<path d="M{x} {y}m-6 0h12m-6 -6v12" stroke="#000" stroke-width="2"/>')
    entries.append('<path d="M{x} {y}m-8 0h16" stroke="#666" stroke-dasharray="4 3"/>')
    for drawn, name in zip(entries, [*names, "no defense", "blind"], strict=True):
        if x > _LEFT + 2 * _SIDE:
            x, y = float(_LEFT), y + 20
        parts.append(drawn.format(x=f"{x:.0f}", y=y))
        parts.append(f'<text x="{x + 12:.0f}" y="{y + 4}">{escape(name)}</text>')
        x += 34 + 6.6 * len(name)
    parts.append(
        f'<text x="{_LEFT}" y="60" fill="#444">Larger dots: stronger. Better is lower and further to the right.</text>'
    )
    return parts


def _panel(panel: Panel, left: int, top: int) -> list[str]:
    bottom, right = top + _SIDE, left + _SIDE
    parts = [
        f'<text x="{left}" y="{top - 8}" font-weight="bold">{escape(panel.title)}</text>',
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#888"/>',
    ]
    for tick in _TICKS:
        x, y = _at(tick, tick, left, top)
        parts += [
            f'<path d="M{left} {y:.1f}H{right}" stroke="#e4e4e4"/>',
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" font-size="10">{tick:.1f}</text>',
            f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle" font-size="10">{tick:.1f}</text>',
        ]
    _, blind = _at(0.0, panel.blind, left, top)
    parts += [
        f'<text x="{left + _SIDE / 2}" y="{bottom + 30}" text-anchor="middle" fill="#444">'
        "test accuracy of the model</text>",
        f'<text transform="translate({left - 34} {top + _SIDE / 2}) rotate(-90)" text-anchor="middle" fill="#444">'
        "top-1 of the attack</text>",
        f'<path d="M{left} {blind:.1f}H{right}" stroke="#666" stroke-dasharray="4 3"><title>blind {panel.blind:.3f}'
        "</title></path>",
    ]
    for color, (_, points) in zip(COLORS, panel.families, strict=False):
        places = [_at(point.worth, point.leak, left, top) for point in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-opacity="0.5"/>')
        for size, (point, (x, y)) in enumerate(zip(points, places, strict=True)):
            said = f"{point.label}: attack {point.leak:.3f}, model {point.worth:.3f}"
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + 1.5 * size:g}" fill="{color}" fill-opacity="0.7">'
                f"<title>{escape(said)}</title></circle>"
            )
    x, y = _at(panel.bare.worth, panel.bare.leak, left, top)
    said = f"no defense: attack {panel.bare.leak:.3f}, model {panel.bare.worth:.3f}"
    parts.append(
        f'<path d="M{x:.1f} {y:.1f}m-7 0h14m-7 -7v14" stroke="#000" stroke-width="2"><title>{said}</title></path>'
    )
    return parts


def _at(worth: float, leak: float, left: int, top: int) -> tuple[float, float]:
    return left + _SIDE * worth, top + _SIDE * (1 - leak)


def kept(file: Path, data: str) -> list[Finding]:
    """Return what a file holds of one data set."""
    return [one for name, findings in read_stored(file).held.values() if name == data for one in findings]


if __name__ == "__main__":
    place, *data, picture = sys.argv[1:] if len(sys.argv) in {3, 4} else sys.exit(__doc__)
    found = kept(Path(place), *data) if data else read_findings(Path(place))
    Path(picture).write_text(draw(found), encoding="utf-8")
