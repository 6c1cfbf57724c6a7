"""What is said first, on the terminal as on the page: who can learn what, what to switch on, how sure that is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.comparison import Comparison, compared
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.matrix import place_of
from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.survey import Survey
from seepage.report.advice import price
from seepage.report.purpose import purpose_sentence
from seepage.report.wording import called, listed, marked, opening, together
from seepage.scores.digits import counted, number
from seepage.scores.intervals import FEW_SEEDS
from seepage.scores.levels import NOTICEABLE, TOLERABLE, level
from seepage.scores.metrics import metric_of

Aim: TypeAlias = tuple[str, str | None, tuple[str, ...]]
"""What is to be learned, and by whom."""
SUBJECTS: Final = {"features": "feature values"}


@dataclass(frozen=True, kw_only=True)
class FirstWords:
    """A few sentences that answer what people ask first; each is empty where there is nothing to say.

    `purpose` says what the federation is for, `theirs` what others can learn about the label holder, `ours` what the
    label holder can learn about them, `advice` what to switch on at what cost, `certainty` how sure all that is.
    """

    purpose: str
    theirs: str
    ours: str
    advice: str
    certainty: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """All that is said, in the order in which it is read."""
        return tuple(filter(None, (self.purpose, self.theirs, self.ours, self.advice, self.certainty)))


def first_words(survey: Survey) -> FirstWords:
    """Say what an audit found before anybody reads a table."""
    if not survey.findings:
        return FirstWords(purpose="", theirs="", ours="", advice="", certainty="Nothing was found.")
    us, marks = survey.active or "the party", survey.certainty.marks
    ours = [scene for scene in survey.scenes if _is_ours(scene, survey)]
    theirs = [scene for scene in survey.scenes if not _is_ours(scene, survey)]
    return FirstWords(
        purpose=marked(_purpose(survey, us), marks),
        theirs=marked(_learned(theirs, f"{us}, which holds the labels") or f"Nobody tried to learn about {us}.", marks),
        ours=marked(_learned(ours, "the others") or f"Nobody tried what {us} can learn about the others.", marks),
        advice=marked(_switch_on(survey), marks),
        certainty=_certainty(survey),
    )


def _is_ours(scene: Scene, survey: Survey) -> bool:
    """Whether the label holder is among those who learn; where findings do not name it, who goes for labels is not."""
    if survey.active is not None:
        return survey.active in scene.first.adversary
    after_labels = {one.first.adversary for one in survey.scenes if one.first.asset == "labels"}
    return scene.first.adversary not in after_labels


def _learned(scenes: Sequence[Scene], about: str) -> str:
    """Say for each adversary how far it gets with each thing that it is after."""
    told = [_by(group) for group in grouped(scenes, lambda scene: scene.first.adversary).values()]
    return f"About {about}: {'; '.join(told)}." if told else ""


def _by(scenes: Sequence[Scene]) -> str:
    who = together(scenes[0].first.adversary)
    aims = grouped(scenes, lambda scene: scene.first.asset)
    worst = {asset: _worst(group) for asset, group in aims.items()}
    reached = [_reached(group, found) for asset, group in aims.items() if (found := worst[asset]) and not _faint(found)]
    faint = [_nothing(group, found) for asset, group in aims.items() if (found := worst[asset]) and _faint(found)]
    unknown = [_subject(group) for asset, group in aims.items() if worst[asset] is None]
    bare = any(found is not None and found.first.defense is None for found in worst.values())
    parts = (
        f"{who} can {listed(reached)}" if reached else "",
        f"{'it' if reached else who} learns next to nothing about {listed(faint)}" if faint else "",
        f"nothing is known about what {who} can learn of {listed(unknown)}: no attack gave a number" if unknown else "",
    )
    sentence = "; ".join(filter(None, parts))
    return f"without a defense, {sentence}" if bare else sentence


def _worst(scenes: Iterable[Scene]) -> Trial | None:
    """Return where most was learned: without a defense, or under any where nothing was run without one."""
    told = [trial for scene in scenes if scene.telling and (trial := _first_look(scene))]
    return max(told, key=lambda trial: (trial.first.defense is None, trial.leak), default=None)


def _first_look(scene: Scene) -> Trial | None:
    if scene.undefended and scene.undefended.strongest:
        return scene.undefended
    return max((trial for trial in scene.defended if trial.strongest), key=lambda trial: trial.leak, default=None)


def _faint(trial: Trial) -> bool:
    return trial.leak < NOTICEABLE


def _reached(scenes: Sequence[Scene], worst: Trial) -> str:
    """Say how far the strongest attack got, and where least is learned."""
    line, first = worst.strongest, worst.first
    assert line is not None
    phrase = line.measure.reached[level(worst.leak)].format(_subject(scenes))
    if first.property is not None:
        phrase = phrase.replace("how many they are", f"how many have {first.property}")
    looks = [look for scene in scenes if scene.attacked and (look := _first_look(scene))]
    others = [look for look in looks if look.first.property == first.property]
    least = min(others, key=lambda look: look.leak, default=worst)
    asked = {scene.first.property for scene in scenes}
    parts = (
        f"advantage {worst.advantage} by {called(line.first)} on {first.federation}",
        "" if first.defense is None else f"under {defense_label(first)}",
        ""
        if round(least.leak, 3) >= round(worst.leak, 3)
        else f"least {number(least.leak)} on {least.first.federation}",
        f"the most that is learned about {len(asked)} properties" if len(asked) > 1 else "",
    )
    return f"{phrase} ({'; '.join(filter(None, parts))})"


def _nothing(scenes: Sequence[Scene], worst: Trial) -> str:
    return f"{_subject(scenes)} (advantage {worst.advantage} at most)"


def _subject(scenes: Sequence[Scene]) -> str:
    first = scenes[0].first
    asked = list(dict.fromkeys(scene.first.property for scene in scenes if scene.first.property is not None))
    if not asked:
        return SUBJECTS.get(first.asset, first.asset)
    return f"how many have {asked[0]}" if len(asked) == 1 else f"{len(asked)} properties"


def _purpose(survey: Survey, us: str) -> str:
    """Say what the joint model is worth beside the label holder's own; that no gain can be told comes first."""
    known = {place_of(scene.first): scene for scene in survey.scenes if scene.gain is not None}.values()
    told = [scene for scene in known if not scene.gain_within_noise]
    if not known:
        return ""
    if lost := [one for one in survey.purposes if one.useless]:
        return " ".join(map(purpose_sentence, lost))
    quoted = max(told or known, key=lambda scene: scene.gain.mean if scene.gain else 0.0)
    metric = next((line.first.utility_metric for line in quoted.lines if line.first.utility_metric), None)
    together_ = sum(quoted.worth.undefended.values()) / len(quoted.worth.undefended)
    amount = (
        f"{metric_of(metric).title} {number(together_)}, {quoted.gain} above the {quoted.alone} that {us} has alone"
    )
    if not told and quoted.gain_unsure:
        return (
            f"Whether the federation adds anything, {counted(len(quoted.worth.undefended), 'seed')} cannot tell from "
            f"noise ({amount}, on {quoted.first.federation}), nor what a defense costs: add seeds."
        )
    if not told:
        where = "The federation adds" if len(known) == 1 else "None of the federations adds"
        what = "nothing" if len(known) == 1 else "anything"
        return (
            f"{where} {what} that can be told from noise ({amount}, on {quoted.first.federation}): "
            "what a defense costs says little here."
        )
    noisy = [scene.first.federation for scene in known if scene.gain_within_noise]
    besides = f"; on {listed(noisy)} the gain lies within noise" if noisy else ""
    return f"The joint model is worth {amount}, on {quoted.first.federation}{besides}."


