"""The picture of defenses against attacks on the own bottom model."""

import runpy
from pathlib import Path

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "label_defenses.py"))


def test_a_picture_has_a_dot_for_every_setting():
    Panel, Point, trade_off = (EXAMPLE[name] for name in ("Panel", "Point", "trade_off"))
    points = [Point("noise 0.1", 0.2, 0.1), Point("noise <1>", 0.9, 0.8)]
    drawn = trade_off("Digits", [Panel("passive", Point("none", 0.9, 0.8), 0.5, [("noise", points)])] * 3)
    assert drawn.count("<circle") == 1 + 3 * 2 and "noise &lt;1&gt;: attack 0.800, model 0.900" in drawn
    assert "blind 0.500" in drawn
