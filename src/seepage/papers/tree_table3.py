"""Table 3 of paper 003: ciphertexts that defenses cost or save.

Grafting sends what `label-dp` sends, so the paper prints one line for both. The
paper averages nine data sets; here three are run unless another one is named.
"""

from typing import Final

from seepage.papers.ciphertext_table import CiphertextRow, CiphertextTable
from seepage.papers.tree_setting import LARGE, SMALL
from seepage.papers.variants import FIRST_TREE_ALONE, label_dp, purity_limit

TABLE: Final = CiphertextTable(
    title="Table 3 of paper 003: ciphertexts sent under a defense over ciphertexts sent without",
    note="1 is as many as without a defense. label-dp stands for grafting as well, which sends nothing more.",
    page="tree-table3.md",
    rows=(
        CiphertextRow("forest", purity_limit(0.5), 0.364),
        CiphertextRow("forest", purity_limit(2.0), 0.820),
        CiphertextRow("forest", label_dp(0.5), 1.16),
        CiphertextRow("forest", label_dp(2.0), 1.14),
        CiphertextRow("boosting", purity_limit(0.5), 0.682),
        CiphertextRow("boosting", purity_limit(2.0), 1.17),
        CiphertextRow("boosting", label_dp(0.5), 1.18),
        CiphertextRow("boosting", label_dp(2.0), 1.17),
        CiphertextRow("boosting", FIRST_TREE_ALONE, 0.798),
    ),
    datasets=(*SMALL, *LARGE),
    shown=SMALL,
)