@dataclass(frozen=True)
class _Place:
    """What would have to be switched on in one federation: scenes above the limit, with how defenses compare there."""

    above: tuple[tuple[Scene, Comparison], ...]
    unknown: tuple[Scene, ...]
    worth: float
    federation: str
    defended: bool
    quiet: int
    idle: bool

    @property
    def open(self) -> int:
        """How many leaks no defense keeps below the limit, or are not known."""
        return sum(found.cheapest is None for _, found in self.above) + len(self.unknown)

    @property
    def solved(self) -> dict[str, list[tuple[Scene, Comparison]]]:
        """What each defense stops that is the cheapest somewhere."""
        stopped = (
            (defense_label(found.cheapest.first), (scene, found)) for scene, found in self.above if found.cheapest
        )
        return {name: [pair for _, pair in pairs] for name, pairs in grouped(stopped, lambda entry: entry[0]).items()}

    @property
    def several(self) -> bool:
        """Whether different defenses would have to act together, which nobody tried."""
        return len(self.solved) > 1


def _place(scenes: Sequence[Scene], measured: Mapping[Aim, Scene]) -> _Place:
    """Look at one federation; what was measured on another, and not here, is not known."""
    attacked = [scene for scene in scenes if scene.attacked and scene.undefended and scene.undefended.strongest]
    here = {_aim(scene) for scene in attacked}
    above = [(scene, compared(scene)) for scene in attacked if scene.undefended and scene.undefended.leak > TOLERABLE]
    solved = [found.cheapest for _, found in above if found.cheapest]
    trained = solved or [scene.undefended for scene in attacked if scene.undefended]
    worth = min((trial.utility.mean for trial in trained if trial.utility), default=0.0)
    defended = any(scene.defended for scene in scenes)
    quiet = len(attacked) - len(above)
    unknown = tuple(scene for aim, scene in measured.items() if aim not in here)
    return _Place(
        tuple(above), unknown, worth, scenes[0].first.federation, defended, quiet, scenes[0].gain_within_noise
    )


