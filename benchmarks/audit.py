"""The default audit against the same audit at an earlier commit: processor time of both, side by side.

    python benchmarks/audit.py [--seeds 3] [--before a1145ef] [--large]

Both run at once, each in one process of its own, so that whatever else the machine does slows both. The earlier commit
is read out of this repository's history. `--large` runs one seed of an audit of 30,000 rows × 23 columns instead,
by itself.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from io import BytesIO
from pathlib import Path

import numpy as np

from seepage.audit.findings.finding import Finding, read_findings
from seepage.scores.metrics import metric_of

ROOT = Path(__file__).parents[1]
BAR = 1 / 3
THEN_NEEDED = ("plotly",)
"""What the earlier commit needs and this one does not."""
LARGE_BAR_MINUTES = 15


def main() -> None:
    """Print the ratio, and whether every question is still answered, at least as strongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--before", default="a1145ef")
    parser.add_argument("--large", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if asked.large:
            _large(Path(scratch))
        else:
            _default(Path(scratch), asked.before, asked.seeds)


def _default(scratch: Path, before: str, seeds: int) -> None:
    archive = subprocess.run(["git", "archive", before, "src"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        packed.extractall(scratch / "before", filter="data")
    needed = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(scratch / "packages"), *THEN_NEEDED]
    subprocess.run(needed, check=True)
    sources = {"before": scratch / "before" / "src", "now": ROOT / "src"}
    running = {name: _started(source, scratch / f"out-{name}", seeds) for name, source in sources.items()}
    seconds = {name: _processor_seconds(process) for name, process in running.items()}
    ratio = seconds["now"] / seconds["before"]
    print(
        f"seepage audit, embedded default, {seeds} seeds: {seconds['now']:.0f} s of processor time, "
        f"{seconds['before']:.0f} s at {before}; ratio {ratio:.2f}, bar {BAR:.2f}"
    )
    strongest = {name: _strongest(read_findings(scratch / f"out-{name}")) for name in sources}
    lost = [question for question in strongest["before"] if question not in strongest["now"]]
    weaker = [
        q for q, reach in strongest["before"].items() if q in strongest["now"] and strongest["now"][q] < reach - 0.01
    ]
    print(
        f"questions answered: {len(strongest['now'])}, before {len(strongest['before'])}; lost {lost}; weaker {weaker}"
    )


def _started(source: Path, out: Path, seeds: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "seepage", "audit", "--seeds", str(seeds), "--jobs", "0", "--out", str(out)]
    return subprocess.Popen(
        command,
        env={
            **os.environ,
            "PYTHONPATH": f"{source}{os.pathsep}{source.parents[1] / 'packages'}",
            "OMP_NUM_THREADS": "1",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """Wait, and return the processor time of a process and of the workers that it waited for."""
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"an audit ended with status {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime


def _strongest(findings: list[Finding]) -> dict[tuple[object, ...], float]:
    """Return the mean of the strongest attack by each metric on each asset, federation, adversary and defense.

    Values are compared, errors with their sign turned: blind guesses and ceilings were worked out otherwise before.
    """
    reached: dict[tuple[object, ...], dict[str, list[float]]] = {}
    for one in findings:
        if one.status == "ok" and one.role == "attack" and one.metric is not None and one.value is not None:
            question = (one.asset, one.metric, one.rows, one.federation, one.adversary, one.defense)
            answers = reached.setdefault(question, {})
            worth = -one.value if metric_of(one.metric).is_error else one.value
            answers.setdefault(f"{one.attack} {one.attack_settings}", []).append(worth)
    return {question: max(float(np.mean(one)) for one in answers.values()) for question, answers in reached.items()}


def _large(scratch: Path) -> None:
    """Audit 30,000 rows × 23 columns like those of credit scoring: some numbers, some categories, a rare class."""
    rng = np.random.default_rng(0)
    rows, numbers, categories = 30_000, 17, 6
    hidden = rng.normal(size=(rows, 5))
    columns = hidden @ rng.normal(size=(5, numbers)) + rng.normal(size=(rows, numbers))
    kinds = rng.integers(4, size=(rows, categories)) + (hidden[:, :1] > 1)
    risk = hidden[:, 0] + 0.5 * hidden[:, 1] * hidden[:, 2] + 0.3 * (kinds[:, 0] == 3) + rng.normal(size=rows)
    label = (risk > np.quantile(risk, 0.78)).astype(int)
    path = scratch / "people.csv"
    header = ",".join([f"n{i}" for i in range(numbers)] + [f"c{i}" for i in range(categories)] + ["y"])
    lines = [
        ",".join([*(f"{value:.4f}" for value in one), *(f"k{kind}" for kind in some), str(y)])
        for one, some, y in zip(columns, kinds, label, strict=True)
    ]
    path.write_text("\n".join([header, *lines]) + "\n")
    start = time.perf_counter()
    command = [sys.executable, "-P", "-m", "seepage", "audit", str(path), "--label", "y", "--seeds", "1"]
    subprocess.run([*command, "--out", str(scratch / "large")], check=True, stdout=subprocess.DEVNULL)
    minutes = (time.perf_counter() - start) / 60
    found = read_findings(scratch / "large")
    peak = max(one.peak_mb or 0.0 for one in found)
    print(
        f"seepage audit, {rows:,} × {numbers + categories}, one seed, all defenses: {minutes:.1f} minutes, bar "
        f"{LARGE_BAR_MINUTES}; {len(found)} findings, peak of a worker {peak:.0f} MB"
    )


if __name__ == "__main__":
    main()
