"""Findings drawn as one self-contained page, or as a table for notebooks."""

from seepage.report.notebook import notebook_table
from seepage.report.page import render, write_report

__all__ = ["notebook_table", "render", "write_report"]
