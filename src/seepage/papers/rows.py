"""Lines of a table: ours with the seeds behind them and what went wrong, and those of the paper."""

import re
from collections.abc import Mapping, Sequence

from seepage.audit.findings.finding import Finding
from seepage.papers.readings import Spread, found_utility
from seepage.papers.table import Cells


def our_row(start: Cells, numbers: Cells, *found: Sequence[Finding], remark: str = "") -> dict[str, str]:
    """Return a line of ours: where it stands, how many seeds, the numbers, and a remark.

    Parameters
    ----------
    found
        The findings behind the line, run by run; the run with the fewest seeds counts.
    remark
        What there is to say; by default what kept attacks from being run.
    """
    everything = [one for findings in found for one in findings]
    return {**start, "seeds": str(min(map(seeds_of, found))), **numbers, "remark": remark or why_not(everything)}


def printed_row(start: Cells, numbers: Mapping[str, float], digits: int = 4) -> dict[str, str]:
    """Return a line of the paper's.

    >>> printed_row({"data": "adult"}, {"AUC": 0.9039})
    {'data': 'adult', 'whose': 'paper', 'AUC': '0.9039'}
    """
    return {**start, "whose": "paper", **{heading: f"{value:.{digits}f}" for heading, value in numbers.items()}}


def seeds_of(findings: Sequence[Finding]) -> int:
    """Count the seeds that gave a number."""
    return len({found.seed for found in findings if found.status == "ok"})


def auc_of(findings: Sequence[Finding]) -> Spread:
    """Return the AUC of the joint model, whichever attacks were run on it."""
    return _each_seed({found.seed: found_utility(found, "auc") for found in findings})


def utility_of(findings: Sequence[Finding]) -> Spread:
    """Return what the joint model is worth: AUC for two classes, accuracy for more."""
    return _each_seed({found.seed: found.utility for found in findings})


def _each_seed(values: Mapping[int, float | None]) -> Spread:
    return Spread.of([value for value in values.values() if value is not None])


def why_not(findings: Sequence[Finding]) -> str:
    """Say what kept attacks from being run, each reason once.

    >>> why_not([])
    'does not act in this model'
    """
    if not findings:
        return "does not act in this model"
    reasons = [re.split(r"[.;]\s", found.reason)[0] for found in findings if found.status != "ok" and found.reason]
    return "; ".join(dict.fromkeys(reasons))
