"""From what somebody asks for, in options, keywords or a plan's file, to one checked plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from seepage.audit.plan.defaults import (
    ABOUT_ONE,
    ABOUT_PROPERTIES,
    ASKING,
    EMBEDDED_DATA,
    EMBEDDED_PARTIES,
    default_choices,
    defended_by,
    first_choice,
)
from seepage.audit.plan.depths import DEFAULT_DEPTH, SCOPES
from seepage.audit.plan.found_properties import found_properties
from seepage.audit.plan.plan import Depth, Plan, make_plan, read_plan
from seepage.audit.plan.settings import parse_choice
from seepage.audit.plan.spelling import KEYWORDS
from seepage.audit.stages.bench import Bench
from seepage.audit.stages.coalitions import asked_about, default_coalitions
from seepage.audit.stages.preflight import first_applicable, refuse_idle_properties, without_idle_defenses
from seepage.audit.stages.preparation import parties_of
from seepage.data.catalog import DATASETS
from seepage.errors import BadPlan, UnknownName
from seepage.federations.catalog import FEDERATIONS
from seepage.settings import keys

Asked = str | Mapping[str, Any]
"""A name, as ``top-k`` or ``top-k:share=0.1``, or a table of ``name`` and ``settings``."""

NONE: Final = "none"
"""The defense that is none."""

SHORT_KEYS: Final = "insecure_key"
"""The field of a federation that allows short keys."""

BESIDE_A_PLAN: Final = frozenset({"data", "seeds", "threads", "timeout", "device", "isolate", "engine", "address"})
"""What may be asked for besides a plan: how long and where, but not what."""

OUTSIDE_A_PLAN: Final = frozenset({"data", "isolate", "engine", "address"})
"""What of that is no key of a plan."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """Everything that can be asked for; what is left out has the default of `plan_of`.

    The fields are the keywords of `seepage.audit`, and options of the command line fill them in.

    Parameters
    ----------
    data
        A name from the catalog, a CSV or Parquet file, a plan or a plan's file; None
        is the embedded default.
    depth
        How deep to go where nothing else is said: ``quick``, ``standard`` (the default) or ``thorough``.
    label, id_column, impute, keep_missing, rows, text, words, vocabulary
        About a table; see ``docs/plan.md``.
    parties
        How many, or who holds which columns, the active party first.
    partition
        How columns are dealt: a kind, such as ``halves``, or a table as a plan has it.
    adversary_share, labels_only, overlap
        About the partition as well.
    federations, attacks, defenses
        Names, or tables of ``name`` and ``settings``; None is all that make sense.
    insecure_key
        Whether federations of trees may take short keys.
    first_federation
        Whether federations that nobody named are the first one to which the attacks
        apply, and defenses that nobody named are none: one attack by itself.
    properties
        Named ones; None asks about columns with few values, and an empty list about none.
    undefended, adversary, adversaries, model, predictions, encoding, scaling, split, seeds, threads, timeout, device
        Keys of a plan.
    isolate
        Whether our own attacks run in processes of their own too.
    engine, address
        What carries the work out, and where; no plan says it, since no finding depends on it.
    """

    data: str | Path | Plan | None = None
    depth: str | None = None
    label: str | None = None
    id_column: str | None = None
    impute: bool = False
    keep_missing: bool = False
    rows: int | None = None
    text: str | None = None
    words: int | None = None
    vocabulary: int | str | None = None
    parties: int | Mapping[str, Sequence[str]] | None = None
    partition: str | Mapping[str, Any] | None = None
    adversary_share: float | None = None
    labels_only: bool = False
    overlap: bool = False
    federations: str | Sequence[Asked] | None = None
    insecure_key: bool = False
    attacks: str | Sequence[Asked] | None = None
    defenses: str | Sequence[Asked] | None = None
    first_federation: bool = False
    undefended: bool | None = None
    adversary: str | Sequence[str] | None = None
    adversaries: Sequence[Sequence[str]] | None = None
    properties: str | Sequence[str] | None = None
    model: bool | None = None
    predictions: bool | None = None
    encoding: str | None = None
    scaling: str | None = None
    split: str | float | None = None
    seeds: int | Sequence[int] | None = None
    threads: int | None = None
    timeout: float | None = None
    device: str | None = None
    isolate: bool = False
    engine: str | None = None
    address: str | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """The fields that say something."""
        return tuple(one.name for one in fields(self) if getattr(self, one.name) != one.default)


def plan_of(request: Request, bench: Bench | None = None) -> Plan:
    """Return the plan that was asked for, with everything that can be told without training checked.

    What was read on the way is kept on the bench, where there is one.

    Examples
    --------
    >>> asked = Request(data="iris", federations=["forest"], attacks="id2graph", defenses="none", seeds=2)
    >>> plan = plan_of(asked)
    >>> plan.data.name, [choice.name for choice in plan.federations], plan.defenses, plan.seeds
    ('iris', ['forest'], (), (0, 1))
    """
    if isinstance(request.data, Plan) or (request.data is not None and Path(request.data).suffix == ".toml"):
        return _given_plan(request, request.data)
    bench = bench or Bench()
    made = make_plan(_values(request), source="The attack" if request.first_federation else "The audit")
    if request.first_federation:
        if request.federations is None:
            refuse_idle_properties(made)
            return first_applicable(made, bench)
        return made
    made = _filled_in(request, made, bench)
    return made if request.defenses is not None else without_idle_defenses(made, bench)


def _filled_in(request: Request, plan: Plan, bench: Bench) -> Plan:
    """Return the plan with what its depth decides once the table and the parties are known."""
    scope, changes = SCOPES[plan.depth or DEFAULT_DEPTH], dict[str, Any]()
    if scope.rows is not None and request.rows is None:
        changes["data"] = bench.sampled(plan.data, scope.rows).model_dump()
    dealt_to_one = plan.partition.adversary_share is not None or plan.partition.shared
    if not (plan.adversary or plan.adversaries or dealt_to_one):
        changes["adversaries"] = default_coalitions(parties_of(plan.partition), colluding=scope.colluding)
    if request.properties is None and request.attacks is None:
        changes |= _asking(request, plan, bench)
    return make_plan({**plan.model_dump(), **changes}, source="The audit") if changes else plan


def _asking(request: Request, plan: Plan, bench: Bench) -> dict[str, Any]:
    """Return what a plan says more that asks about columns with few values; nothing where there are none."""
    depth, table = plan.depth or DEFAULT_DEPTH, bench.table(plan.data)
    found = found_properties(table, SCOPES[depth].properties, asked_about(plan))
    if not found:
        return {}
    names = sorted(ABOUT_PROPERTIES - ABOUT_ONE) if request.defenses is None else []
    return {
        "properties": found,
        "properties_kept": False,
        "attacks": [*(one.model_dump() for one in plan.attacks), {"name": ASKING}],
        "defenses": [*(one.model_dump() for one in plan.defenses), *defended_by(names, depth)],
    }


def _given_plan(request: Request, source: str | Path | Plan) -> Plan:
    """Return a plan that says what to audit, with what may be said besides."""
    for name in request.given:
        if name not in BESIDE_A_PLAN:
            said = "The plan" if isinstance(source, Plan) else source
            raise BadPlan(f"{said} says what to audit, so {_option(request, name)} does not go with it.")
    plan = source if isinstance(source, Plan) else read_plan(Path(source))
    changed = {name: getattr(request, name) for name in request.given if name not in OUTSIDE_A_PLAN}
    if request.isolate:
        changed["isolation"] = {**plan.isolation.model_dump(), "ours": True}
    return make_plan({**plan.model_dump(), **changed}, source=str(source)) if changed else plan


def _option(request: Request, name: str) -> str:
    """Spell a field as the command line does."""
    if name == "depth":
        return f"--{request.depth}"
    if name == "parties":
        return "--party" if isinstance(request.parties, Mapping) else "--parties"
    options = {keyword.partition("=")[0]: option for option, keyword in KEYWORDS.items()}
    return options.get(name, name)


def _values(request: Request) -> dict[str, Any]:
    """Return the plan as a person would write it."""
    words, properties = request.text is not None, _several(request.properties)
    choices: dict[str, Any] = default_choices(
        [key for key in ("federations", "attacks", "defenses") if getattr(request, key) is None]
        if not request.first_federation
        else ["attacks"] * (request.attacks is None),
        gaps=request.keep_missing,
        properties=bool(properties),
        words=words,
        depth=_depth(request),
    )
    if request.first_federation:
        choices |= {"federations": [first_choice(words=words)], "defenses": []}
    for key, option in (("federations", "--federation"), ("attacks", "--attack"), ("defenses", "--defense")):
        asked = getattr(request, key)
        if asked is not None:
            named = _several(asked) or []
            choices[key] = [_choice(one, option) for one in named if not (key == "defenses" and one == NONE)]
    if request.insecure_key:
        choices["federations"] = _with_short_keys(request, choices["federations"])
    alone = request.first_federation and request.undefended is None
    return {
        "data": _data(request),
        "partition": _partition(request),
        **choices,
        **_given(
            undefended=not choices["defenses"] if alone else request.undefended,
            depth=None if request.first_federation else _depth(request),
            adversary=_several(request.adversary),
            adversaries=request.adversaries,
            properties=properties,
            seeds=_seeds(request),
            **{key: getattr(request, key) for key in ("model", "predictions", "encoding", "scaling", "split")},
            **{key: getattr(request, key) for key in ("threads", "timeout", "device")},
            isolation={"ours": True} if request.isolate else None,
        ),
    }


def _depth(request: Request) -> Depth:
    asked = DEFAULT_DEPTH if request.depth is None else request.depth
    for depth in SCOPES:
        if depth == asked:
            return depth
    raise UnknownName("depth", asked, known=SCOPES)


def _seeds(request: Request) -> int | Sequence[int] | None:
    """Return the seeds that were asked for, or as many as the depth has."""
    if request.seeds is not None or request.first_federation:
        return request.seeds
    return SCOPES[_depth(request)].seeds


def _data(request: Request) -> dict[str, Any]:
    """Tell a file from a name of the catalog."""
    about = _given(
        impute=request.impute or None,
        keep_missing=request.keep_missing or None,
        rows=request.rows,
        text=request.text,
        words=request.words,
        vocabulary=request.vocabulary,
    )
    named = request.label is not None or request.id_column is not None
    if request.data is None:
        if named:
            raise BadPlan("--label and --id belong to a file, but no file is given: name it before them.")
        return {"name": EMBEDDED_DATA, **about}
    data = str(request.data)
    path = Path(data)
    if data in DATASETS and not path.exists():
        if named:
            raise BadPlan(f"'{data}' is a data set of the catalog, whose label is known: leave out --label and --id.")
        return {"name": data, **about}
    is_file = request.label is not None or path.suffix.lower() in {".csv", ".parquet", ".pq"} or path.is_file()
    if not is_file:
        return {"name": data, **about}
    if request.label is None:
        raise BadPlan(f"{data} is a file, so its label column must be named: add --label COLUMN.")
    return _given(file=data, label=request.label, id=request.id_column, **about)


def _partition(request: Request) -> dict[str, Any]:
    """Return who holds what; the embedded default has names of its own for two parties."""
    kind = {"kind": request.partition} if isinstance(request.partition, str) else dict(request.partition or {})
    said = kind | _given(adversary_share=request.adversary_share, labels_only=request.labels_only or None)
    if isinstance(request.parties, Mapping):
        if said:
            raise BadPlan(
                "--party names the columns of every party, "
                "so --parties, --adversary-share, --partition and --labels-only do not go with it."
            )
        columns = {name: tuple(held) for name, held in request.parties.items()}
        return {"kind": "named", "columns": columns, "overlap": request.overlap}
    if request.overlap:
        raise BadPlan("--overlap lets --party name a column twice; without --party it has no effect.")
    said |= _given(parties=request.parties)
    embedded = request.data is None and not request.first_federation
    if embedded and said.get("parties", 2) == 2 and not {"names", "columns"} & set(said):
        return {"names": EMBEDDED_PARTIES, **said}
    return said


def _with_short_keys(request: Request, federations: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let every federation that has a key take a short one; refuse where none has."""
    if request.first_federation and request.federations is None:
        raise BadPlan("--insecure-key allows short keys for one federation: name it with --federation.")

    def has_key(name: str) -> bool:
        return SHORT_KEYS in keys(FEDERATIONS[name])

    if not any(has_key(choice["name"]) for choice in federations):
        names = ", ".join(str(choice["name"]) for choice in federations)
        raise BadPlan(
            f"--insecure-key allows short keys, but {names} has no key: it goes with decision-tree, forest or boosting."
        )
    return [
        {**choice, "settings": {**choice.get("settings", {}), SHORT_KEYS: True}} if has_key(choice["name"]) else choice
        for choice in federations
    ]


def _choice(asked: Asked, option: str) -> dict[str, Any]:
    """Return one choice as a table; names may carry settings."""
    if isinstance(asked, str):
        name, settings = parse_choice(asked, option)
        return {"name": name, "settings": settings}
    if isinstance(asked, Mapping):
        return dict(asked)
    raise BadPlan(f"{option} is {asked!r}. Give a name, or a table of name and settings.")


def _several(asked: str | Sequence[Any] | None) -> list[Any] | None:
    """Return a list also where one thing is given by itself."""
    if asked is None:
        return None
    return [asked] if isinstance(asked, str | Mapping) else list(asked)


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
