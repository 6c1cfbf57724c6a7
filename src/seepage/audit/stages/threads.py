"""How many threads the numerical libraries may use."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def limited_threads(count: int) -> Iterator[None]:
    """Give PyTorch, BLAS, OpenMP and our own kernels so many threads inside, and what they had afterwards."""
    import torch
    from threadpoolctl import threadpool_limits

    from seepage.threads import kernel_threads

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        with threadpool_limits(limits=count), kernel_threads(count):
            yield
    finally:
        torch.set_num_threads(before)
