"""Asking a process of its own, and living with whatever it does."""

import os
import signal
import site
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from seepage.audit.isolation.asking import Answer, Question
from seepage.audit.isolation.limits import LARGEST_FILE, Limits
from seepage.errors import FailedAttempt

SHOWN: Final = 64 * 2**10
"""Bytes that an attack may print and somebody still sees."""
MOST_PRINTED: Final = 64 * 2**20
"""Bytes that an attack may print before it is ended."""
KEPT: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR")
"""What an attack is told of the environment; names of accounts, keys and folders with data are none of it."""
ARITHMETIC: Final = (
    *("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "MKL_DEBUG_CPU_TYPE"),
    *("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "NPY_DISABLE_CPU_FEATURES"),
    *("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"),
)
"""Which instructions libraries compute with: the last bits of a guess depend on it, so they are kept too."""
THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
CHILD: Final = "seepage.audit.isolation.child"


def asked(question: Question) -> Answer:
    """Ask a process of its own; whatever keeps it from answering is one sentence.

    It starts in an empty folder, inherits no open file and no variable but those in `KEPT` and `ARITHMETIC`, and is
    ended, with all that it has started, once it has answered, takes too long, or this process ends. What it
    prints is shown on standard error, the first of it.
    """
    with _in_memory(question.to_bytes()) as given, _in_memory() as answer, _empty_folder() as folder:
        process = subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-m", CHILD, str(os.getpid()), str(answer)],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=_environment(folder, question.threads),
            pass_fds=(answer,),
            start_new_session=True,
        )
        printed = _Printed(process)
        late = False
        try:
            process.wait(question.limits.seconds)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed.show()
        if late:
            raise FailedAttempt(f"it took longer than {question.limits.seconds:g} s.")
        if printed.too_much:
            raise FailedAttempt(f"it printed more than {MOST_PRINTED // 2**20} MB.")
        return _read(answer, process.returncode, question.limits)


def _read(answer: int, status: int, limits: Limits) -> Answer:
    """Read what was answered; where that is nothing, say how the process ended."""
    size = os.fstat(answer).st_size
    if size and status == 0:
        try:
            return Answer.from_bytes(os.pread(answer, min(size, LARGEST_FILE), 0))
        except ValueError as error:
            raise FailedAttempt("its process answered something that cannot be read.") from error
    if status == -signal.SIGXCPU:
        raise FailedAttempt("it used more processor time than it may.")
    if status == -signal.SIGKILL:
        raise FailedAttempt("its process was killed, as happens when memory runs out.")
    if status < 0:
        raise FailedAttempt(f"its process crashed ({signal.Signals(-status).name}).")
    if status == 0:
        raise FailedAttempt("its process ended without a guess (exit status 0).")
    raise FailedAttempt(
        f"its process ended without a guess (exit status {status}; it may use {limits.memory / 2**30:.3g} GB)."
    )


@dataclass(eq=False)
class _Printed:
    """Reads what a process prints as long as it lives, and keeps the first of it."""

    process: "subprocess.Popen[bytes]"
    kept: bytearray = field(default_factory=bytearray)
    count: int = 0

    def __post_init__(self) -> None:
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    @property
    def too_much(self) -> bool:
        return self.count > MOST_PRINTED

    def _read(self) -> None:
        assert self.process.stdout is not None
        handle = self.process.stdout.fileno()
        while piece := os.read(handle, SHOWN):
            self.count += len(piece)
            self.kept += piece[: SHOWN - len(self.kept)]
            if self.too_much:
                self.process.kill()
                return

    def show(self) -> None:
        """Write the first of it to standard error; a process that was left behind is not waited for."""
        self.reader.join(1)
        text = bytes(self.kept).decode(errors="replace")
        sys.stderr.write("".join(letter if letter.isprintable() or letter in "\n\t" else " " for letter in text))
        if not self.reader.is_alive() and self.process.stdout is not None:
            self.process.stdout.close()


@contextmanager
def _in_memory(content: bytes = b"") -> Iterator[int]:
    """Offer a file that is on no disk, which views have no business on."""
    handle = os.memfd_create("seepage")
    try:
        with open(handle, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _empty_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="seepage-attempt-", ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


def _environment(folder: Path, threads: int) -> dict[str, str]:
    """Return the variables of the process: where Python finds packages, and one home, which is empty."""
    path = [os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return {
        **{name: os.environ[name] for name in (*KEPT, *ARITHMETIC) if name in os.environ},
        **dict.fromkeys(THREADS, str(threads)),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
    }
