"""The papers' tables as plans, with the printed numbers beside them."""
