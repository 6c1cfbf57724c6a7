"""seepage list."""

from typing import TYPE_CHECKING, Annotated, Any

from rich.table import Table
from typer import Argument

from seepage.citations import credited
from seepage.cli.console import expected_errors, out
from seepage.errors import UnknownName

if TYPE_CHECKING:
    from seepage.catalogs import Catalog


def list_catalogs(
    what: Annotated[
        str | None, Argument(help="attacks, defenses, federations, backbones, datasets or tables; all by default.")
    ] = None,
) -> None:
    """List what there is, by name."""
    with expected_errors():
        catalogs = _catalogs()
        if what is not None and what not in catalogs:
            raise UnknownName("list", what, known=catalogs)
        for title, catalog in catalogs.items():
            if what in {None, title}:
                table = Table(title=title, title_justify="left", show_header=False, box=None, padding=(0, 2))
                for name, entry in catalog.entries.items():
                    table.add_row(name, credited(entry.summary, name))
                out.print(table)


def _catalogs() -> dict[str, "Catalog[Any]"]:
    from seepage.attacks.catalog import ATTACKS
    from seepage.data.catalog import DATASETS
    from seepage.defenses.catalog import DEFENSES
    from seepage.federations.catalog import FEDERATIONS
    from seepage.networks.backbones import BACKBONES
    from seepage.papers.catalog import TABLES

    return {
        "attacks": ATTACKS,
        "defenses": DEFENSES,
        "federations": FEDERATIONS,
        "backbones": BACKBONES,
        "datasets": DATASETS,
        "tables": TABLES,
    }
