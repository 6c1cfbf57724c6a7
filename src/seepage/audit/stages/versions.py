"""Which versions of what produced a finding."""

import platform
from functools import cache
from importlib.metadata import version

LIBRARIES = ("seepage", "numba", "numpy", "scikit-learn", "scipy", "torch", "xgboost-cpu")


@cache
def versions() -> dict[str, str]:
    """Return the versions a finding records.

    >>> sorted(versions())
    ['numba', 'numpy', 'python', 'scikit-learn', 'scipy', 'seepage', 'torch', 'xgboost-cpu']
    """
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
