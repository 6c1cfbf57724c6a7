"""Where recorded runs are stored."""

from collections.abc import Sequence
from pathlib import Path

from seepage.audit.findings.labels import UNDEFENDED
from seepage.audit.plan.plan import Choice
from seepage.audit.stages.jobs import Shown
from seepage.audit.stages.keys import JobKeys
from seepage.audit.stages.work import Job
from seepage.errors import BadOutput
from seepage.files import private_folder


def stored_places(
    store: Path | None, jobs: Sequence[Job], shown: Sequence[Shown], keys: Sequence[JobKeys]
) -> tuple[tuple[str, Path], ...]:
    """Give every release that is attacked its folder, and refuse folders that are taken before anything is trained.

    One run takes the folder itself; several take one each, by defense and seed.
    """
    if store is None:
        return ()
    attacked = [(jobs[one.job], keys[one.job].releases[one.release].worth, one.release) for one in shown]
    defenses = [job.defense_of(job.releases[place]) for job, _, place in attacked]
    places = tuple(
        (key, store / _name(defense, job.seed, defenses))
        for (job, key, _), defense in zip(attacked, defenses, strict=True)
    )
    for _, place in places:
        private_folder(place.parent)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise BadOutput(f"{place} exists already and is not an empty folder. Choose another --keep-transcript.")
    return places


def _name(defense: Choice | None, seed: int, attacked: Sequence[Choice | None]) -> str:
    if len(attacked) == 1:
        return ""
    different = [one for number, one in enumerate(attacked) if one not in attacked[:number]]
    if len(different) == 1:
        return f"seed-{seed}"
    name = defense.name if defense is not None else UNDEFENDED
    namesakes = [one for one in different if (one.name if one is not None else UNDEFENDED) == name]
    number = f"-{namesakes.index(defense) + 1}" if len(namesakes) > 1 else ""
    return f"{name}{number}-seed-{seed}"
