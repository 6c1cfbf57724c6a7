"""Where the recorded run of each cell is stored."""

from collections.abc import Mapping
from pathlib import Path

from seepage.audit.stages.cell import Cell
from seepage.errors import BadOutput
from seepage.files import private_folder


def stored_places(store: Path | None, cells: Mapping[str, Cell]) -> dict[str, Path]:
    """Give every attacked cell its folder, and refuse folders that are taken before anything is trained.

    One run takes the folder itself; several take one each, by defense and seed.
    """
    if store is None:
        return {}
    attacked = {key: cell for key, cell in cells.items() if cell.attacks}
    places = {key: store / _name(cell, list(attacked.values())) for key, cell in attacked.items()}
    for place in places.values():
        private_folder(place.parent)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise BadOutput(f"{place} exists already and is not an empty folder. Choose another --keep-transcript.")
    return places


def _name(cell: Cell, attacked: list[Cell]) -> str:
    if len(attacked) == 1:
        return ""
    defenses = list(dict.fromkeys(_defense(other) for other in attacked))
    if len(defenses) == 1:
        return f"seed-{cell.seed}"
    name = cell.defense.name if cell.defense is not None else "none"
    namesakes = [defense for defense in defenses if defense[0] == name]
    number = f"-{namesakes.index(_defense(cell)) + 1}" if len(namesakes) > 1 else ""
    return f"{name}{number}-seed-{cell.seed}"


def _defense(cell: Cell) -> tuple[str, str]:
    return (cell.defense.name, str(cell.defense.settings)) if cell.defense is not None else ("none", "")
