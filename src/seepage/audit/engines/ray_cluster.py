"""A Ray cluster to work on: one that is there, or one of our own on this machine that nobody else can reach."""

import logging
import os
import secrets
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import partial
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from seepage.audit.engines.stopping import held_back, uninterrupted
from seepage.errors import EngineUnavailable

QUIET: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nobody is told
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # Ray writes what goes wrong to standard output, where findings may go
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
LOOPBACK: Final = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Where this is 0, Ray keeps to the loopback interface, on Linux as well."""
PATIENCE: Final = 10.0
"""Seconds to wait for a cluster to answer."""
STORE: Final = 256 << 20
"""Bytes of the object store of a cluster of our own: tables of audits fit several times, larger ones go to disk."""


def check_reach(address: str | None) -> None:
    """Say before any work that Ray is not installed, or that nobody answers: Ray itself asks for minutes."""
    if find_spec("ray") is None:
        raise EngineUnavailable("Ray is not installed. Install it with: pip install 'seepage[ray]'")
    if address is None or address == "auto":  # one that Ray finds on this machine
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        raise EngineUnavailable(f"--address {address} is none: expected HOST:PORT, as 'ray start --head' prints it.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise EngineUnavailable(
            f"No Ray cluster answers at {address} ({error}). Is it running, and the port open?"
        ) from error


@contextmanager
def connected(address: str | None, processors: int) -> Iterator[Any]:
    """Offer Ray, connected to a cluster; what was started here is ended here.

    A cluster of our own listens on the loopback interface only, asks everybody for a token that
    nobody else knows, has no dashboard, and keeps its files in a folder that is removed.
    Python code that has called ``ray.init()`` itself keeps its cluster.

    Parameters
    ----------
    address
        Of a cluster that is there; None for one of our own.
    processors
        How many of them a cluster of our own has.
    """
    ray = _imported(local=address is None)
    if ray.is_initialized():
        yield ray
        return
    with tempfile.TemporaryDirectory(prefix="seepage-", ignore_cleanup_errors=True) as folder:
        try:
            _init(ray, address, folder, processors)
            yield ray
        finally:
            with uninterrupted():
                ray.shutdown()


def _init(ray: Any, address: str | None, folder: str, processors: int) -> None:
    """Connect, or say why that cannot be.

    Ray lets its workers import from the folder that the driver works in, and takes SIGTERM for itself: it is
    started in an empty folder, out of our process group, and signals mean what they meant before.
    """
    own = {
        "num_cpus": processors,
        "object_store_memory": STORE,
        "_temp_dir": folder,
        "_node_ip_address": "127.0.0.1",
        "include_dashboard": False,
    }
    there = {"address": address}
    with chdir(folder), held_back(), _out_of_our_group(ray), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ray.init(
                **(own if address is None else there),
                log_to_driver=False,
                configure_logging=False,
                logging_level=logging.ERROR,
            )
        except Exception as error:  # Ray raises whatever comes to it
            said = (str(error).strip().splitlines() or [type(error).__name__])[0]
            if address is None:
                raise EngineUnavailable(f"Ray could not be started on this machine: {said}") from error
            raise EngineUnavailable(f"The Ray cluster at {address} cannot be used: {said}") from error


@contextmanager
def _out_of_our_group(ray: Any) -> Iterator[None]:
    """Let what Ray starts have process groups of its own, which it is asked for in no other way.

    SIGTERM to our whole group, as a shell or a batch system sends it, would otherwise end Ray's processes
    while we still use them, and Ray then ends ours on the spot: nothing put away, no sentence. It watches
    whether we live by other means, so that nothing of it outlives us.
    """
    services = ray._private.services
    ordinary = services.ConsolePopen
    services.ConsolePopen = partial(ordinary, process_group=0)
    try:
        yield
    finally:
        services.ConsolePopen = ordinary


def _imported(*, local: bool) -> ModuleType:
    """Import Ray, which reads the environment once."""
    if local and "ray" in sys.modules and os.environ.get(LOOPBACK) != "0" and not sys.modules["ray"].is_initialized():
        raise EngineUnavailable(
            f"Ray was imported before, so it would listen on every network interface. Call ray.init() first, or set "
            f"{LOOPBACK}=0 before importing it."
        )
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    if local:
        os.environ.setdefault(LOOPBACK, "0")
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # otherwise Ray keeps one in the home folder
    import ray

    logging.getLogger("ray").setLevel(logging.ERROR)
    return ray  # type: ignore[no-any-return]
