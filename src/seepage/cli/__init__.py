"""The command line, one file per command."""

from seepage.cli.app import main

__all__ = ["main"]
