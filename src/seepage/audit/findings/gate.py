"""Limits that a pipeline can enforce."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from seepage.attacks.attack import ASSETS
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import UNDEFENDED, defense_label, label
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.errors import BadSetting, UnknownName


@dataclass(frozen=True)
class Limits:
    """The highest advantage allowed for each asset.

    >>> Limits.parse(["labels=0.2"])
    Limits(highest={'labels': 0.2})
    >>> Limits.parse(["label=0.2"])
    Traceback (most recent call last):
        ...
    seepage.errors.UnknownName: No asset is called 'label'; did you mean 'labels'?
    Known assets: features, labels, properties.
    """

    highest: Mapping[str, float]

    @classmethod
    def parse(cls, texts: Iterable[str]) -> "Limits":
        """Read limits as ``labels=0.2``."""
        highest = {}
        for text in texts:
            asset, equals, number = text.partition("=")
            if asset not in ASSETS:
                raise UnknownName("asset", asset, known=ASSETS)
            try:
                limit = float(number)
            except ValueError:
                limit = float("nan")
            if not equals or not 0 <= limit <= 1:
                raise BadSetting(f"--max {text}: expected a limit from 0 to 1, such as --max {asset}=0.2.")
            if asset in highest:
                raise BadSetting(f"--max {asset} is given twice. Give one limit for each asset.")
            highest[asset] = limit
        if not highest:
            raise BadSetting(f"No limit is given. Give one with --max, such as --max {ASSETS[0]}=0.2.")
        return cls(highest)


def violations(findings: Sequence[Finding], limits: Limits, defense: str | None = None) -> list[str]:
    """Return a sentence for every leak above its limit, and for every asset with a limit that nobody measured.

    Parameters
    ----------
    defense
        Look only at findings under this defense (``none``: without any); None looks at all.
    """
    tried = {finding.defense or UNDEFENDED for finding in findings}
    if defense is not None and defense not in tried:
        raise UnknownName("defense in these findings", defense, known=tried)
    every = Survey(findings).tried  # limits are about the worst case
    lines = [line for line in every if defense in {None, line.first.defense or UNDEFENDED}]
    found = []
    for asset, limit in limits.highest.items():
        measured = [line for line in lines if line.first.asset == asset]
        about = {line.first.property for line in measured if line.value is not None and not line.is_baseline}
        asked = dict.fromkeys(line.first.property for line in every if line.first.asset == asset) or {None: None}
        above, unknown = f"above the limit of {limit:g}.", f"so the limit of {limit:g} is not known to hold."
        found += [
            f"{asset}: the advantage of {_where(line)} is {line.advantage}{_question(line)}, {above}"
            for line in measured
            if line.reach > limit
        ]
        found += [
            f"{asset}: {_where(line)} answers for {line.answered:.0%} of the rows only, "
            f"but its advantage on these is {line.advantage_answered}, {above}"
            for line in measured
            if line.betrays_some_rows and line.advantage_answered is not None and line.advantage_answered.mean > limit
        ]
        found += [
            f"{asset}: {_where(line)} failed for {line.failed} of its seeds, {unknown}"
            for line in measured
            if line.failed
        ]
        found += [
            f"{asset}: {_where(line)} has no advantage, because blind ({line.blind:.3g}) and ceiling are too close, "
            f"{unknown}"
            for line in measured
            if line.status == "ok" and line.advantage is None and line.value is not None and line.blind is not None
        ]
        found += [
            f"{asset}: nothing was measured{f' about {one}' if one else ''}, {unknown}"
            for one in asked
            if one not in about
        ]
    return found


def _where(line: SummaryLine) -> str:
    first = line.first
    attack = label(first.attack, {key: value for key, value in first.attack_settings.items() if isinstance(value, str)})
    asked = f" for {first.property}" if first.property is not None else ""
    return f"{attack}{asked} on {first.federation} with defense {defense_label(first)}"


def _question(line: SummaryLine) -> str:
    """Say by which of the questions about labels a leak is judged."""
    return f" by {line.metric}" if line.milder is not None else ""
