"""What is recommended, in sentences for terminal and page."""

from collections.abc import Iterator

from seepage.audit.findings.worth import NEGLIGIBLE
from seepage.audit.recommending.recommendation import ArrangementTold, LeakTold, Recommendation
from seepage.report.wording import NAMED, SUBJECTS, listed, marked, opening, together
from seepage.scores.digits import counted, number
from seepage.scores.metrics import metric_of


def sentences(found: Recommendation) -> tuple[str, ...]:
    """Say what to switch on, what that leaves and costs, and how sure it is; or what is nearest where nothing suffices.

    >>> print(*sentences(Recommendation(data="iris", limits={"labels": 0.2})))
    Nothing that was tried keeps labels at or below 0.2. ...
    """
    return tuple(filter(None, (*_lead(found), _certainty(found))))


def _lead(found: Recommendation) -> Iterator[str]:
    aim = wanted(found)
    if found.best is not None:
        defense = "without a defense" if found.best.defense is None else f"switch on {found.best.called}"
        yield marked(f"On {found.best.place}, {defense}: it {aim}.", found.marks)
        yield _measured(found.best)
        if found.tied:
            more = [f"{len(found.tied) - NAMED} more"] if len(found.tied) > NAMED else []
            others = opening(listed([*found.tied[:NAMED], *more]))
            verb = "meets" if len(found.tied) == 1 else "meet"
            yield f"{others} {verb} the same in the search, and the seeds do not tell which is worth more."
        return
    yield marked(f"Nothing that was tried {aim}.", found.marks)
    if found.nearest is not None:
        defense = "no defense" if found.nearest.defense is None else found.nearest.called
        yield f"Nearest comes {defense} on {found.nearest.place}: {listed(list(found.nearest.missed))}."
        yield _measured(found.nearest)


def wanted(found: Recommendation) -> str:
    """Say what was asked for, as what something does.

    >>> wanted(Recommendation(data="iris", limits={"labels": 0.2}, least_kept=0.8))
    'keeps labels at or below 0.2 and 80% of what the federation adds'
    """
    parts = [f"{SUBJECTS.get(asset, asset)} at or below {limit:g}" for asset, limit in found.limits.items()]
    if found.least_utility is not None:
        parts.append(f"a model worth {found.least_utility:g} or more")
    if found.least_kept is not None:
        parts.append(f"{found.least_kept:.0%} of what the federation adds")
    return f"keeps {listed(parts)}"


def _measured(told: ArrangementTold) -> str:
    """Say what leaks, what the model is worth and what that costs."""
    leaks = [_leak(one) for one in told.leaks]
    title = metric_of(told.metric).title
    parts = [
        f"{listed(leaks)}" if leaks else "",
        f"the model is worth {title} {told.utility}" if told.utility else "",
        f"{told.cost} less than without a defense" if told.cost else "",
        f"and keeps a share of {told.kept} of what the federation adds" if told.kept and told.defense else "",
    ]
    said = f"On seeds that the search had not seen, {', '.join(filter(None, parts))}."
    unsure = [SUBJECTS.get(one.asset, one.asset) for one in told.leaks if one.unsure and one.reach <= one.limit]
    if unsure:
        said += (
            f" So few seeds do not show that {listed(unsure)} stay at or below the limit under other seeds: add seeds."
        )
    if told.utility and told.alone and told.utility.mean < told.alone.mean + NEGLIGIBLE:
        said += (
            f" That is no more than the {told.alone} that the label holder's own model is worth: ask why to federate."
        )
    return said


def _leak(one: LeakTold) -> str:
    what = f"how many have {one.asked}" if one.asked else SUBJECTS.get(one.asset, one.asset)
    more = f"; of those that it answers for {number(one.reach)}" if one.reach > one.advantage.mean + 1e-9 else ""
    return f"{together(one.adversary)} learns an advantage of {one.advantage} of {what} by {one.attack}{more}"


def _certainty(found: Recommendation) -> str:
    best = found.best or found.nearest
    fresh = counted(len(best.seeds), "seed") if best is not None else "no seed"
    chosen = (
        f"{counted(found.put_to_test, 'arrangement')} had to be put to the test before one held. "
        if found.best is not None and found.put_to_test > 1
        else ""
    )
    looked = counted(found.trained, "measurement")
    return (
        f"How sure: {looked} on {counted(len(found.search_seeds), 'seed')}, confirmed on {fresh} that the search "
        f"had not used; brackets hold 95 % intervals over these. {chosen}"
        "Attacks that nobody tried may find more."
    )
