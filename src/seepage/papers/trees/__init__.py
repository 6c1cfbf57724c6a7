"""Tables and figures of paper 003."""
