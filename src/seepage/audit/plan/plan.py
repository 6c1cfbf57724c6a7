"""Everything an audit needs to be run, and to be run again."""

import tomllib
from pathlib import Path
from typing import Any, Final, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from seepage.audit.plan.settings import first_complaint
from seepage.data import STRATIFIED, Property, split_of
from seepage.errors import BadPlan, UnknownName
from seepage.layouts import LARGEST_VOCABULARY

FORMAT: Final = 1
Depth = Literal["quick", "standard", "thorough"]
MOST_SEEDS: Final = 10_000
MOST_PARTIES: Final = 1_000
MOST_THREADS: Final = 1_024
"""More than these nobody can mean: they are refused before anything is made of them."""


class _Part(BaseModel):
    """A piece of a plan: frozen, and no key but the known ones."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class DataPlan(_Part):
    """Which table: one of the catalog by name, or a file with its label column."""

    name: str | None = None
    file: str | None = None
    label: str | None = None
    id: str | None = None
    impute: bool = False
    keep_missing: bool = False
    rows: int | None = Field(default=None, strict=True)
    text: str | None = None
    words: int | None = Field(default=None, strict=True)
    vocabulary: int | str | None = None

    @field_validator("rows")
    @classmethod
    def _some_rows(cls, value: int | None) -> int | None:
        if value is not None and value < 1:
            raise ValueError(f"rows must be 1 or more, got {value}")
        return value

    @model_validator(mode="after")
    def _one_of_both(self) -> "DataPlan":
        if (self.name is None) == (self.file is None):
            raise ValueError("give either a name from the catalog or a file, not both or none")
        if self.impute and self.keep_missing:
            raise ValueError("missing values are either filled (impute) or kept (keep_missing), not both")
        if self.file is not None and self.label is None:
            raise ValueError('a file needs the name of its label column (label = "…", or --label)')
        self._check_text()
        return self

    def _check_text(self) -> None:
        if self.text is not None and self.name is not None:
            raise ValueError("text names a column of a file, but the data come from the catalog")
        if self.text is None and (self.words is not None or self.vocabulary is not None):
            raise ValueError('words and vocabulary say how a text is read: name its column (text = "…", or --text)')
        if self.words is not None and self.words < 1:
            raise ValueError(f"words must be 1 or more, got {self.words}")
        if isinstance(self.vocabulary, int) and not 2 <= self.vocabulary <= LARGEST_VOCABULARY:
            raise ValueError(f"vocabulary must lie between 2 and {LARGEST_VOCABULARY}, got {self.vocabulary}")

    @property
    def title(self) -> str:
        """What to call these data in findings; a sample says how many rows it has.

        >>> DataPlan(name="census", rows=10_000).title
        'census (10,000 rows)'
        """
        name = self.name or Path(self.file or "").stem
        return name if self.rows is None else f"{name} ({self.rows:,} rows)"


class PartitionPlan(_Part):
    """Who holds which columns; see `seepage.partition`."""

    kind: Literal["random", "halves", "by-importance", "stripes", "named"] = "random"
    parties: int = Field(default=2, ge=2)
    names: tuple[str, ...] = ()
    adversary_share: float | None = None
    columns: dict[str, tuple[str, ...]] = {}
    overlap: bool = False
    labels_only: bool = False
    shared: float = 0.0
    left_out: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _counted_by_name(cls, values: Any) -> Any:
        """Count parties that are named, where nobody says how many there are."""
        named = values.get("names") or values.get("columns") if isinstance(values, dict) else None
        if not isinstance(named, list | tuple | dict) or len(named) < 2:
            return values  # one party is refused by whoever deals
        said = values.get("parties")
        if said is None or ("columns" in values and values["columns"] and said == 2):  # plans always had a number
            return {**values, "parties": len(named)}
        return values

    @model_validator(mode="after")
    def _as_many_as_named(self) -> "PartitionPlan":
        if self.parties > MOST_PARTIES:
            raise ValueError(f"parties must be at most {MOST_PARTIES:,}, got {self.parties:,}")
        named = len(self.columns or self.names)
        if named > 1 and named != self.parties:
            raise ValueError(f"{self.parties} parties are asked for, but {named} are named; say one or the other")
        return self


class Choice(_Part):
    """A name from a catalog, with settings.

    Defenses that act together are one choice: their names are joined by a plus, and each has its settings by its name.
    """

    name: str
    settings: dict[str, Any] = {}

    @field_validator("name")
    @classmethod
    def _joined(cls, value: str) -> str:
        return "+".join(part.strip() for part in value.split("+"))


class AttackChoice(Choice):
    """An attack, with settings, and whether it is tried under every defense or without one only.

    It is left out of federations where one of the attacks that `unless` names can be run.
    """

    defended: bool = True
    unless: tuple[str, ...] = ()


class IsolationPlan(_Part):
    """How attacks are kept apart from everything but their view; see `seepage.audit.isolation`.

    Those from outside always are. What is guessed does not depend on it.
    """

    ours: bool = False
    seconds: float = Field(default=3600.0, gt=0)
    memory_gb: float | None = Field(default=None, gt=0)


class Plan(_Part):
    """What to audit. Written next to the findings, so that the same can be run again."""

    format: int = FORMAT
    depth: Depth | None = None
    data: DataPlan
    partition: PartitionPlan = PartitionPlan()
    encoding: Literal["one-hot", "ordinal", "hash"] = "one-hot"
    scaling: Literal["standard", "minmax"] = "standard"
    split: str = STRATIFIED
    federations: tuple[Choice, ...] = Field(min_length=1)
    attacks: tuple[AttackChoice, ...] = Field(min_length=1)
    defenses: tuple[Choice, ...] = ()
    undefended: bool = True
    adversary: tuple[str, ...] = ()
    adversaries: tuple[tuple[str, ...], ...] = ()
    model: bool = True
    predictions: bool = True
    properties: tuple[str, ...] = ()
    properties_kept: bool = True
    seeds: tuple[int, ...] = Field(default=(0, 1, 2), min_length=1)
    threads: int = Field(default=1, ge=1)
    device: str = "cpu"
    timeout: float | None = Field(default=None, gt=0)
    isolation: IsolationPlan = IsolationPlan()

    @field_validator("split", mode="before")
    @classmethod
    def _word_or_share(cls, value: Any) -> Any:
        return split_of(value)

    @field_validator("seeds", mode="before")
    @classmethod
    def _count_or_list(cls, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            if value < 1:
                raise ValueError(f"seeds must be 1 or more, got {value}")
            if value > MOST_SEEDS:
                raise ValueError(f"seeds must be at most {MOST_SEEDS:,}, got {value:,}")
            return tuple(range(value))
        return value

    @field_validator("seeds")
    @classmethod
    def _seeds_count(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if min(value) < 0 or len(set(value)) != len(value):
            raise ValueError(f"seeds must be different numbers from 0 on, got {list(value)}")
        return value

    @field_validator("threads")
    @classmethod
    def _some_threads(cls, value: int) -> int:
        if value > MOST_THREADS:
            raise ValueError(f"threads must be at most {MOST_THREADS:,}, got {value:,}")
        return value

    @field_validator("adversaries")
    @classmethod
    def _different_coalitions(cls, value: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        for one in value:
            if not one or len(set(one)) != len(one):
                raise ValueError(f"a coalition of adversaries names each party once, got {list(one)}")
        if len({frozenset(one) for one in value}) != len(value):
            raise ValueError(f"each coalition of adversaries must be named once, got {[list(one) for one in value]}")
        return value

    @model_validator(mode="after")
    def _no_contradiction(self) -> "Plan":
        if self.adversary and self.adversaries:
            raise ValueError("adversary names one coalition and adversaries several; say one or the other")
        if len(self.adversaries) > 1 and (self.partition.adversary_share is not None or self.partition.shared):
            raise ValueError("a share of the columns is that of one adversary, but adversaries names several")
        if not self.undefended and not self.defenses:
            raise ValueError("undefended is false and there are no defenses, so nothing is left to try; name a defense")
        return self

    @field_validator("adversary")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) != len(value):
            raise ValueError(f"each adversary must be named once, got {', '.join(value)}")
        return value

    @field_validator("properties")
    @classmethod
    def _each_property_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        written = tuple(str(Property.parse(text)) for text in value)
        if len(set(written)) != len(written):
            raise ValueError(f"each property must be named once, got {', '.join(written)}")
        return written

    @field_validator("format")
    @classmethod
    def _known_format(cls, value: int) -> int:
        if value > FORMAT:
            raise ValueError(f"the plan has format {value}, but this version of Seepage reads up to {FORMAT}")
        return value


def make_plan(values: dict[str, Any], *, source: str = "The plan") -> Plan:
    """Check values that a person wrote, and say what is wrong in one sentence."""
    try:
        return Plan.model_validate(_in_pieces(values))
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        if found["type"] == "extra_forbidden":
            *outer, key = found["loc"]
            raise UnknownName("key", str(key), known=_keys_at(tuple(outer))) from error
        if found["type"] == "missing":
            place = ".".join(str(step) for step in found["loc"])
            raise BadPlan(f"{source} does not say {place!r}. Add it; docs/plan.md shows a whole plan.") from error
        raise BadPlan(f"{source}: {first_complaint(error)}") from error


def _in_pieces(values: dict[str, Any]) -> dict[str, Any]:
    """Cut texts into pieces where nobody says how they are dealt."""
    data, partition = values.get("data"), values.get("partition", {})
    if not isinstance(data, dict) or data.get("text") is None or not isinstance(partition, dict) or "kind" in partition:
        return values
    return {**values, "partition": {**partition, "kind": "halves"}}


def read_toml(path: Path, page: str) -> dict[str, Any]:
    """Read a file that a person wrote as TOML, or say what is wrong with it and which page shows a whole one."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadPlan(f"{path} is not TOML: {error}. {page} shows a whole plan.") from error
    except RecursionError:
        raise BadPlan(f"{path} is nested too deeply to be read. {page} shows a whole plan.") from None
    except UnicodeDecodeError as error:
        raise BadPlan(f"{path} is not UTF-8 text. Save it as UTF-8.") from error
    except OSError as error:
        raise BadPlan(f"Cannot read {path} ({error.strerror}).") from error


