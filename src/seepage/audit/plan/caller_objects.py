"""Objects that a Python caller brings along, as a plan can name them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from typing import Any, Final

from seepage.attacks import ATTACKS
from seepage.audit.plan.settings import settings_of
from seepage.catalogs import Catalog, is_importable
from seepage.defenses import DEFENSES
from seepage.defenses.combined import Combined
from seepage.errors import BadPlan
from seepage.federations import FEDERATIONS

CATALOGS: Final[Mapping[str, Catalog[Any]]] = {"attacks": ATTACKS, "defenses": DEFENSES, "federations": FEDERATIONS}


@dataclass(frozen=True)
class CallerObjects:
    """What a caller brought along, and the classes behind it.

    In this process a class may live anywhere, in a notebook too. Other processes know it by its place alone and
    have to import it.

    Parameters
    ----------
    apart
        Whether other processes need the classes.
    classes
        Place → class, to be lent to the catalogs; stays empty where all are imported by their place.
    """

    apart: bool
    classes: dict[str, type[Any]] = field(default_factory=dict)

    def choices(self, key: str, asked: Any) -> Any:
        """Return what was asked for with every object as a plan writes it; names and tables stay as they are."""
        if asked is None or isinstance(asked, str | Mapping):
            return asked
        several = asked if isinstance(asked, Sequence) else [asked]
        return [one if isinstance(one, str | Mapping) else self.choice(key, one) for one in several]

    def choice(self, key: str, given: object) -> dict[str, Any]:
        """Return an object as a plan writes it.

        >>> from seepage.defenses.gradients.top_k import TopK
        >>> CallerObjects(apart=False).choice("defenses", TopK(share=0.5))
        {'name': 'top-k', 'settings': {'share': 0.5}}
        """
        if isinstance(given, Combined):
            parts = [self.choice(key, part) for _, part in given.parts]
            return {
                "name": "+".join(part["name"] for part in parts),
                "settings": {part["name"]: part["settings"] for part in parts},
            }
        made, catalog = type(given), CATALOGS[key]
        if isinstance(given, type) or not is_dataclass(made):
            found = f"the class {given.__name__}" if isinstance(given, type) else f"an object of {made.__name__}"
            raise BadPlan(f"{key} takes names and objects of frozen dataclasses, such as MyClass(), but got {found}.")
        place = f"{made.__module__}:{made.__qualname__}"
        ours = next((name for name, entry in catalog.own.items() if entry.place == place), None)
        if ours is None:
            self._take(place, made, catalog)
        return {"name": ours or place, "settings": _written(given)}

    def _take(self, place: str, made: type[Any], catalog: Catalog[Any]) -> None:
        lacking = [name for name in catalog.demands if not hasattr(made, name) and name not in made.__annotations__]
        if lacking:
            raise BadPlan(f"{made.__name__} lacks {' and '.join(lacking)}, so it is no {catalog.kind}.")
        if not self.apart:
            self.classes[place] = made
        elif not is_importable(place):
            raise BadPlan(
                f"{made.__name__} is defined in {'a function' if '<locals>' in made.__qualname__ else '__main__'}, "
                "where no other process can import it. Put it into a module, or work in this process (jobs=0, "
                "isolate=False)."
            )


def _written(given: object) -> dict[str, Any]:
    try:
        return settings_of(given)
    except (TypeError, ValueError) as error:
        raise BadPlan(
            f"{type(given).__name__} has a setting that a plan cannot write down ({error}). Use numbers, texts and "
            "dataclasses of them."
        ) from error
