"""Lets ``python -m seepage`` run the command line."""

import sys
from pathlib import Path


def _leave_working_folder() -> None:
    """Import nothing from the folder that Python puts first for ``-m``, where a ``struct.py`` may lie about.

    It stays where Seepage itself is in it, as in a checkout.
    """
    first = Path(sys.path[0] or ".").resolve() if sys.path else None
    here = first == Path.cwd() and first != Path(__file__).resolve().parents[1]
    if here and not sys.flags.safe_path:
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_folder()
    from seepage.cli import main

    main()
