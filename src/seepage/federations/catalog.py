"""All federations by name."""

from typing import TYPE_CHECKING, Final

from seepage.catalogs import Catalog, Entry

if TYPE_CHECKING:  # listing must not import what federations need
    from seepage.federations.federation import Federation

FEDERATIONS: Final[Catalog[type["Federation"]]] = Catalog(
    kind="federation",
    group="seepage.federations",
    demands=("name", "offers", "agreement", "train"),
    own={
        "split-network": Entry("seepage.federations.split_network:SplitNetwork"),
        "summed-network": Entry("seepage.federations.summed_network:SummedNetwork"),
        "logistic-regression": Entry("seepage.federations.logistic_regression:LogisticRegression"),
        "decision-tree": Entry("seepage.federations.decision_tree:DecisionTree"),
        "forest": Entry("seepage.federations.forest:Forest"),
        "boosting": Entry("seepage.federations.boosting:Boosting"),
    },
)
