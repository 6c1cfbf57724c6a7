"""Draw what `seepage reproduce label/figure5 --out FOLDER` has found.

Run it with the folder of one data set and the picture to write:

    python examples/label_defenses.py runs/label-figure5/digits docs/results/label-defenses-digits.svg
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from seepage.audit.findings.finding import Finding, read_findings
from seepage.papers.label_figures import FAMILIES
from seepage.papers.label_setting import TRAIN, active, of, passive, worth
from seepage.papers.plans import UNDEFENDED, Variant
from seepage.papers.readings import Reading
from seepage.papers.trade_off import Panel, Point, trade_off


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
                        (family.label, [point(variant, attack, reading, findings) for variant in family.variants])
                        for family in FAMILIES
                    ],
                )
            )
    return trade_off(f"Top-1 of attacks against test accuracy under defenses, {findings[0].data}", panels)


def point(variant: Variant, attack: Reading, reading: Reading, findings: Sequence[Finding]) -> Point:
    """Return one defense: the means over seeds of model and attack."""
    mine = variant.of(findings)
    return Point(variant.label, mean(worth(attack), mine), mean(reading, mine))


def mean(reading: Reading, findings: Sequence[Finding]) -> float:
    """Return the mean of one number over seeds."""
    found = reading.of(findings).mean
    if found is None:
        raise SystemExit(f"No finding of {reading.attack} has {reading.metric or 'a value'}; run label/figure5 first.")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    Path(sys.argv[2]).write_text(draw(read_findings(Path(sys.argv[1]))), encoding="utf-8")
