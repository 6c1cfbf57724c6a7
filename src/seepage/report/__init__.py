"""Findings drawn as one self-contained page."""

from seepage.report.page import render, write_report

__all__ = ["render", "write_report"]
