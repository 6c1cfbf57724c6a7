"""A kind of message of another engine: how much each row cost, told to the parties as training goes on."""

from typing import Final

from seepage.payload_shapes import Carried, PayloadShape

ROW_LOSSES: Final = PayloadShape((Carried("loss", "real", ("rows",)),))
