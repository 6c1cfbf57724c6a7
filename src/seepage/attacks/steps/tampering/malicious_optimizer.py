"""An optimizer that hurries, so that the joint model leans on whoever uses it."""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from seepage.attacks.steps.tampering.acceleration import Acceleration

__all__ = ["Acceleration", "MaliciousOptimizer", "excess"]

Tensors: TypeAlias = tuple[Tensor, ...] | list[Tensor]


class MaliciousOptimizer(torch.optim.Optimizer):
    r"""Let the agreed optimizer step, then go further where a parameter keeps its direction (Algorithm 1 of paper 001).

    With :math:`\Delta` the update that the agreed optimizer makes and
    :math:`\Delta_{last}` the one that was made in the step before,

    .. math::

        r &= \mathrm{clamp}(1 + \gamma \, \Delta / \Delta_{last},\; r_{min},\; r_{max}) \\
        \theta &\leftarrow \theta + r \, \Delta, \qquad \Delta_{last} \leftarrow r \, \Delta,

    for every parameter on its own; the first step is not scaled. A parameter that
    turns around is oscillating and gets :math:`r_{min}`. It reads the gradients
    and parameters of its own party and nothing else.

    Parameters
    ----------
    agreed
        The optimizer that all agreed on, over the party's own parameters. It goes on as if it were honest:
        its momentum is made of gradients alone. Its groups are shared, so its learning rate can be changed in either.
    acceleration
        :math:`\gamma`, the bounds, and whether factors compound.

    Examples
    --------
    A constant gradient of 1 at a momentum of 0.5 has the velocities 1, 1.5, 1.75, and
    the factors 1, 1 + 1.5 / 1 and 1 + 1.75 / 3.75:

    >>> weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
    >>> optimizer = MaliciousOptimizer(torch.optim.SGD([weight], lr=0.1, momentum=0.5))
    >>> for _ in range(3):
    ...     before, weight.grad = weight.item(), torch.ones_like(weight)
    ...     optimizer.step()
    ...     print(round(weight.item() - before, 4))
    -0.1
    -0.375
    -0.2567

    Notes
    -----
    - The paper writes of a velocity :math:`v`. SGD, with momentum or without,
      updates by :math:`\Delta = -\eta v`, so scaling the one is scaling the other,
      and :math:`\eta` cancels in the ratio as long as it stays the same; where a schedule
      lowers it, one step compares itself with a longer one and hurries less. For Adam
      and others the update takes the place of the velocity.
    - Line 10 of Algorithm 1 reads :math:`v \leftarrow r \, v_{last}`; the text scales
      the current velocity, and so do we. The :math:`1 - \beta` of line 5 is left to
      the agreed optimizer; PyTorch's SGD has none.
    - :math:`v_{last}` is the velocity after scaling (line 12). On a steady slope
      the factor therefore settles where :math:`r = 1 + 1/r`, at 1.618 for :math:`\gamma = 1`, well below
      :math:`r_{max}`, which only a velocity that grows fast reaches.
    - The authors' code adds 1e-7 to :math:`v_{last}`, so a parameter that stood
      still is thrown at :math:`r_{max}`. Here it starts anew with :math:`r = 1`.
    - The authors' code scales the momentum buffer itself. Then a steady slope
      multiplies the step by :math:`r \beta \ge (1 + \beta) \beta` each time, 1.71 at
      :math:`\beta = 0.9`, and training blows up (``compounding``).
    - :math:`\Delta` is the difference of the parameters, and as exact as they are.
    """

    def __init__(self, agreed: torch.optim.Optimizer, acceleration: Acceleration | None = None) -> None:
        super().__init__(agreed.param_groups, dict(agreed.defaults))
        self.agreed = agreed
        self.acceleration = acceleration or Acceleration()

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Make one step on every parameter that has a gradient."""
        if closure is not None:
            raise ValueError("MaliciousOptimizer takes no closure: gradients come from the active party")
        parameters = [one for group in self.param_groups for one in group["params"] if one.grad is not None]
        if not parameters:
            return
        updates, last, further, spare = (
            [self._kept(parameter, name) for parameter in parameters] for name in ("update", "last", "further", "spare")
        )
        torch._foreach_copy_(updates, parameters)
        self.agreed.step()
        torch._foreach_neg_(updates)
        torch._foreach_add_(updates, parameters)
        _measure(further, updates, last, spare, self.acceleration)
        if self.acceleration.compounding:
            self._compound(parameters, further)
        torch._foreach_mul_(further, updates)
        torch._foreach_add_(parameters, further)  # line 13; where r = 1 nothing is rounded twice
        torch._foreach_add_(updates, further)
        torch._foreach_copy_(last, updates)  # line 12

    def _kept(self, parameter: Tensor, name: str) -> Tensor:
        """Return a buffer of this parameter, zero at first: a last update of zero is one that never was."""
        state = self.state[parameter]
        if name not in state:
            state[name] = torch.zeros_like(parameter)
        buffer: Tensor = state[name]
        return buffer

    def _compound(self, parameters: Tensors, further: Tensors) -> None:
        """Scale the momentum of the agreed optimizer, where it has one."""
        for parameter, more in zip(parameters, further, strict=True):
            momentum = self.agreed.state[parameter].get("momentum_buffer")
            if momentum is not None:
                momentum.mul_(1 + more)


def excess(update: Tensor, last: Tensor, acceleration: Acceleration) -> Tensor:
    r"""Return by how much an update is scaled up, element by element: :math:`r - 1`.

    Where the last update was zero there is no direction to compare with, and
    :math:`r = 1`, as in the first step. Nothing else can divide by zero, and what
    overflows beside a tiny last update is cut at :math:`r_{max}`.

    >>> now, before = torch.tensor([1.5, 3.0, -1.0, 9.0, 0.0]), torch.tensor([1.0, 0.5, 1.0, 0.0, 0.0])
    >>> excess(now, before, Acceleration())
    tensor([1.5000, 4.0000, 0.0000, 0.0000, 0.0000])
    """
    found = torch.empty_like(update)
    _measure([found], [update], [last.clone()], [torch.empty_like(last)], acceleration)
    return found


def _measure(found: Tensors, updates: Tensors, last: Tensors, spare: Tensors, acceleration: Acceleration) -> None:
    """Fill in the excess of many updates at once, in memory that is there already; the last updates are used up."""
    torch._foreach_copy_(spare, last)
    torch._foreach_sign_(spare)
    torch._foreach_abs_(spare)
    _one_less(spare)  # 1 where there is nothing to compare with, else 0
    torch._foreach_add_(last, spare)  # divide by 1 there
    torch._foreach_copy_(found, updates)
    torch._foreach_mul_(found, acceleration.reset)
    torch._foreach_div_(found, last)  # Algorithm 1, line 7
    torch._foreach_clamp_min_(found, acceleration.least - 1)  # line 8
    torch._foreach_clamp_max_(found, acceleration.most - 1)  # line 9
    _one_less(spare)
    torch._foreach_mul_(found, spare)


def _one_less(values: Tensors) -> None:
    """Turn each value into 1 less it."""
    torch._foreach_neg_(values)
    torch._foreach_add_(values, 1.0)
