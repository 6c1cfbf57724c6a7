"""Nodes of a binary tree by heap number: the root is 1, the children of *n* are 2n and 2n + 1."""


def above(node: int) -> list[int]:
    """Return the ancestors of a node, nearest first.

    >>> above(13)
    [6, 3, 1]
    """
    return [node >> levels for levels in range(1, node.bit_length())]


def depth_of(node: int) -> int:
    """Return how many splits lie above a node.

    >>> depth_of(1), depth_of(13)
    (0, 3)
    """
    return node.bit_length() - 1
