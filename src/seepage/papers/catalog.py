"""All tables and figures of the papers that can be reproduced."""

from typing import Final

from seepage.catalogs import Catalog, Entry
from seepage.papers.paper_table import PaperTable

TABLES: Final[Catalog[PaperTable]] = Catalog(
    kind="table",
    group="seepage.tables",
    own={
        "label/table2": Entry(
            "seepage.papers.label_table2:TABLE",
            "Labels inferred from the adversary's own bottom model (paper 001, Table 2).",
        ),
        "label/table3": Entry(
            "seepage.papers.label_table3:TABLE",
            "The same by the number of known labels (paper 001, Table 3).",
        ),
        "label/table4": Entry(
            "seepage.papers.label_table4:TABLE",
            "What the active attack costs the joint model (paper 001, Table 4).",
        ),
        "label/table6": Entry(
            "seepage.papers.label_table6:TABLE",
            "Defenses against the direct label inference attack (paper 001, Table 6).",
        ),
        "label/choices": Entry(
            "seepage.papers.label_choices:TABLE",
            "What each choice changes where text and code of paper 001 disagree.",
        ),
        "label/figure2": Entry(
            "seepage.papers.label_partitions:SHARES",
            "The same by the adversary's share of the columns (paper 001, Figure 2).",
        ),
        "label/figure3": Entry(
            "seepage.papers.label_partitions:PARTIES",
            "The same by the number of parties, and with overlapping columns (paper 001, Figure 3).",
        ),
        "label/figure5": Entry(
            "seepage.papers.label_figure5:FIGURE",
            "Defenses of gradients against both, and what they cost (paper 001, Figure 5).",
        ),
        "label/appendix-e": Entry(
            "seepage.papers.label_appendix_e:TABLE",
            "From inferred labels to another party's column (paper 001, Appendix E).",
        ),
        "feature/table3": Entry(
            "seepage.papers.ablation_table:TABLE",
            "Which parts of the generative regression network matter (paper 002, Table III).",
        ),
        "feature/figure5": Entry(
            "seepage.papers.feature_figures:EQUATIONS",
            "Equality solving by the share of columns that the adversary lacks (paper 002, Figure 5).",
        ),
        "feature/figure6": Entry(
            "seepage.papers.feature_figures:PATHS",
            "Path restriction by the same share (paper 002, Figure 6).",
        ),
        "feature/figure7": Entry(
            "seepage.papers.feature_figures:GENERATED",
            "Generative regression on three models by the same share (paper 002, Figure 7).",
        ),
        "feature/figure7-published": Entry(
            "seepage.papers.feature_figures:GENERATED_AS_PUBLISHED",
            "The same with the settings of the authors' code (paper 002, Figure 7).",
        ),
        "feature/figure8": Entry(
            "seepage.papers.feature_figures:GENERATED_BRANCHES",
            "Branches of a forest that generative regression infers (paper 002, Figure 8).",
        ),
        "feature/figure9": Entry(
            "seepage.papers.predictions_figure:FIGURE",
            "Generative regression by the number of predictions (paper 002, Figure 9).",
        ),
        "feature/figure10": Entry(
            "seepage.papers.correlation_figure:FIGURE",
            "Error and correlations of every column (paper 002, Figure 10).",
        ),
        "feature/figure11-rounding": Entry(
            "seepage.papers.feature_figures:ROUNDED",
            "Rounded confidences against attacks on logistic regression (paper 002, Figure 11 a to d).",
        ),
        "feature/figure11-dropout": Entry(
            "seepage.papers.feature_figures:DROPPED",
            "Dropout against generative regression on a network (paper 002, Figure 11 e and f).",
        ),
        "provfl/table2": Entry(
            "seepage.papers.property_divergences:TABLE",
            "How far apart norms are spread at two fractions (paper 000, Table II).",
        ),
        "provfl/table5": Entry(
            "seepage.papers.property_table5:TABLE",
            "Inferred fractions of the other party's population (paper 000, Table V).",
        ),
        "provfl/table6": Entry(
            "seepage.papers.property_correlations:TABLE",
            "Attribute inference on raw columns, and their correlations (paper 000, Table VI).",
        ),
        "provfl/table7": Entry(
            "seepage.papers.property_worlds:TABLE",
            "Telling two fractions apart (paper 000, Table VII).",
        ),
        "provfl/table8": Entry(
            "seepage.papers.property_tables:STRANGERS",
            "Auxiliary rows of people whom the other party does not know (paper 000, Table VIII).",
        ),
        "provfl/table9": Entry(
            "seepage.papers.property_tables:PARTS",
            "Label replacement and model refinement (paper 000, Table IX).",
        ),
        "provfl/table10": Entry(
            "seepage.papers.property_seconds:TABLE",
            "Seconds of each attack on properties (paper 000, Table X).",
        ),
        "provfl/table12": Entry(
            "seepage.papers.property_tables:STEPS",
            "Steps between the fractions of made-up populations (paper 000, Table XII).",
        ),
        "provfl/table13": Entry(
            "seepage.papers.property_tables:REGRESSORS",
            "What learns the fraction from norms (paper 000, Table XIII).",
        ),
        "provfl/table14": Entry(
            "seepage.papers.property_tables:WEIGHTS",
            "How strongly the adversary's model is refined (paper 000, Table XIV).",
        ),
        "provfl/table15": Entry(
            "seepage.papers.property_tables:SHARES",
            "Property inference by the share of columns that the victim holds (paper 000, Table XV).",
        ),
        "provfl/table16": Entry(
            "seepage.papers.property_defenses:TABLE",
            "Defenses against property inference, and what they cost (paper 000, Table XVI).",
        ),
        "provfl/figure5": Entry(
            "seepage.papers.property_figure5:FIGURE",
            "Property inference along five settings (paper 000, Figure 5 a to e).",
        ),
        "provfl/figure5-parties": Entry(
            "seepage.papers.property_tables:PARTIES",
            "Property inference among more parties (paper 000, Figure 5 f).",
        ),
        "tree/table2": Entry(
            "seepage.papers.tree_table2:TABLE",
            "Attacks on the instance spaces of trees (paper 003, Table 2).",
        ),
        "tree/table3": Entry(
            "seepage.papers.tree_table3:TABLE",
            "How many ciphertexts defenses of trees cost or save (paper 003, Table 3).",
        ),
        "tree/figure5": Entry(
            "seepage.papers.tree_sweeps:SHARE",
            "Attacks on trees by the share of important columns that the adversary holds (paper 003, Figure 5).",
        ),
        "tree/figure6": Entry(
            "seepage.papers.tree_sweeps:DEPTH",
            "Attacks on trees by depth (paper 003, Figure 6).",
        ),
        "tree/figure7": Entry(
            "seepage.papers.tree_sweeps:TREES",
            "Attacks on trees by the number of trees (paper 003, Figure 7).",
        ),
        "tree/figure8": Entry(
            "seepage.papers.tree_defenses:ID2GRAPH_DEFENDED",
            "Defenses against ID2Graph, and what they cost (paper 003, Figure 8).",
        ),
        "tree/figure9": Entry(
            "seepage.papers.tree_defenses:UNION_DEFENDED",
            "The same against the union attacks (paper 003, Figure 9).",
        ),
        "tree/figure10": Entry(
            "seepage.papers.tree_defenses:WITHOUT_COLUMNS",
            "The same for an active party without columns (paper 003, Figure 10).",
        ),
    },
)
