"""Nesterov's accelerated gradient with restart, for convex problems."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor


class AcceleratedGradient(torch.optim.Optimizer):
    r"""Accelerated gradient descent on one block of a smooth convex problem.

    .. math::

        x_{t+1} &= y_t - s \, \nabla f(y_t) \\
        y_{t+1} &= x_{t+1} + \frac{\theta_t - 1}{\theta_{t+1}} (x_{t+1} - x_t)

    with :math:`\theta_{t+1} = (1 + \sqrt{1 + 4\theta_t^2}) / 2`. The momentum is
    dropped whenever it points uphill (O'Donoghue and Candès, 2015), which gives
    linear convergence without knowing how strongly convex the problem is. The
    parameters hold :math:`y`, where the next gradient is wanted.

    Parameters
    ----------
    step
        The step size :math:`s`; at most 1 over the curvature along this block.
    weight_decay
        The factor of an L2 penalty :math:`\frac{1}{2} \lambda \lVert x \rVert^2`.

    Notes
    -----
    PyTorch's SGD with Nesterov momentum needs the momentum as a number, and the
    right number depends on data that no single party has.
    """

    def __init__(self, parameters: Iterable[torch.nn.Parameter], step: float, weight_decay: float = 0.0) -> None:
        super().__init__(parameters, {"step": step, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Make one step on every parameter."""
        if closure is not None:
            raise ValueError("AcceleratedGradient takes no closure: gradients come from the active party")
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._step(parameter, parameter.grad, group)

    def _step(self, y: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state = self.state[y]
        x = state.setdefault("x", y.detach().clone())
        theta = state.get("theta", 1.0)
        gradient = gradient + group["weight_decay"] * y
        ahead = y - group["step"] * gradient
        if torch.sum(gradient * (ahead - x)) > 0:
            theta = 1.0
        following = (1 + (1 + 4 * theta * theta) ** 0.5) / 2
        y.copy_(ahead + (theta - 1) / following * (ahead - x))
        state["x"], state["theta"] = ahead, following
