"""A whole attack on a large table: load, deal, train, attack, score; one seed.

    python benchmarks/end_to_end.py

pucrio has 165,632 rows, 18 columns and 5 classes; it is read from $SEEPAGE_DATA.
"""

import time

from seepage.audit.plan.plan import make_plan
from seepage.audit.sweep import plan_sweep, run_sweep

BAR = 60.0


def main() -> None:
    """Attack a forest and boosting with candidates at quantiles of every node."""
    for federation in ("forest", "boosting"):
        plan = make_plan(
            {
                "data": {"name": "pucrio"},
                "encoding": "ordinal",
                "federations": [{"name": federation, "settings": {"candidates": "quantiles-per-node"}}],
                "attacks": [{"name": "id2graph"}],
                "seeds": 1,
            }
        )
        start = time.perf_counter()
        (finding,) = run_sweep(plan_sweep(plan))
        took = time.perf_counter() - start
        print(
            f"pucrio, {federation}, id2graph: {took:.1f} s, V-measure {finding.value:.3f} "
            f"(blind {finding.blind:.3f}), peak {finding.peak_mb:.0f} MB; bar {BAR:.0f} s"
        )


if __name__ == "__main__":
    main()
