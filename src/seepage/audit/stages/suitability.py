"""Which defense can act in which federation."""

from collections.abc import Mapping

from seepage.audit.stages.verification import unverifiable
from seepage.federations import Federation
from seepage.hooks import Defense, Hook, Seam, unchanged
from seepage.transcript import Agreement

ACTION = {
    Seam.TABLE: "changes the columns before training",
    Seam.LABELS: "changes the labels before training",
    Seam.MESSAGE: "rewrites messages",
    Seam.RELEASE: "rewrites released predictions",
    Seam.MODEL: "changes the parties' networks",
    Seam.SPLIT: "decides which nodes of a tree are shown",
    Seam.FINISHED_TREE: "repairs finished trees",
    Seam.SCREENING: "leaves columns out before training",
    Seam.ALIGNMENT: "leaves rows out before training",
    Seam.VERIFICATION: "tries predictions out before they are released",
}


def unsuited(defense: Defense, name: str, federation: Federation, agreement: Agreement) -> str | None:
    """Say in one or two sentences why a defense cannot act in a federation; None when it can.

    >>> from seepage.defenses.trees.grafting import Grafting
    >>> from seepage.federations.boosting import Boosting
    >>> terms = Agreement(federation="boosting", parties=("bank", "shop"), active="bank", classes=2,
    ...                   top_model=True, outputs=2)
    >>> print(unsuited(Grafting(), "grafting", Boosting(), terms))
    grafting repairs finished trees, but every tree of boosting is fitted to what the trees before it left over, ...
    """
    closed = sorted(defense.acts_on - federation.offers)
    if closed:
        return f"{name} {ACTION[closed[0]]}, but {_why_not(closed[0], federation.name, agreement)}"
    absent = sorted(defense.rewrites - set(agreement.kinds))
    if absent:
        return f"{name} rewrites {absent[0]} messages, but {federation.name} sends none. Choose another defense."
    return unverifiable(defense, name, agreement)


def idle(defense: Defense, name: str, hooks: Mapping[str, Hook]) -> str | None:
    """Say why a defense that leaves rows out has nobody to do so; None when somebody has, or it does something else.

    Who holds no property has nothing to withdraw, which is as it should be. Where
    nobody holds one, the defense would change nothing, silently.
    """
    if Seam.ALIGNMENT not in defense.acts_on or any(hook.alignment is not unchanged for hook in hooks.values()):
        return None
    return (
        f"{name} {ACTION[Seam.ALIGNMENT]}, but no party holds a property that it speaks of. "
        "Name one that is audited (--property COLUMN=VALUE)."
    )


def _why_not(seam: Seam, federation: str, agreement: Agreement) -> str:
    if seam is Seam.FINISHED_TREE and federation == "boosting":
        return (
            "every tree of boosting is fitted to what the trees before it left over, so that none may change "
            "afterwards. Choose label-dp or purity-limit, or a forest."
        )
    if seam in {Seam.SPLIT, Seam.FINISHED_TREE}:
        return f"{agreement.federation} grows none. Choose a federation of trees (decision-tree, forest, boosting)."
    if seam is Seam.MODEL:
        lacking = "has no hidden units" if federation == "logistic-regression" else "trains none"
        return f"{federation} {lacking}. Choose a federation of networks (split-network, summed-network)."
    return f"{agreement.federation} does not allow that. Choose another defense."
