"""All federations by name."""

from typing import TYPE_CHECKING, Final

from seepage.catalogs import Catalog, Entry
from seepage.federations.federation import Federation

FEDERATIONS: Final[Catalog[type[Federation]]] = Catalog(
    kind="federation",
    group="seepage.federations",
    demands=("name", "offers", "agreement", "train"),
    own={
        "split-network": Entry(
            "seepage.federations.split_network:SplitNetwork",
            "Split learning: embeddings are laid side by side and a top model reads them.",
        ),
        "summed-network": Entry(
            "seepage.federations.summed_network:SummedNetwork",
            "Vertical federated learning without model splitting: logits are added up.",
        ),
        "logistic-regression": Entry(
            "seepage.federations.logistic_regression:LogisticRegression",
            "Each party holds the weights of its own columns; the active party adds an intercept.",
        ),
        "decision-tree": Entry(
            "seepage.federations.decision_tree:DecisionTree",
            "One decision tree on all rows and columns, grown level by level by all parties.",
        ),
        "forest": Entry(
            "seepage.federations.forest:Forest",
            "A random forest: each tree on a sample of rows and columns, grown level by level by all parties.",
        ),
        "boosting": Entry(
            "seepage.federations.boosting:Boosting",
            "Second-order gradient boosting, as XGBoost does it, grown level by level by all parties.",
        ),
    },
)

if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.federations.boosting import Boosting
    from seepage.federations.decision_tree import DecisionTree
    from seepage.federations.forest import Forest
    from seepage.federations.logistic_regression import LogisticRegression
    from seepage.federations.split_network import SplitNetwork
    from seepage.federations.summed_network import SummedNetwork

    _FITTING: tuple[type[Federation], ...] = (
        Boosting,
        DecisionTree,
        Forest,
        LogisticRegression,
        SplitNetwork,
        SummedNetwork,
    )
