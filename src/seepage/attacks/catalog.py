"""All attacks by name."""

from typing import TYPE_CHECKING, Any, Final

from seepage.attacks.attack import Attack
from seepage.catalogs import Catalog, Entry

ATTACKS: Final[Catalog[type[Attack[Any]]]] = Catalog(
    kind="attack",
    group="seepage.attacks",
    own={
        "gradient-sign": Entry(
            "seepage.attacks.labels.gradient_sign:GradientSign",
            "Take the class whose logit is pulled up: the direct label inference attack of paper 001.",
        ),
        "id2graph": Entry(
            "seepage.attacks.labels.id2graph:ID2Graph",
            "Cluster rows by the communities of a graph of shared leaves: ID2Graph of paper 003.",
        ),
        "local-clustering": Entry(
            "seepage.attacks.labels.local_clustering:LocalClustering",
            "Cluster the adversary's own columns with k-means, reading no message: the baseline CL of paper 003.",
        ),
        "union": Entry(
            "seepage.attacks.labels.union:Union",
            "Take rows that share a visible leaf of some tree for one class: the union attack (UNI) of SecureBoost.",
        ),
        "union-clustering": Entry(
            "seepage.attacks.labels.union_clustering:UnionClustering",
            "Cluster own columns beside the components that shared leaves make: UNI+CL of paper 003.",
        ),
    },
)

if TYPE_CHECKING:  # here the type checker says whether each entry fits the seam
    from seepage.attacks.labels.gradient_sign import GradientSign
    from seepage.attacks.labels.id2graph import ID2Graph
    from seepage.attacks.labels.local_clustering import LocalClustering
    from seepage.attacks.labels.union import Union
    from seepage.attacks.labels.union_clustering import UnionClustering

    _FITTING: tuple[type[Attack[Any]], ...] = (GradientSign, ID2Graph, LocalClustering, Union, UnionClustering)
