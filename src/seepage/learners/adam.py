"""Adam on one vector of weights, in plain NumPy."""

import numpy as np
from numpy.typing import NDArray

FIRST, SECOND, TINY = 0.9, 0.999, 1e-8


class Adam:
    r"""Adam (Kingma and Ba, 2015) with an L2 penalty, as `torch.optim.Adam` has it.

    .. math::

        m &\leftarrow 0.9\, m + 0.1\, g, \quad v \leftarrow 0.999\, v + 0.001\, g^2 \\
        w &\leftarrow w - \eta \frac{m / (1 - 0.9^t)}{\sqrt{v / (1 - 0.999^t)} + 10^{-8}}

    with :math:`g` the gradient plus `weight_decay` times the weights. For networks so small that
    calling PyTorch takes longer than computing.

    Parameters
    ----------
    weights
        Changed in place by every step.
    learning_rate
        :math:`\eta`.
    weight_decay
        The factor of the penalty.

    Examples
    --------
    >>> weights = np.array([1.0, -1.0], dtype=np.float32)
    >>> Adam(weights, learning_rate=0.1).step(np.array([5.0, -0.2], dtype=np.float32))
    >>> weights
    array([ 0.9, -0.9], dtype=float32)
    """

    def __init__(self, weights: NDArray[np.float32], learning_rate: float, weight_decay: float = 0.0) -> None:
        self.weights, self.learning_rate, self.weight_decay = weights, learning_rate, weight_decay
        self.mean, self.square, self.spare = (np.zeros_like(weights) for _ in range(3))
        self.steps = 0

    def step(self, gradient: NDArray[np.float32]) -> None:
        """Make one step; the gradient is used up."""
        self.steps += 1
        spare = self.spare
        gradient += np.multiply(self.weights, self.weight_decay, out=spare)
        self.mean *= FIRST
        self.mean += np.multiply(gradient, 1 - FIRST, out=spare)
        self.square *= SECOND
        np.multiply(gradient, gradient, out=spare)
        self.square += np.multiply(spare, 1 - SECOND, out=spare)
        np.sqrt(np.divide(self.square, 1 - SECOND**self.steps, out=spare), out=spare)
        spare += TINY
        np.divide(self.mean, spare, out=spare)
        self.weights -= np.multiply(spare, self.learning_rate / (1 - FIRST**self.steps), out=spare)
