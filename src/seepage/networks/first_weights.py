"""What networks begin with."""

from typing import Literal, TypeAlias

from torch import nn

FirstWeights: TypeAlias = Literal["pytorch", "he"]


def with_first_weights(network: nn.Module, kind: FirstWeights) -> nn.Module:
    r"""Draw the first weights of linear layers and convolutions anew; ``pytorch`` leaves what PyTorch drew.

    ``he`` draws each weight from :math:`N(0, 2 / n)` with as many inputs *n* as reach it (He et al., ICCV 2015, which
    paper 001 begins with in §4.1), so that ReLUs pass on the variance that came in. Biases stay as PyTorch drew them,
    as in the authors' code.

    >>> import torch
    >>> wide = with_first_weights(nn.Linear(5000, 40), "he").weight.detach()
    >>> round(float(wide.std()) * (5000 / 2) ** 0.5, 1)
    1.0
    """
    if kind == "he":
        for module in network.modules():
            if isinstance(module, nn.Linear | nn.Conv2d):
                nn.init.kaiming_normal_(module.weight)
    return network
