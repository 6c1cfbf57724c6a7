"""How far a malicious party speeds up its own steps."""

from dataclasses import dataclass

from seepage.checks import check_not_negative


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
        check_not_negative(reset=self.reset, least=self.least, most=self.most)
        if self.least > self.most:
            raise ValueError(f"least must not be above most, got least {self.least} and most {self.most}")
