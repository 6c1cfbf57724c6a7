"""What a process gives up for good before it runs somebody else's code, as far as the system lets it.

It loses the network (a network namespace of its own, with nothing in it), every file but those that Python
programs are made of and its own working folder, the memory of other processes, and their ends: signals reach none
(Landlock; a user namespace). What is tried here needs no privilege. It needs Linux, and a
system that has not switched it off, as some containers do: `Confinement` says what held.
"""

import ctypes
import importlib.util
import os
import signal
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38
_NEW_USER_AND_NETWORK: Final = 0x10000000 | 0x40000000
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the numbers are the same on all processors
_PATH_BENEATH: Final = 1
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_ACCESS: Final = (0, 13, 14, 15, 15, 16)
"""How many kinds of access to files each version of Landlock knows."""
_TCP: Final = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS: Final = 0b11
SYSTEM: Final = ("/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", "/sys")
"""Where libraries, time zones and counts of processors are read."""
DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Confinement:
    """What a process could be kept from.

    Parameters
    ----------
    network
        Whether it has no network.
    files
        Whether it can read no file but programs, write none outside its folder, and look into no other process.
    """

    network: bool
    files: bool


def end_with(parent: int) -> None:
    """Let this process be killed when its parent ends, however that ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended before we could ask
        os._exit(1)


def confine(folder: Path, package: str, writable: tuple[str, ...] = ()) -> Confinement:
    """Give up everything that an attack does not need.

    Parameters
    ----------
    folder
        The working folder, where it may write.
    package
        The name of the top-level package that the attack is in, wherever it is installed.
    writable
        Other folders to write to.
    """
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    network = _libc.unshare(_NEW_USER_AND_NETWORK) == 0
    return Confinement(network=network, files=_shut_files(folder, package, writable))


def _shut_files(folder: Path, package: str, writable: tuple[str, ...]) -> bool:
    version = _libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    every = (1 << _ACCESS[min(version, len(_ACCESS) - 1)]) - 1
    handled = [every]
    if version >= 4:
        handled.append(_TCP)
    if version >= 6:
        handled.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    rules = _libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        for place in (str(folder), *writable):
            _allow(rules, place, every)
        for place in DEVICES:
            _allow(rules, place, _READ | _WRITE)
        for place, access in _programs(package):
            _allow(rules, place, access)
        return bool(_libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def _allow(rules: int, place: str, access: int) -> None:
    """Allow access to a file, or to all beneath a folder; what does not exist needs no permission."""
    try:
        handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(place):
            access &= _EXECUTE | _WRITE | _READ | (1 << 14)
        _libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", access, handle), 0)
    finally:
        os.close(handle)


def _programs(package: str) -> Iterator[tuple[str, int]]:
    """Yield what programs are read from: the system, Python, and of other folders on the path the packages alone.

    A folder that somebody put on ``PYTHONPATH`` may hold their data as well.
    """
    whole = {os.path.realpath(place) for place in (sys.prefix, sys.base_prefix, sys.exec_prefix)} | set(SYSTEM)
    for place in sorted(whole):
        yield place, _EXECUTE | _READ | _LIST
    for entry in sys.path:
        if not os.path.isdir(entry):
            yield entry, _EXECUTE | _READ
        elif not any(os.path.realpath(entry).startswith(place + os.sep) for place in whole):
            yield entry, _LIST
            yield from ((str(place), _EXECUTE | _READ | _LIST) for place in Path(entry).iterdir() if _is_code(place))
    for name in {package, "seepage"}:
        found = importlib.util.find_spec(name)  # a top-level name: nothing is imported
        places = list(found.submodule_search_locations or ()) if found is not None else []
        yield from ((place, _EXECUTE | _READ | _LIST) for place in places)
        if found is not None and found.origin is not None:
            yield found.origin, _READ


def _is_code(place: Path) -> bool:
    if place.is_dir():
        return (place / "__init__.py").exists() or place.suffix in {".dist-info", ".egg-info", ".libs"}
    return place.suffix in {".py", ".pyc", ".so", ".pth", ".zip", ".egg"}
