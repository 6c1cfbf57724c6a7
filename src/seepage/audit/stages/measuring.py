"""How long something took, and how much memory it needed at most."""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Stopwatch:
    """Seconds since it was started, and after it stopped."""

    seconds: float = 0.0


@contextmanager
def stopwatch() -> Iterator[Stopwatch]:
    """Measure the time spent inside."""
    watch, start = Stopwatch(), time.perf_counter()
    yield watch
    watch.seconds = time.perf_counter() - start


def reset_peak_memory() -> None:
    """Start counting the peak anew where the system allows it (Linux); elsewhere it covers the process so far."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory_mb() -> float:
    """Return the largest resident size of this process since the last reset, in MB."""
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text().splitlines()
        peak = next(line for line in lines if line.startswith("VmHWM:"))
        return int(peak.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
