"""All tables and figures of the papers that can be reproduced."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from seepage.catalogs import Catalog, Entry

if TYPE_CHECKING:  # listing the tables must not import what runs them
    from seepage.papers.table import Table

_SUMMARIES: Final[Mapping[str, Mapping[str, str]]] = {
    "labels.label_tables": {
        "label/table2": "Labels inferred from the adversary's own bottom model (paper 001, Table 2).",
        "label/table3": "The same by the number of known labels (paper 001, Table 3).",
        "label/table4": "What the active attack costs the joint model (paper 001, Table 4).",
    },
    "labels.label_table6": {"label/table6": "Defenses against the direct label inference attack (paper 001, Table 6)."},
    "labels.label_figures": {
        "label/choices": "What each choice changes where text and code of paper 001 disagree.",
        "label/figure2": "The same by the adversary's share of the columns (paper 001, Figure 2).",
        "label/figure3": "The same by the number of parties, and with overlapping columns (paper 001, Figure 3).",
        "label/figure5": "Defenses of gradients against both, and what they cost (paper 001, Figure 5).",
    },
    "labels.label_appendix_e": {
        "label/appendix-e": "From inferred labels to another party's column (paper 001, Appendix E)."
    },
    "features.feature_attacks": {
        "feature/table3": "Which parts of the generative regression network matter (paper 002, Table III).",
        "feature/figure5": "Equality solving by the share of columns that the adversary lacks (paper 002, Figure 5).",
        "feature/figure6": "Path restriction by the same share (paper 002, Figure 6).",
        "feature/figure7": "Generative regression on three models by the same share (paper 002, Figure 7).",
        "feature/figure7-published": "The same with the settings of the authors' code (paper 002, Figure 7).",
        "feature/figure8": "Branches of a forest that generative regression infers (paper 002, Figure 8).",
    },
    "features.feature_figures": {
        "feature/figure9": "Generative regression by the number of predictions (paper 002, Figure 9).",
        "feature/figure10": "Error and correlations of every column (paper 002, Figure 10).",
        "feature/figure11-rounding": (
            "Rounded confidences against attacks on logistic regression (paper 002, Figure 11 a to d)."
        ),
        "feature/figure11-dropout": (
            "Dropout against generative regression on a network (paper 002, Figure 11 e and f)."
        ),
    },
    "properties.property_attacks": {
        "provfl/table2": "How far apart norms are spread at two fractions (paper 000, Table II).",
        "provfl/table5": "Inferred fractions of the other party's population (paper 000, Table V).",
        "provfl/table6": "Attribute inference on raw columns, and their correlations (paper 000, Table VI).",
        "provfl/table7": "Telling two fractions apart (paper 000, Table VII).",
    },
    "properties.property_tables": {
        "provfl/table8": "Auxiliary rows of people whom the other party does not know (paper 000, Table VIII).",
        "provfl/table9": "Label replacement and model refinement (paper 000, Table IX).",
        "provfl/table10": "Seconds of each attack on properties (paper 000, Table X).",
        "provfl/table12": "Steps between the fractions of made-up populations (paper 000, Table XII).",
        "provfl/table13": "What learns the fraction from norms (paper 000, Table XIII).",
        "provfl/table14": "How strongly the adversary's model is refined (paper 000, Table XIV).",
        "provfl/table15": "Property inference by the share of columns that the victim holds (paper 000, Table XV).",
    },
    "properties.property_robustness": {
        "provfl/table16": "Defenses against property inference, and what they cost (paper 000, Table XVI).",
        "provfl/figure5": "Property inference along five settings (paper 000, Figure 5 a to e).",
        "provfl/figure5-parties": "Property inference among more parties (paper 000, Figure 5 f).",
    },
    "trees.tree_tables": {
        "tree/table2": "Attacks on the instance spaces of trees (paper 003, Table 2).",
        "tree/table3": "How many ciphertexts defenses of trees cost or save (paper 003, Table 3).",
    },
    "trees.tree_figures": {
        "tree/figure5": (
            "Attacks on trees by the share of important columns that the adversary holds (paper 003, Figure 5)."
        ),
        "tree/figure6": "Attacks on trees by depth (paper 003, Figure 6).",
        "tree/figure7": "Attacks on trees by the number of trees (paper 003, Figure 7).",
        "tree/figure8": "Defenses against ID2Graph, and what they cost (paper 003, Figure 8).",
        "tree/figure9": "The same against the union attacks (paper 003, Figure 9).",
        "tree/figure10": "The same for an active party without columns (paper 003, Figure 10).",
    },
}
"""File → the tables that it holds, each with one line about it, in the order in which they are listed."""


def _place(module: str, name: str) -> str:
    """Return where a table lives: ``feature/figure7-published`` is called ``FIGURE7_PUBLISHED`` in its file."""
    return f"seepage.papers.{module}:{name.partition('/')[2].upper().replace('-', '_')}"


TABLES: Final[Catalog["Table[Any]"]] = Catalog(
    kind="table",
    group="seepage.tables",
    own={
        name: Entry(_place(module, name), summary)
        for module, tables in _SUMMARIES.items()
        for name, summary in tables.items()
    },
)
