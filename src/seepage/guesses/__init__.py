"""What an attack claims about what it did not see, and how such a claim travels."""

from seepage.guesses.kinds import (
    Branches,
    BranchGuess,
    ClusterGuess,
    FeatureGuess,
    FractionGuess,
    Guess,
    LabelGuess,
    NormHistograms,
)
from seepage.guesses.stored import guess_from_bytes, guess_to_bytes

__all__ = [
    "BranchGuess",
    "Branches",
    "ClusterGuess",
    "FeatureGuess",
    "FractionGuess",
    "Guess",
    "LabelGuess",
    "NormHistograms",
    "guess_from_bytes",
    "guess_to_bytes",
]
