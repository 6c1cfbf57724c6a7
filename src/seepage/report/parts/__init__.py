"""The parts of the page, each a value that a template shows."""
