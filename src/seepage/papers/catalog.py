"""All tables of the papers that can be reproduced."""

from typing import Final

from seepage.catalogs import Catalog, Entry
from seepage.papers.paper_table import PaperTable

TABLES: Final[Catalog[PaperTable]] = Catalog(
    kind="table",
    group="seepage.tables",
    own={
        "label/table6": Entry(
            "seepage.papers.label_table6:TABLE",
            "Defenses against the direct label inference attack (paper 001, Table 6).",
        ),
    },
)
