"""Noise on labels."""

from dataclasses import dataclass

from numpy.random import Generator

from seepage.hooks import Defense, Hook, Seam
from seepage.mechanisms.label_stages import check_budget, staged_noise
from seepage.partition import OwnPart


@dataclass(frozen=True, kw_only=True)
class LabelDP(Defense):
    r"""Train on labels that were noised once, so that no single one can be told apart by more than e^ε.

    LP-MST of Ghazi et al. [1]_, with two stages LP-2ST as paper 003 uses it. The
    training rows are dealt at random into `stages` parts. Each label of the
    first part is replaced by a randomized response: itself with probability
    :math:`e^\varepsilon / (e^\varepsilon + K - 1)`, else any other of the *K*
    classes. For every later part a forest is fitted on the active party's own
    columns and the *noisy* labels of the parts before; what it predicts is the
    prior of a randomized response among the likeliest classes alone
    (RRWithPrior), which is right more often at the same ε.

    Each true label is read for one answer, and all else is made of answers. So
    all that is trained on the labels satisfies ε-label differential privacy:
    whatever passive parties see of training is at most e^ε times as probable
    under one value of one label as under another. That speaks of one label, all
    others being given: what many rows have in common is not hidden. It speaks of
    training: which rows take part in it, and who holds which columns, was
    settled before, and is outside the promise where labels had a say in it (a
    stratified split, columns dealt by importance).

    An active party without columns has nothing to learn a prior from and uses
    one stage. Rows that do not take part in training keep their labels.

    Parameters
    ----------
    epsilon
        :math:`\varepsilon`; paper 003 tries 0.1, 0.5, 1 and 2.
    stages
        How many parts the training rows are dealt into; 1 is plain randomized
        response.

    Notes
    -----
    A label that is not among the classes kept is answered with one of those
    kept, as Ghazi et al. define it. The code of paper 003 draws from *all*
    classes then: an answer outside the kept ones shows that the true label is
    outside as well, and no ε holds. It also drops the last row of an odd number;
    here parts differ by one row instead.

    Between stages there is a forest of 20 trees of depth 6, where Ghazi et al.
    train a network and paper 003 the model that is being federated. Which model
    it is touches the accuracy alone, never ε.

    References
    ----------
    .. [1] B. Ghazi et al., "Deep Learning with Label Differential Privacy",
       NeurIPS 2021.
    """

    acts_on = frozenset({Seam.LABELS})

    epsilon: float = 1.0
    stages: int = 2

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.stages)

    def start(self, own_part: OwnPart, rng: Generator) -> Hook:
        """Begin one run: the active party decides on its noise, and asked twice gives the same answers."""
        if own_part.labels is None:
            return Hook()
        noise = staged_noise(own_part.features, own_part.train, self.stages, self.epsilon, rng, own_part.classes)
        return Hook(labels=noise)
