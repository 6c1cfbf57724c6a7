"""Learn the fraction from how norms of intermediate results are spread."""

from dataclasses import dataclass

from numpy.random import Generator

from seepage.attacks.attack import Attack, BeginTampering
from seepage.attacks.steps.norms.distribution_comparison import Comparison, compared_results
from seepage.attacks.steps.tampering.stand_ins import stand_ins
from seepage.guesses import FractionGuess
from seepage.views import Auxiliary, Needs, View
from seepage.views.intermediate_results import PENULTIMATE, Gradients, intermediate_results, results_needs
from seepage.views.knowledge import required_auxiliary


@dataclass(frozen=True, kw_only=True)
class DistributionComparison(Attack[FractionGuess]):
    r"""Compare the norms of intermediate results with populations of known fractions: ProVFL-B of paper 000.

    From auxiliary rows, populations of :math:`M` rows with many fractions
    :math:`r` are put together. Each is described by the sorted norms of what was
    exchanged about its rows, and a regressor learns :math:`r` from that description
    (Algorithm 1). Populations drawn from all training rows are then described in
    the same way; the mean of what the regressor says of them is the estimate.
    An active adversary does so with each of AO, AG, VO and VG and takes the mean, a passive
    one has AO alone.

    Parameters
    ----------
    comparison
        How populations are made and compared: ``comparison.populations``,
        ``.population``, ``.step``, ``.queries``, ``.norm``, ``.regressor`` and ``.quantiles``.
    epoch
        The epoch of training that is read, counted from 0; −2 is the last but one.
    gradients
        ``replayed`` by an active adversary from what it holds, or ``sent``: the
        victim's gradients as they crossed.
    auxiliary
        How many auxiliary rows are known, and how well.

    Notes
    -----
    The paper feeds all :math:`M` sorted norms to the regressor; by default the
    means of 100 equal slices of them are fed here, which in our measurements is no
    worse and more than ten times as fast (``comparison.quantiles=2000`` gives
    the paper's). Own outputs and replayed gradients are those at the end of the
    epoch, of each row's own loss; the authors' code gathers them batch by batch while
    weights change, scaled by the size of the batch.

    Beside it stand `error_AO` and so on, the error of each kind of result alone, and the divergences
    of Table II between norms of populations of which all or all but 25 % have the property.
    """

    name = "distribution-comparison"
    steals = "properties"
    rows = "train"

    comparison: Comparison = Comparison()
    epoch: int = PENULTIMATE
    gradients: Gradients = "replayed"
    auxiliary: Auxiliary = Auxiliary()

    @property
    def needs(self) -> Needs:
        """Embeddings of one epoch, own models at its end, and auxiliary rows."""
        return results_needs(self.auxiliary, self.epoch, self.gradients)

    @property
    def tampering(self) -> BeginTampering | None:
        """Let people whom nobody else knows stand in for aligned rows, where auxiliary rows are such people."""
        return None if self.auxiliary.aligned else stand_ins

    def run(self, view: View, rng: Generator) -> FractionGuess:
        """Estimate the fraction among all training rows."""
        results = intermediate_results(view, self.epoch, self.gradients)
        return compared_results(results, required_auxiliary(view.knowledge), self.comparison, rng)
