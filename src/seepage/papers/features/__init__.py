"""Tables and figures of paper 002."""
