"""How far a malicious party speeds up its own steps."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Acceleration:
    r"""The settings of the malicious optimizer (Algorithm 1 and Table 7b of paper 001).

    Parameters
    ----------
    reset
        :math:`\gamma`, how strongly the scaling factor follows the last two steps; 0 leaves every step as it is.
    least, most
        :math:`r_{min}` and :math:`r_{max}`, between which the factor stays.
    compounding
        Whether the momentum of the agreed optimizer is scaled as well, so that
        factors multiply from step to step: what the authors' code does by
        mistake. An optimizer without a momentum buffer has nothing to scale.

    Examples
    --------
    >>> Acceleration(least=2.0, most=1.5)
    Traceback (most recent call last):
        ...
    ValueError: least must not be above most, got least 2.0 and most 1.5
    """

    reset: float = 1.0
    least: float = 1.0
    most: float = 5.0
    compounding: bool = False

    def __post_init__(self) -> None:
        for name in ("reset", "least", "most"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be 0 or more and finite, got {getattr(self, name)}")
        if self.least > self.most:
            raise ValueError(f"least must not be above most, got least {self.least} and most {self.most}")
