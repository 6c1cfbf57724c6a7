"""A guess against the truth."""

from typing import Final

from seepage.attacks.attack import ScoredRows
from seepage.attacks.labels.local_clustering import LocalClustering
from seepage.audit.scoring.scoring_features import feature_twins, score_branch_guess, score_feature_guess
from seepage.audit.scoring.scoring_fractions import fraction_twins, score_fraction_guess
from seepage.audit.scoring.truth import Truth
from seepage.guesses import BranchGuess, ClusterGuess, FeatureGuess, FractionGuess, Guess, LabelGuess
from seepage.learners.completion.mixmatch import MixMatch
from seepage.randomness import stream
from seepage.scores import Score, score_clusters
from seepage.scores.clusters import blind_clusters
from seepage.scores.label_guesses import label_twins, score_label_guess, score_labels_beside
from seepage.scores.remembered import Remembered, content_key
from seepage.scores.twins import Twins
from seepage.shapes import Rows
from seepage.views import View

GROUPINGS: Final = ("k-means on own columns", "k-means on own columns between 0 and 1")


def score_guess(
    guess: Guess,
    truth: Truth,
    view: View,
    rows: ScoredRows,
    seed: int,
    answers: Remembered | None = None,
    learner: MixMatch | None = None,
) -> Score:
    """Score what an attack claims beside what its adversary could have claimed blindly.

    Training rows are scored, or those that did not take part in training, as the attack says.
    An attack that learns semi-supervised says how (`learner`), so that its blind twin learns alike.
    """
    answers = answers or Remembered()
    if isinstance(guess, LabelGuess):
        return score_label_guess(guess, truth.labels, view, rows, seed, answers, learner)
    return score_claim(guess, twins_of(guess, view, rows, seed, answers, learner), truth, view, rows)


def twins_of(
    guess: Guess, view: View, rows: ScoredRows, seed: int, answers: Remembered, learner: MixMatch | None = None
) -> Twins:
    """Return what the adversary could have claimed blindly: from what it holds, and without the truth."""
    if isinstance(guess, LabelGuess):
        return label_twins(guess, view, rows, seed, answers, learner)
    if isinstance(guess, FeatureGuess):
        return feature_twins(guess, view, _rows_of(view, rows))
    if isinstance(guess, FractionGuess):
        return fraction_twins(view, seed, answers)
    if isinstance(guess, BranchGuess):
        return Twins()  # which leaves are possible is part of the guess
    key = ("blind groupings", view.adversaries, rows)
    return Twins(answers.of(key, lambda: _blind_groupings(view, _rows_of(view, rows), seed, answers)))


def score_claim(guess: Guess, twins: Twins, truth: Truth, view: View, rows: ScoredRows) -> Score:
    """Score a guess beside blind guesses that are known, reading nothing of the view but what its victims know too.

    What takes own columns and the truth at once, such as the ceiling for labels outside training, is left out.
    """
    scored = _rows_of(view, rows)
    if isinstance(guess, FeatureGuess):
        return score_feature_guess(guess, twins, truth, view, scored)
    if isinstance(guess, FractionGuess):
        return score_fraction_guess(guess, twins, truth, view)
    if isinstance(guess, BranchGuess):
        return score_branch_guess(guess, truth, scored)
    if isinstance(guess, LabelGuess):
        return score_labels_beside(guess, twins, truth.labels, view, rows, informed=None)
    blind = [(one, how) for how, one in twins.scored.items() if isinstance(one, ClusterGuess)]
    return score_clusters(guess, truth.labels, scored, view.agreement.classes, blind)


def _rows_of(view: View, rows: ScoredRows) -> Rows:
    return view.knowledge.train if rows == "train" else view.knowledge.new


def _blind_groupings(view: View, scored: Rows, seed: int, answers: Remembered) -> dict[str, ClusterGuess]:
    """Cluster the adversary's own columns in two ways, once for all federations.

    One is the local-clustering attack itself under the very chance it is given
    in an audit, so that this baseline never comes out ahead of a blind guess.
    """

    def work_out() -> dict[str, ClusterGuess]:
        encoded = blind_clusters(view, scored, stream(seed, "blind"))
        if encoded is None:
            return {}
        local = LocalClustering().run(view, stream(seed, "attack", LocalClustering.name))
        return dict(zip(GROUPINGS, (encoded, local), strict=True))

    knowledge, classes = view.knowledge, view.agreement.classes
    content = content_key("blind groupings", seed, classes, scored, knowledge.train, knowledge.features)
    return answers.in_any_run(content, work_out)
