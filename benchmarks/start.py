"""How long ``seepage --help`` and ``seepage list`` take, against importing the command-line library alone.

python benchmarks/start.py
"""

import statistics
import subprocess
import sys
import time

TURNS = 7


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    peer = [sys.executable, "-c", "import typer, rich.table"]
    for arguments in (["--help"], ["list"]):
        ours = [sys.executable, "-m", "seepage", *arguments]
        turns = [(seconds(ours), seconds(peer)) for _ in range(TURNS)]
        mine, plain = (statistics.median(times) for times in zip(*turns, strict=True))
        times = f"{mine:.2f} s against {plain:.2f} s"
        print(f"seepage {arguments[0]}: {mine / plain:.1f} × importing typer and rich ({times})")


if __name__ == "__main__":
    main()
