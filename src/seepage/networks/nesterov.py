"""Nesterov's accelerated gradient with restart, for convex problems."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import torch
from torch import Tensor

FLAT: Final = 1e-12
"""What bends less than this has nothing to learn, and any step will do."""


class AcceleratedGradient(torch.optim.Optimizer):
    r"""Accelerated gradient descent on one block of a smooth convex problem.

    .. math::

        x_{t+1} &= y_t - s \, \nabla f(y_t) \\
        y_{t+1} &= x_{t+1} + \frac{\theta_t - 1}{\theta_{t+1}} (x_{t+1} - x_t)

    with :math:`\theta_{t+1} = (1 + \sqrt{1 + 4\theta_t^2}) / 2`. The momentum is
    dropped whenever it points uphill (O'Donoghue and Candès, 2015), which gives
    linear convergence without knowing how strongly convex the problem is. The
    parameters hold :math:`y`, where the next gradient is wanted.

    The step size is :math:`s = 1 / (h \, \ell + \lambda)`, so that it is at most 1
    over the curvature along this block.

    Parameters
    ----------
    curvature
        :math:`h`, how sharply the loss bends by what the block puts out, at most. It stands in
        the groups of parameters, where it can be changed before the first step.
    extent
        :math:`\ell`, how far a step of length 1 in this block moves what it puts out, squared, at most.
    weight_decay
        The factor of an L2 penalty :math:`\frac{1}{2} \lambda \lVert x \rVert^2`.

    Examples
    --------
    One step to the bottom of a parabola that bends twice as sharply as :math:`\frac{1}{2} x^2`:

    >>> weight = torch.nn.Parameter(torch.tensor([3.0]))
    >>> optimizer = AcceleratedGradient([weight], curvature=2.0)
    >>> weight.grad = 2 * weight.detach()
    >>> optimizer.step()
    >>> weight.item()
    0.0

    Notes
    -----
    PyTorch's SGD with Nesterov momentum needs the momentum as a number, and the
    right number depends on data that no single party has.
    """

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        curvature: float,
        extent: float = 1.0,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(parameters, {"curvature": curvature, "extent": extent, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Make one step on every parameter."""
        if closure is not None:
            raise ValueError("AcceleratedGradient takes no closure: gradients come from the active party")
        for group in self.param_groups:
            step = 1 / max(group["curvature"] * group["extent"] + group["weight_decay"], FLAT)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._step(parameter, parameter.grad, step, group["weight_decay"])

    def _step(self, y: Tensor, gradient: Tensor, step: float, weight_decay: float) -> None:
        state = self.state[y]
        x = state.setdefault("x", y.detach().clone())
        theta = state.get("theta", 1.0)
        gradient = gradient + weight_decay * y
        ahead = y - step * gradient
        if torch.sum(gradient * (ahead - x)) > 0:
            theta = 1.0
        following = (1 + (1 + 4 * theta * theta) ** 0.5) / 2
        y.copy_(ahead + (theta - 1) / following * (ahead - x))
        state["x"], state["theta"] = ahead, following


def bend(optimizer: torch.optim.Optimizer, curvature: float) -> None:
    """Tell an optimizer how sharply the loss bends; one that steps otherwise takes no notice."""
    for group in optimizer.param_groups:
        group["curvature"] = curvature
