"""Metrics as plain functions, and scores that carry their blind twin."""

from seepage.scores.clusters import score_clusters, v_measure
from seepage.scores.intervals import Interval, bootstrap
from seepage.scores.labels import auc, best_matching, f1, named_clusters, score_labels, top1, top_k, utility
from seepage.scores.reached import mean_advantage
from seepage.scores.score import Score, advantage

__all__ = [
    "Interval",
    "Score",
    "advantage",
    "auc",
    "best_matching",
    "bootstrap",
    "f1",
    "mean_advantage",
    "named_clusters",
    "score_clusters",
    "score_labels",
    "top1",
    "top_k",
    "utility",
    "v_measure",
]