def read_plan(path: Path) -> Plan:
    """Read a plan from a TOML file; paths in it are taken from the file's own folder."""
    values = read_toml(path, "docs/plan.md")
    plan = make_plan(values, source=str(path))
    beside = {key: str(path.parent / named) for key, named in _files_of(plan).items()}  # an absolute path stays itself
    return plan.model_copy(update={"data": plan.data.model_copy(update=beside)}) if beside else plan


def plan_text(plan: Plan) -> str:
    """Write a plan as TOML, with absolute paths so that it can be run from anywhere."""
    values = _without_none(plan.model_dump(mode="json"))
    values["data"] |= {key: str(Path(named).resolve()) for key, named in _files_of(plan).items()}
    return tomli_w.dumps(values)


def _files_of(plan: Plan) -> dict[str, str]:
    """Return the files that the data of a plan come from, by key."""
    named = {"file": plan.data.file, "vocabulary": plan.data.vocabulary}
    return {key: value for key, value in named.items() if isinstance(value, str)}


def _without_none(values: Any) -> Any:
    """Leave out what is None, which TOML cannot say: wherever it is allowed, it is the default."""
    if isinstance(values, dict):
        return {key: _without_none(value) for key, value in values.items() if value is not None}
    return [_without_none(value) for value in values] if isinstance(values, list) else values


def _keys_at(place: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = Plan
    nested: dict[str, type[BaseModel]] = {
        "data": DataPlan,
        "partition": PartitionPlan,
        "isolation": IsolationPlan,
        "federations": Choice,
        "attacks": AttackChoice,
        "defenses": Choice,
    }
    for step in place:
        model = nested.get(str(step), model)
    return list(model.model_fields)
