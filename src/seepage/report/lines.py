"""One line for each asset or property, adversary and federation: leak, lowest leak, cheapest defense, how sure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from seepage.audit.findings.certainty import Certainty
from seepage.audit.findings.circumstances import grouped
from seepage.audit.findings.comparison import Comparison, compared
from seepage.audit.findings.labels import defense_label
from seepage.audit.findings.scenes import Scene, Trial
from seepage.audit.findings.survey import Survey
from seepage.audit.findings.worth import NEGLIGIBLE
from seepage.report.advice import kept_share
from seepage.report.plain_table import small
from seepage.report.wording import called, listed, subject, together
from seepage.scores.digits import NO_NUMBER, counted, number
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import metric_of

PLACES: Final = ("learns", "adversary", "federation")
ANSWERS: Final = ("no defense", "lowest leak", f"cheapest at or below {TOLERABLE:g}", "how sure")


@dataclass(frozen=True)
class Lines:
    """A cell for each of `PLACES` and `ANSWERS` in every row, and sentences about what has no row."""

    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def lines(survey: Survey) -> Lines:
    """Sum up every place where an attack gave a number, and count what did not apply."""
    told = [scene for scene in survey.scenes if scene.attacked]
    return Lines(tuple(map(_row, told)), (*_inapplicable(survey), *_unread(survey)))


def _row(scene: Scene) -> tuple[str, ...]:
    first, found = scene.first, compared(scene)
    return (
        subject(first.asset, first.property),
        together(first.adversary),
        first.federation,
        _leak(scene.undefended),
        _lowest(scene, found),
        _cheapest(scene, found),
        _sure(scene),
    )


def _leak(trial: Trial | None) -> str:
    if trial is None or trial.strongest is None:
        return "not run" if trial is None else NO_NUMBER
    return small(str(trial.advantage), called(trial.strongest.first))


def _lowest(scene: Scene, found: Comparison) -> str:
    if scene.quiet and scene.defended:
        return "nothing to lower"
    if found.lowest is None:
        return "none can be compared" if scene.defended else "none tried"
    if scene.undefended and found.lowest.leak >= scene.undefended.leak:
        return "none lowers it"
    tied = counted(len(found.lowest_tied), "other") if found.lowest_tied else ""
    return small(_defended(found.lowest), f"({tied} within noise)" if tied else "")


def _cheapest(scene: Scene, found: Comparison) -> str:
    if scene.undefended and scene.undefended.leak <= TOLERABLE:
        return "not needed"
    if found.cheapest is None:
        bearable = " at a bearable cost" if found.useless else ""
        return f"none{bearable}" if scene.defended else "none tried"
    told = "the same" if found.cheapest is found.lowest else _defended(found.cheapest)
    tied = counted(len(found.cheapest_tied), "other") if found.cheapest_tied else ""
    return small(
        told,
        _price(found.cheapest),
        f"(upper end above {TOLERABLE:g})" if found.cheapest_unsure else "",
        f"({tied} within noise)" if tied else "",
    )


def _defended(trial: Trial) -> str:
    return small(str(trial.advantage or NO_NUMBER), defense_label(trial.first, short=True))


def _price(trial: Trial) -> str:
    if trial.cost is None:
        return "cost not measured"
    metric = metric_of(trial.priced.first.utility_metric).title
    noise = (" (noise)" if abs(trial.cost.mean) < NEGLIGIBLE else " (unsure)") * trial.cost_within_noise
    kept = f", keeps {kept_share(trial.kept)}" if trial.kept else ""
    return f"cost {number(trial.cost.mean)} {metric}{noise}{kept}"


def _sure(scene: Scene) -> str:
    certainty = Certainty.of(scene.lines)
    gain = (
        "whether federating helps is unsure" if scene.gain_unsure else "no gain beyond noise"
    ) * scene.gain_within_noise
    return small(counted(certainty.seeds, "seed"), *(mark for mark in certainty.marks if "seed" not in mark), gain)


def _inapplicable(survey: Survey) -> tuple[str, ...]:
    missing = sum(line.status == "not applicable" for line in survey.tried)
    if not missing:
        return ()
    return (
        f"{missing} of {counted(len(survey.tried), 'attempt')} (an attack on a federation under a defense) did not "
        "apply; --table lists them with the reasons.",
    )


def _unread(survey: Survey) -> tuple[str, ...]:
    """Name places where no attack gave a number, lest silence be taken for tightness."""
    unread = [scene for scene in survey.scenes if not scene.attacked]
    known = _places([one for one in unread if one.nothing_to_gain])
    unscored = _places([one for one in unread if one.unscored and not one.nothing_to_gain])
    silent = _places([one for one in unread if not one.unscored and not one.nothing_to_gain])
    return tuple(
        filter(
            None,
            (
                f"Known without the federation already, so that nothing is left to gain: {known}." if known else "",
                f"Not scored, because the truth is not known: {unscored}." if unscored else "",
                f"Not known, because no attack gave a number: {silent}." if silent else "",
            ),
        )
    )


def _places(scenes: Iterable[Scene]) -> str:
    """Name who would learn what, each with all federations."""
    groups = grouped(scenes, lambda scene: (scene.first.asset, scene.first.property, scene.first.adversary))
    return "; ".join(
        f"{subject(asset, asked)} by {together(who)} on {listed([scene.first.federation for scene in group])}"
        for (asset, asked, who), group in groups.items()
    )
