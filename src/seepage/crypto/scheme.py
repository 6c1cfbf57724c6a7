"""The two sides of an additively homomorphic scheme.

The party with the labels *seals* one short vector of whole numbers for every row and gives the result away. The others
can *add up* sealed vectors by groups of rows, and read none. The sums go back; only the owner of the key *opens* them::

    active party                        passive party
    Sealer.seal(values)       ──────>   Adder.receive
                                        Adder.bin_sums, group_sums, take, running, …
    Sealer.open(sums)         <──────   Adder.send

A sum is opened to exactly the integer that adding in the clear would give, so a run with encryption and one without
build the same trees.
"""

from typing import Literal, Protocol, TypeAlias, TypeVar

from seepage.shapes import Array, Integers

Encryption: TypeAlias = Literal["none", "okamoto-uchiyama", "paillier"]
"""How sums are hidden. With ``"none"`` the integers themselves stand in for ciphertexts: right for measuring what leaks
through the *opened* sums, which are the same, and quick; a deployment like that would give every label away."""


Vector = TypeVar("Vector")
"""Sealed rows or sums in the form in which an adder works on them; opaque to everybody else."""


class Sealer(Protocol):
    """The side of the active party: it holds the private key."""

    @property
    def public(self) -> Array:
        """What the passive parties need to add: the bytes of the public key, none in the clear."""
        ...

    def seal(self, values: Integers) -> Array:
        """Return rows × slots of integers as one array that can cross a link and that nobody else can read."""
        ...

    def open(self, sealed: Array) -> Integers:
        """Return the integers of every sum that an adder sent, sums × slots."""
        ...

    def count(self, sealed: Array) -> int:
        """Return how many ciphertexts cross the link with this array; in the clear, how many integers."""
        ...


class Adder(Protocol[Vector]):
    """The side of a passive party: it adds what it cannot read.

    Whatever is sent has to stay within the terms both sides agreed on: no slot of it larger than `rows` rows with the
    `largest` value can make it.
    """

    def receive(self, sealed: Array) -> Vector:
        """Read an array that a sealer made; worth doing once."""
        ...

    def bin_sums(self, vector: Vector, rows: Integers, starts: Integers, codes: Array, bins: int) -> Vector:
        """Add up parts of the rows by the bins of each column: histograms of sealed numbers.

        Parameters
        ----------
        vector
            The sealed rows.
        rows
            Which of them to add, as positions in the vector, part after part; one named twice counts twice.
        starts
            Where each part begins in `rows`, and where the last one ends.
        codes
            The bin of every sealed row in each column, rows of the vector × columns.
        bins
            How many bins every column has. The result has columns · bins sums for each part, column after column.
        """
        ...

    def group_sums(self, vector: Vector, order: Array, starts: Integers) -> Vector:
        """Return the sum over ``order[starts[k]:starts[k + 1]]`` for each k; a group may be empty."""
        ...

    def take(self, vector: Vector, positions: Integers) -> Vector:
        """Pick some sums, in this order."""
        ...

    def running(self, sums: Vector, starts: Integers) -> Vector:
        """Return cumulative sums that begin anew at each of these positions, the first of which is 0."""
        ...

    def send(self, sums: Vector) -> Array:
        """Return the sums as one array that can cross a link and that the sealer can open."""
        ...
