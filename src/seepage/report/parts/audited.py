"""What was audited, in a few lines at the top of the page."""

import tomllib
from collections.abc import Mapping, Sequence

from seepage.audit.findings.finding import CHOSEN, Finding
from seepage.audit.findings.survey import Survey
from seepage.report.circumstances import holders
from seepage.report.plain_table import Fact
from seepage.report.wording import listed
from seepage.scores.digits import counted


def audited(survey: Survey) -> list[Fact]:
    """Say which data, parties and federations were looked at, and how hard; empty without findings."""
    found = survey.findings
    if not found:
        return []
    told = {
        "Data": _data(found),
        "Parties": _parties(found),
        "Federations": listed(list(dict.fromkeys(one.federation for one in found))),
        "Tried": _tried(found),
        "Depth": _depth(survey.plan_text),
    }
    return [Fact(name=name, texts=(text,)) for name, text in told.items() if text]


def _data(found: Sequence[Finding]) -> str:
    """Name data sets with their rows, and say so where only some of them took part."""
    rows = {one.data: (one.audited_rows, one.all_rows) for one in found if one.audited_rows is not None}
    return listed([_rows(name, *rows.get(name, (None, None))) for name in dict.fromkeys(one.data for one in found)])


def _rows(name: str, taken: int | None, every: int | None) -> str:
    """Write how many rows of a table took part.

    >>> _rows("people", 2000, 30000), _rows("people", 569, 569), _rows("people", None, None)
    ('people, a sample of 2,000 of 30,000 rows', 'people, all 569 rows', 'people')
    """
    if taken is None:
        return name
    if every is None or every == taken:
        return f"{name}, all {taken:,} rows" if every == taken else f"{name}, {taken:,} rows"
    return f"{name}, a sample of {taken:,} of {every:,} rows"


def _parties(found: Sequence[Finding]) -> str:
    held = next((holders(one.partition) for one in found if one.partition), ())
    told = [f"{party} ({'holds the labels, ' * active}{counted(width, 'column')})" for party, width, active in held]
    return listed(told) or counted(found[0].parties, "party", "parties")


def _tried(found: Sequence[Finding]) -> str:
    seeds = len({one.seed for one in found})
    return ", ".join(
        (
            counted(len({one.attack for one in found if one.role != CHOSEN}), "attack"),
            counted(len({one.defense for one in found} - {None}), "defense"),
            counted(seeds, "seed"),
            f"{len(found):,} runs",
        )
    )


def _depth(plan_text: str | None) -> str:
    """Read how thorough the audit was off its plan; empty where a plan does not say."""
    try:
        plan: Mapping[str, object] = tomllib.loads(plan_text or "")
    except tomllib.TOMLDecodeError:
        return ""
    depth = plan.get("depth")
    return depth if isinstance(depth, str) else ""
