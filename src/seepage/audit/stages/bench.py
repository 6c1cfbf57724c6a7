"""What a worker keeps at hand from one job to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from seepage.audit.plan.plan import DataPlan
from seepage.audit.stages.preparation import Prepared, load_table, prepare, stamps_of
from seepage.audit.stages.work import Setting
from seepage.data import Encoding, MissingKind, Table, sampled
from seepage.errors import BadTable
from seepage.scores.remembered import Remembered

GUESSES = 64
"""How many guesses are kept: all of one training, so that what a defense left unchanged is not attacked again."""
ANSWERS = 64
"""How many blind answers are kept that hold under other defenses and federations too."""


@dataclass(frozen=True, eq=False)
class Bench:
    """The table, read once; the rows and columns of a seed, dealt and encoded once; guesses and blind answers.

    A bench belongs to one worker and is handed from job to job. No attack is given it.

    Parameters
    ----------
    held
        Tables that came with the work, by checksum: their files need not be on this machine.
    """

    held: Mapping[str, Table] = field(default_factory=dict, repr=False)
    tables: Remembered = field(default_factory=lambda: Remembered(most=2))
    settings: Remembered = field(default_factory=lambda: Remembered(most=2))
    guesses: Remembered = field(default_factory=lambda: Remembered(most=GUESSES))
    answers: Remembered = field(default_factory=lambda: Remembered(most=ANSWERS))

    def table(self, data: DataPlan) -> Table:
        """Return the table that a plan speaks of; it is read again when its file changes."""
        return self.tables.of((data, stamps_of(data)), lambda: load_table(data))

    def sampled(self, data: DataPlan, most: int) -> DataPlan:
        """Return the plan of a sample of at most so many rows, drawn of the table that is at hand."""
        whole = self.table(data)
        if whole.rows <= most:
            return data
        fewer = data.model_copy(update={"rows": most})
        self.tables.of((fewer, stamps_of(fewer)), lambda: sampled(whole, most))
        return fewer

    def prepared(self, setting: Setting, data_checksum: str | None = None) -> Prepared:
        """Return rows and columns as they lie under one seed, or refuse a table that is not the one expected."""
        table = self.held.get(data_checksum or "") or self.table(setting.data)
        if data_checksum is not None and table.checksum != data_checksum:
            raise BadTable(f"{table.name} was changed while the audit ran. Run it again when the data are at rest.")
        return self.settings.of((table.checksum, setting.model_dump_json()), lambda: _prepared(table, setting))


def _prepared(table: Table, setting: Setting) -> Prepared:
    """Split, deal and encode."""
    missing: MissingKind = "keep" if setting.data.keep_missing else "fill"
    encoding = Encoding(kind=setting.encoding, scaling=setting.scaling, missing=missing)  # type: ignore[arg-type]
    return prepare(
        table, setting.partition, setting.adversary, encoding, setting.split, setting.seed, setting.properties,
        setting.properties_kept,
    )  # fmt: skip
