"""What is said first, on the terminal as on the page: who can learn what, what to switch on, how sure that is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.matrix import place_of
from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.survey import Survey
from seepage.audit.findings.worth import NEGLIGIBLE
from seepage.report.purpose import purpose_sentence
from seepage.report.switching_on import switch_on
from seepage.report.wording import called, listed, marked, subjects, together
from seepage.scores.digits import counted, number
from seepage.scores.intervals import FEW_SEEDS
from seepage.scores.levels import NOTICEABLE, level
from seepage.scores.metrics import metric_of


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
    us, marks = survey.active or "the party", survey.certainty.brief
    ours = [scene for scene in survey.scenes if survey.is_ours(scene)]
    theirs = [scene for scene in survey.scenes if not survey.is_ours(scene)]
    return FirstWords(
        purpose=marked(_purpose(survey, us), marks),
        theirs=marked(_learned(theirs, f"{us}, which holds the labels") or f"Nobody tried to learn about {us}.", marks),
        ours=marked(_learned(ours, "the others") or f"Nobody tried what {us} can learn about the others.", marks),
        advice=marked(switch_on(survey, us), marks),
        certainty=_certainty(survey),
    )


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
    unread = [group for asset, group in aims.items() if worst[asset] is None]
    known = [subjects(group) for group in unread if any(scene.nothing_to_gain for scene in group)]
    silent = [group for group in unread if not any(scene.nothing_to_gain for scene in group)]
    unscored = [subjects(group) for group in silent if any(scene.unscored for scene in group)]
    unknown = [subjects(group) for group in silent if not any(scene.unscored for scene in group)]
    bare = any(found is not None and found.first.defense is None for found in worst.values())
    parts = (
        f"{who} can {listed(reached)}" if reached else "",
        f"{'it' if reached else who} learns next to nothing about {listed(faint)}" if faint else "",
        f"{listed(known)} {who} can tell without the federation already, so nothing is left to gain" if known else "",
        f"what {who} guesses of {listed(unscored)} is not scored, since the truth is not known" if unscored else "",
        f"nothing is known about what {who} can learn of {listed(unknown)}: no attack gave a number" if unknown else "",
    )
    sentence = "; ".join(filter(None, parts))
    return f"without a defense, {sentence}" if bare else sentence


def _worst(scenes: Iterable[Scene]) -> Trial | None:
    """Return where most was learned: without a defense, or under any where nothing was run without one."""
    told = [trial for scene in scenes if scene.telling and (trial := _first_look(scene))]
    return max(told, key=lambda trial: (trial.first.defense is None, trial.leak, trial.furthest), default=None)


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
    phrase = line.measure.reached[level(worst.leak)].format(subjects(scenes))
    if first.property is not None:
        phrase = phrase.replace("how many they are", f"how many have {first.property}")
    looks = [look for scene in scenes if scene.attacked and (look := _first_look(scene))]
    others = [look for look in looks if look.first.property == first.property]
    least = min(others, key=lambda look: look.leak, default=worst)
    asked = {scene.first.property for scene in scenes}
    parts = (
        f"{line.measure.title} {line.measure.written(line.value)}, without the federation "
        f"{line.measure.written(line.blind)}: advantage {worst.advantage} by {called(line.first)} "
        f"on {first.federation}",
        "" if first.defense is None else f"under {defense_label(first)}",
        ""
        if round(least.leak, 3) >= round(worst.leak, 3)
        else f"least {number(least.leak)} on {least.first.federation}{_otherwise_measured(least, worst)}",
        f"of {len(asked)} properties this one is told best" if len(asked) > 1 else "",
    )
    return f"{phrase} ({'; '.join(filter(None, parts))})"


def _otherwise_measured(least: Trial, worst: Trial) -> str:
    """Name the measure of the least leak where it is another than that of the largest."""
    titles = [trial.strongest.measure.title for trial in (least, worst) if trial.strongest]
    return f" by {titles[0]}" if len(set(titles)) > 1 else ""


def _nothing(scenes: Sequence[Scene], worst: Trial) -> str:
    unread = dict.fromkeys(scene.first.federation for scene in scenes if not scene.attacked)
    besides = f"; not known on {listed(list(unread))}" if unread else ""
    return f"{subjects(scenes)} (advantage {worst.advantage} where it is highest{besides})"


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
    own = f"the {quoted.alone} that such a model is worth on the columns of {us} alone"
    best = max((scene for scene in known if scene.alone), key=lambda scene: scene.alone.mean if scene.alone else 0.0)
    if best.alone and quoted.alone and best.alone.mean - quoted.alone.mean > NEGLIGIBLE:
        own += f" ({number(best.alone.mean)} of the kind of {best.first.federation})"
    amount = f"{metric_of(metric).title} {number(together_)}, {quoted.gain} above {own}"
    if not told and quoted.gain_unsure:
        return (
            f"Whether the federation adds anything, {counted(len(quoted.worth.undefended), 'seed')} cannot tell from "
            f"noise (on {quoted.first.federation} {amount}), nor what a defense costs: add seeds."
        )
    if not told:
        where = "The federation adds" if len(known) == 1 else "None of the federations adds"
        what = "nothing" if len(known) == 1 else "anything"
        return (
            f"{where} {what} that can be told from noise (on {quoted.first.federation} {amount}): "
            "what a defense costs says little here."
        )
    noisy = [scene.first.federation for scene in known if scene.gain_within_noise]
    besides = f"; on {listed(noisy)} the gain lies within noise" if noisy else ""
    return f"On {quoted.first.federation} the joint model is worth {amount}{besides}."


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
        f"How sure: {told}. An advantage of 0 is what they could guess without the federation, 1 is everything; "
        "attacks that nobody tried may find more."
    )
