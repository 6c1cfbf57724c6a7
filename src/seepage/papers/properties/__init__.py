"""Tables and figures of paper 000."""
