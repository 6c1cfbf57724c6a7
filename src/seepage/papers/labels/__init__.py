"""Tables and figures of paper 001."""
