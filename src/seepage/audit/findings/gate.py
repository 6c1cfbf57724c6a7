"""Limits that a pipeline can enforce."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from seepage.attacks.attack import ASSETS
from seepage.audit.findings.certainty import Certainty
from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.finding import Finding
from seepage.audit.findings.labels import UNDEFENDED, defense_label, label
from seepage.audit.findings.matrix import place_of
from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.summary import SummaryLine
from seepage.audit.findings.survey import Survey
from seepage.errors import BadSetting, UnknownName

Rule = Literal["leak", "gain", "unknown", "doubt"]
"""A leak above its limit, too little left of the gain, something that is not known, something to be careful about."""


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
    def parse(cls, texts: Iterable[str], *, needed: bool = True) -> "Limits":
        """Read limits as ``labels=0.2``, or several as ``labels=0.2,features=0.3``.

        Without any there is nothing to enforce, unless something else is.
        """
        highest = {}
        for text in (part for several in texts for part in several.split(",")):
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
        if not highest and needed:
            raise BadSetting(f"No limit is given. Give one with --max, such as --max {ASSETS[0]}=0.2.")
        return cls(highest)


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What a pipeline asks for, and of which findings.

    Parameters
    ----------
    limits
        The highest advantage allowed.
    upper
        Whether the upper end of an interval counts besides its mean; of what is kept, the lower end.
    least_kept
        The least share of the federation's gain that a defense has to keep; None asks for none.
    defense, federation, adversary
        Look only at findings under this defense (``none``: without any), on this federation, by this adversary; None
        looks at all.
    """

    limits: Limits = field(default_factory=lambda: Limits({}))
    upper: bool = False
    least_kept: float | None = None
    defense: str | None = None
    federation: str | None = None
    adversary: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.least_kept is not None and not 0 <= self.least_kept <= 1:
            raise BadSetting(f"--min-gain {self.least_kept:g}: expected a share from 0 to 1, such as --min-gain 0.8.")
        if self.least_kept is not None and self.defense in {None, UNDEFENDED}:
            raise BadSetting("--min-gain is about what a defense leaves: name one with --defense.")

    def of(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings that are looked at, whatever the defense; what nobody tried is refused."""
        for kind, asked, tried in (
            ("defense", self.defense, {one.defense or UNDEFENDED for one in findings}),
            ("federation", self.federation, {one.federation for one in findings}),
            ("adversary", _joined(self.adversary), {_joined(one.adversary) or "" for one in findings}),
        ):
            if asked is not None and asked not in tried:
                raise UnknownName(f"{kind} in these findings", asked, known=tried)
        return [
            one for one in findings if self.federation in {None, one.federation} and self.adversary_is(one.adversary)
        ]

    def adversary_is(self, names: Sequence[str]) -> bool:
        """Whether it is this adversary that is looked at; the order of names makes no difference."""
        return self.adversary is None or _joined(self.adversary) == _joined(names)

    def defense_is(self, first: Finding) -> bool:
        """Whether it is this defense that is looked at."""
        return self.defense in {None, first.defense or UNDEFENDED}


def _joined(names: Sequence[str] | None) -> str | None:
    return None if names is None else "+".join(sorted(names))


@dataclass(frozen=True)
class Complaint:
    """A sentence about something that is not as demanded, or not known to be; a doubt alone lets pass."""

    rule: Rule
    sentence: str
    finding: Finding | None = None


@dataclass(frozen=True)
class Check:
    """One thing that was demanded, and what is to be said against it."""

    about: str
    name: str
    complaints: tuple[Complaint, ...] = ()


def checks(survey: Survey, demand: Demand) -> list[Check]:
    """Hold findings against what is demanded of them: limits first, then what is kept of the gain, then doubts."""
    looked_at = Survey(demand.of(survey.findings), survey.plan_text, survey.unfinished)
    found = [
        check for asset, limit in demand.limits.highest.items() for check in _of_asset(looked_at, asset, limit, demand)
    ]
    if demand.least_kept is not None:
        found += _kept(looked_at, demand.least_kept, demand)
    return [*found, *_doubts(looked_at, demand)]


def violations(findings: Sequence[Finding], limits: Limits, defense: str | None = None) -> list[str]:
    """Return a sentence for every leak above its limit, and for every asset with a limit that nobody measured.

    Parameters
    ----------
    defense
        Look only at findings under this defense (``none``: without any); None looks at all.
    """
    found = checks(Survey(findings), Demand(limits=limits, defense=defense))
    return [one.sentence for check in found for one in check.complaints if one.rule != "doubt"]


def _of_asset(survey: Survey, asset: str, limit: float, demand: Demand) -> Iterator[Check]:
    """Check every place where an asset was attacked, and whether anything was measured at all."""
    stage = [scene for scene in survey.scenes if scene.first.asset == asset]
    unknown = f"so the limit of {limit:g} is not known to hold."
    for scene in stage:
        for trial in scene.trials:
            if demand.defense_is(trial.first):
                told = [one for line in trial.lines for one in _of_line(line, asset, limit, unknown)]
                told += _upper(trial, asset, limit, unknown) if demand.upper else []
                yield Check(
                    asset, f"{_place(scene)}, defense {defense_label(trial.first)}, at most {limit:g}", tuple(told)
                )
    lines = [line for scene in stage for line in scene.lines if demand.defense_is(line.first)]
    about = {line.first.property for line in lines if line.value is not None and not line.is_baseline}
    asked = dict.fromkeys(scene.first.property for scene in stage) or {None: None}
    for one in asked:
        named = f" about {one}" if one else ""
        missing = () if one in about else (Complaint("unknown", f"{asset}: nothing was measured{named}, {unknown}"),)
        yield Check(asset, f"something was measured{named}", missing)


def _of_line(line: SummaryLine, asset: str, limit: float, unknown: str) -> Iterator[Complaint]:
    above, where, first = f"above the limit of {limit:g}", f"{asset}: {_where(line)}", line.first
    marks = f" ({told})" if (told := str(Certainty.of([line]))) else ""
    if line.reach > limit:
        said = f"{asset}: the advantage of {_where(line)} is {line.advantage}{_question(line)}, {above}{marks}."
        yield Complaint("leak", said, first)
    sure = line.advantage_answered
    if line.betrays_some_rows and sure is not None and sure.mean > limit:
        said = (
            f"{where} answers for {line.answered:.0%} of the rows only, but its advantage on these is {sure}, {above}"
        )
        yield Complaint("leak", f"{said}{marks}.", first)
    if line.failed:
        yield Complaint("unknown", f"{where} failed for {line.failed} of its seeds, {unknown}", first)
    if line.status == "ok" and line.advantage is None and line.value is not None and line.blind is not None:
        close = f"has no advantage, because blind ({line.blind:.3g}) and ceiling are too close"
        yield Complaint("unknown", f"{where} {close}, {unknown}", first)


def _upper(trial: Trial, asset: str, limit: float, unknown: str) -> list[Complaint]:
    """Hold the upper end for the strongest attack against the limit, where its mean keeps it."""
    reached, line = trial.advantage, trial.strongest
    if reached is None or line is None or reached.mean > limit:
        return []
    if reached.high is None:
        said = f"{asset}: {_where(line)} has one seed, and so no upper end of an interval, {unknown}"
        return [Complaint("unknown", said, line.first)]
    if reached.high <= limit:
        return []
    marks = f" ({told})" if (told := str(Certainty.of([line]))) else ""
    said = (
        f"{asset}: the advantage of {_where(line)}, the strongest there, is {reached}{_question(line)}; the upper end"
    )
    return [Complaint("leak", f"{said} is above the limit of {limit:g}{marks}.", line.first)]


def _kept(survey: Survey, least: float, demand: Demand) -> Iterator[Check]:
    """Check what a defense leaves of the federation's gain, once for each federation and setting."""
    trials = [
        (scene, trial)
        for scene in survey.scenes
        for trial in scene.defended
        if demand.defense_is(trial.first) and (trial.cost is not None or trial.strongest is not None)
    ]
    groups = grouped(trials, lambda pair: (place_of(pair[1].first), defense_label(pair[1].first)))
    for pairs in groups.values():
        scene, trial = next((pair for pair in pairs if pair[1].kept is not None), pairs[0])
        where = f"{defense_label(trial.first)} on {trial.first.federation}"
        told = _too_little(scene, trial, where, least, cautious=demand.upper)
        yield Check("gain", f"{where} keeps {least:.0%}", tuple(told))
    if not groups:
        said = f"gain: nothing was measured under {demand.defense}, so it is not known what it keeps."
        yield Check("gain", "something was measured", (Complaint("unknown", said),))


def _too_little(scene: Scene, trial: Trial, where: str, least: float, *, cautious: bool) -> Iterator[Complaint]:
    kept, unknown = trial.kept, f"so it is not known whether it keeps {least:.0%}."
    marks = f" ({told})" if (told := str(Certainty.of([trial.priced]))) else ""
    if scene.gain is None:
        said = f"gain: what the label holder has alone was not measured for {where}, {unknown}"
        yield Complaint("unknown", said, trial.first)
    elif scene.gain_within_noise or kept is None:
        said = f"gain: what the federation adds, {scene.gain}, lies within noise for {where}{marks}, {unknown}"
        yield Complaint("unknown", said, trial.first)
    elif kept.mean < least or (cautious and kept.low is not None and kept.low < least):
        said = f"gain: {where} keeps a share of {kept} of what the federation adds, below {least:g}{marks}."
        yield Complaint("gain", said, trial.first)
    elif cautious and kept.low is None:
        yield Complaint("unknown", f"gain: {where} has one seed, and so no lower end, {unknown}", trial.first)


def _doubts(survey: Survey, demand: Demand) -> Iterator[Check]:
    """Say what lets a number pass that nobody should rely on."""
    stage = [
        scene for scene in survey.scenes if not demand.limits.highest or scene.first.asset in demand.limits.highest
    ]
    sure = Certainty.of(line for scene in stage for line in scene.lines if demand.defense_is(line.first))
    once = "One seed stands behind these numbers: how far they move with another is not known."
    yield _doubt("several seeds", [once] * (sure.seeds == 1))
    sampled = f"These numbers are those of {sure.marks[-1]}." if sure.sampled else ""
    yield _doubt("all rows", [sampled] * sure.sampled)
    unread = [
        f"{_place(scene)}: no attack gave a number there, so nothing read what crossed."
        for scene in stage
        if not any(trial.attacked for trial in scene.trials if demand.defense_is(trial.first))
    ]
    yield _doubt("every federation was read", unread)


def _doubt(name: str, sentences: Iterable[str]) -> Check:
    return Check("certainty", name, tuple(Complaint("doubt", sentence) for sentence in sentences))


def _place(scene: Scene) -> str:
    first = scene.first
    asked = f" ({first.property})" if first.property is not None else ""
    return f"{first.asset}{asked} by {'+'.join(first.adversary)} on {first.federation}"


def _where(line: SummaryLine) -> str:
    first = line.first
    attack = label(first.attack, {key: value for key, value in first.attack_settings.items() if isinstance(value, str)})
    asked = f" for {first.property}" if first.property is not None else ""
    return f"{attack} by {'+'.join(first.adversary)}{asked} on {first.federation} with defense {defense_label(first)}"


def _question(line: SummaryLine) -> str:
    """Say by which of the questions about labels a leak is judged."""
    return f" by {line.metric}" if line.milder is not None else ""
