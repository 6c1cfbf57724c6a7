"""What crossed between the parties: in the clear or sealed, how much, from whom to whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.finding import Crossing, Finding
from seepage.audit.findings.survey import Survey
from seepage.report.plain_table import NUMBER, Column, PlainTable, small, table
from seepage.report.wording import listed

COLUMNS: Final = (
    Column("From → to"), Column("What", brief="What"), Column("In the clear or sealed", brief="Readable"),
    Column("Messages", NUMBER), Column("Size", NUMBER),
)  # fmt: skip
KINDS: Final = {
    "embedding": "embeddings: what a party's bottom model makes of its columns",
    "gradient": "gradients: how the joint model wants these embeddings changed",
    "prediction": "released predictions",
    "encrypted": "labels or derivatives of every row, to be added up",
    "instance-space": "which rows are in a node of a tree",
    "split-sums": "sums for every possible split",
    "split-choice": "which split was chosen",
    "child-spaces": "which rows fall on which side of a split",
    "direction": "which way rows turn at a node, when predictions are made",
    "purity": "class counts of nodes",
    "model": "the party's part of the model, released to the label holder",
    "correlation": "products of columns, before training",
    "curvature": "how sharply the loss bends, one number",
    "setup": "how many columns take part, and how they are drawn",
    "alignment": "ids that nobody can read, and which of them are shared",
    "rehearsal": "what partners say to each other around a federation",
}
"""What messages of each kind carry."""
AROUND: Final = frozenset({"prediction", "model", "setup", "correlation", "alignment", "rehearsal"})
"""What crosses before and after training."""
UNITS: Final = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


@dataclass(frozen=True)
class Crossed:
    """What crossed on one federation: in one sentence, and line by line."""

    federation: str
    summary: str
    lines: PlainTable


def crossings(survey: Survey) -> list[Crossed]:
    """Tell of one run on every federation, without a defense wherever there was one; older findings hold no counts."""
    counted = grouped((one for one in survey.findings if one.crossed), lambda one: one.federation)
    return [_crossed(name, min(group, key=_plainness)) for name, group in counted.items()]


def _plainness(finding: Finding) -> tuple[bool, bool, int]:
    return (finding.defense is not None, finding.tampering is not None, finding.seed)


def _crossed(federation: str, finding: Finding) -> Crossed:
    stand_in = finding.model_settings.get("encryption") == "none" or "encryption" not in finding.model_settings
    clear = [one for one in finding.crossed if not one.sealed]
    sealed = [one for one in finding.crossed if one.sealed]
    told = [f"{size(sum(one.bytes for one in clear))} in the clear ({_kinds(clear)})"] if clear else []
    if sealed:
        numbers = ", as numbers that stand in for ciphertexts" * stand_in
        told.append(f"{size(sum(one.bytes for one in sealed))} sealed ({_kinds(sealed)}{numbers})")
    under = "" if finding.defense is None else f" under {finding.defense}"
    return Crossed(
        federation,
        f"{federation}{under}: {listed(told)}{_each_round(finding)}.",
        table(COLUMNS, (_row(one, stand_in=stand_in) for one in finding.crossed)),
    )


def _each_round(finding: Finding) -> str:
    """Say how much that is for each epoch or tree, where it is settled beforehand how many there are.

    >>> one = Crossing(kind="gradient", sender="bank", receiver="shop", messages=9, bytes=3000, sealed=False)
    >>> about = {"data": "iris", "encoding": "one-hot", "scaling": "minmax", "parties": 2, "adversary": ("shop",),
    ...          "attack": "id2graph", "seed": 0, "asset": "labels", "crossed": (one,)}
    >>> _each_round(Finding(federation="split-network", model_settings={"epochs": 3}, **about))
    ', 1.0 kB for each of 3 epochs'
    """
    settings, trained = finding.model_settings, [one for one in finding.crossed if one.kind not in AROUND]
    word = next((word for word in ("epochs", "trees") if isinstance(settings.get(word), int)), None)
    if word is None or "tolerance" in settings or settings[word] < 2:  # it may stop before
        return ""
    return f", {size(round(sum(one.bytes for one in trained) / settings[word]))} for each of {settings[word]} {word}"


def _kinds(crossed: Sequence[Crossing]) -> str:
    return listed(list(dict.fromkeys(one.kind for one in crossed)))


def _row(one: Crossing, *, stand_in: bool) -> tuple[str, ...]:
    sealed = small("sealed", "numbers stood in for ciphertexts" * stand_in)
    return (
        f"{one.sender} → {one.receiver}",
        small(one.kind, KINDS.get(one.kind, "")),
        sealed if one.sealed else "in the clear",
        f"{one.messages:,}",
        size(one.bytes),
    )


def size(count: int) -> str:
    """Write a number of bytes.

    >>> size(512), size(20_480), size(3_260_000)
    ('512 bytes', '20.5 kB', '3.3 MB')
    """
    return next((f"{count / unit:.1f} {name}" for unit, name in UNITS if count >= unit), f"{count} bytes")