def _switch_on(survey: Survey) -> str:
    """Choose the federation that leaves least open, and say what to switch on there, at what cost."""
    measured = [scene for scene in survey.scenes if scene.attacked and scene.undefended and scene.undefended.strongest]
    aims = {_aim(scene): scene for scene in measured}
    places = [_place(group, aims) for group in grouped(measured, lambda scene: place_of(scene.first)).values()]
    if not places:
        return ""
    best = min(places, key=lambda place: (place.open, place.several, -place.worth))
    where = f"on {best.federation}" + " (of all federations the one that leaves least open)" * (len(places) > 1)
    limit = f"at or below {TOLERABLE:g}"
    unknown = f"What {_each(best.unknown, 'can learn of')} there is not known." if best.unknown else ""
    if not best.above:
        return f"{opening(where)} every advantage that was measured is {limit} without a defense. {unknown}".rstrip()
    if not best.defended:
        return "No defense was tried, so nothing can be said about what to switch on."
    solved = [_solved(group) for group in best.solved.values()]
    open_ = _unsolved([(scene, found) for scene, found in best.above if found.cheapest is None])
    parts = (
        f"{where}, switch on {'; and '.join(solved)}." if solved else "",
        f"{'' if solved else where + ', '}no tried defense keeps {open_} {limit}." if open_ else "",
        "Each was tried by itself, not together." if best.several else "",
        f"What else was measured there is {limit} without a defense." if best.quiet else "",
        "What the federation adds there cannot be told from noise." if best.idle else "",
        unknown,
    )
    return " ".join(opening(part) for part in parts if part)


def _solved(group: Sequence[tuple[Scene, Comparison]]) -> str:
    """Say what one defense stops, at most how much is left, and what it costs at most."""
    held = [(found, found.cheapest) for _, found in group if found.cheapest is not None]
    worst = max((trial for _, trial in held), key=lambda trial: trial.leak)
    dearest = max((trial for _, trial in held), key=lambda trial: trial.cost.mean if trial.cost else float("inf"))
    names = [{defense_label(one.first, short=True): None for one in found.cheapest_tied} for found, _ in held]
    tied = [name for name in names[0] if all(name in others for others in names)]
    alike = f" ({listed(tied)} would cost the same within noise)" if tied else ""
    unsure = f", whose upper end is above {TOLERABLE:g}," if any(found.cheapest_unsure for found, _ in held) else ""
    most = " of at most" if len(group) > 1 else " of"
    against = _each([scene for scene, _ in group], "learning")
    return (
        f"{defense_label(worst.first, short=True)} against {against}: it leaves an advantage{most} "
        f"{worst.advantage}{unsure} {price(dearest)}{alike}"
    )


def _unsolved(group: Sequence[tuple[Scene, Comparison]]) -> str:
    """Name what nothing stops, with the lowest leak of the worst of it."""
    if not group:
        return ""
    lowest = [found.lowest for _, found in group if found.lowest]
    worst = max(lowest, key=lambda trial: trial.leak, default=None)
    most = "lowest of the worst" if len(group) > 1 else "lowest"
    told = (
        f"{most} {worst.advantage} with {defense_label(worst.first, short=True)}" if worst else "none can be compared"
    )
    return f"{_each([scene for scene, _ in group], 'learning')} ({told})"


def _aim(scene: Scene) -> Aim:
    return scene.first.asset, scene.first.property, scene.first.adversary


def _each(scenes: Sequence[Scene], verb: str) -> str:
    """Name who learns what; properties of one adversary are told together."""
    groups = grouped(scenes, lambda scene: (scene.first.adversary, scene.first.asset))
    return listed([f"{together(who)} {verb} {_subject(group)}" for (who, _), group in groups.items()])


def _certainty(survey: Survey) -> str:
    """Say how far all this can be relied on."""
    sure = survey.certainty
    spread = "Student's t" if sure.seeds < FEW_SEEDS else "resampled seeds"
    seeds = (
        "" if sure.seeds == 0
        else "one seed, so nobody knows how far these numbers move with another" if sure.seeds == 1
        else f"{sure.seeds} seeds; brackets hold 95 % intervals over them ({spread})"
    )  # fmt: skip
    rows = next((mark for mark in sure.marks if "rows" in mark), "")
    if not rows and sure.audited_rows is not None:
        rows = f"all {sure.audited_rows:,} rows"
    failed = sum(line.failed for line in survey.lines)
    stopped = f"the audit was stopped after {survey.unfinished}" if survey.unfinished else ""
    broken = f"{counted(failed, 'run')} failed, so more may leak" if failed else ""
    told = "; ".join(filter(None, (seeds, rows, broken, stopped))) or "no number was found"
    return (
        f"How sure: {told}. An advantage of 0 is a blind guess, 1 is everything; "
        "attacks that nobody tried may find more."
    )
