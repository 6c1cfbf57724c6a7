"""A guess against the truth."""

from seepage.attacks.attack import ScoredRows
from seepage.attacks.labels.local_clustering import LocalClustering
from seepage.audit.scoring.scoring_features import score_branch_guess, score_feature_guess
from seepage.audit.scoring.scoring_fractions import score_fraction_guess
from seepage.audit.scoring.truth import Truth
from seepage.guesses import BranchGuess, ClusterGuess, FeatureGuess, FractionGuess, Guess, LabelGuess
from seepage.learners.completion.mixmatch import MixMatch
from seepage.randomness import stream
from seepage.scores import Score, score_clusters
from seepage.scores.clusters import blind_clusters
from seepage.scores.label_guesses import score_label_guess
from seepage.scores.remembered import Remembered, content_key
from seepage.shapes import Rows
from seepage.views import View


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
    scored = view.knowledge.train if rows == "train" else view.knowledge.new
    classes = view.agreement.classes
    if isinstance(guess, FeatureGuess):
        return score_feature_guess(guess, truth, view, scored)
    if isinstance(guess, FractionGuess):
        return score_fraction_guess(guess, truth, view, seed, answers or Remembered())
    if isinstance(guess, BranchGuess):
        return score_branch_guess(guess, truth, scored)
    if isinstance(guess, LabelGuess):
        return score_label_guess(guess, truth.labels, view, rows, seed, answers or Remembered(), learner)
    answers, key = answers or Remembered(), ("blind groupings", view.adversaries, rows)
    blind = answers.of(key, lambda: _blind_groupings(view, scored, seed, answers))
    return score_clusters(guess, truth.labels, scored, classes, blind)


def _blind_groupings(view: View, scored: Rows, seed: int, answers: Remembered) -> list[tuple[ClusterGuess, str]]:
    """Cluster the adversary's own columns in two ways, once for all federations.

    One is the local-clustering attack itself under the very chance it is given
    in an audit, so that this baseline never comes out ahead of a blind guess.
    """

    def work_out() -> list[tuple[ClusterGuess, str]]:
        encoded = blind_clusters(view, scored, stream(seed, "blind"))
        if encoded is None:
            return []
        local = LocalClustering().run(view, stream(seed, "attack", LocalClustering.name))
        return [(encoded, "k-means on own columns"), (local, "k-means on own columns between 0 and 1")]

    knowledge, classes = view.knowledge, view.agreement.classes
    content = content_key("blind groupings", seed, classes, scored, knowledge.train, knowledge.features)
    return answers.in_any_run(content, work_out)
