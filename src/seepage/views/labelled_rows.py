"""Rows whose label an adversary knows, and rows that it wants to label."""

from dataclasses import dataclass

import numpy as np

from seepage.errors import IncompatibleView
from seepage.guesses import LabelGuess
from seepage.shapes import Labels, Rows
from seepage.views.view import View


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """What there is to learn labels from.

    Parameters
    ----------
    known, labels
        Labelled rows.
    unlabelled
        Rows that are learned from without a label.
    asked
        Rows to be labelled.
    """

    known: Rows
    labels: Labels
    unlabelled: Rows
    asked: Rows


def granted_labels(view: View) -> LabelledRows:
    """Return the labelled rows that the threat model grants; all other rows are to be labelled.

    Only training rows are learned from. Rows that took no part in training are labelled as well.
    """
    knowledge = view.knowledge
    if not len(knowledge.known_rows):
        raise IncompatibleView(
            "No labelled rows are known.\nGrant some (labels_per_class=4), and store them with the run."
        )
    rest = np.setdiff1d(knowledge.train, knowledge.known_rows)
    if not len(rest):
        raise IncompatibleView(
            f"All {len(knowledge.train)} training rows are labelled already, so there is nothing to infer.\n"
            "Grant fewer labels (labels_per_class=4)."
        )
    return LabelledRows(knowledge.known_rows, knowledge.known_labels, rest, np.concatenate((rest, knowledge.new)))


def read_labels(view: View) -> LabelledRows:
    """Return training rows whose label an earlier attack read, where it did not abstain; new rows are to be labelled.

    Labels that the threat model grants are among them. The features of new rows are the
    adversary's own, so they are learned from without a label.
    """
    guess, new = view.knowledge.guess, view.knowledge.new
    if not isinstance(guess, LabelGuess):
        raise IncompatibleView("No labels were read before.\nChoose an attack that names the class of training rows.")
    if len(new) and np.isin(new, guess.rows).all():
        raise IncompatibleView(
            "The attack before labels rows outside training by itself.\n"
            "Choose an attack that reads labels off gradients (labels=gradient-sign, labels=gradient-direction)."
        )
    known, labels = view.knowledge.known_rows, view.knowledge.known_labels
    told = ~guess.abstained & np.isin(guess.rows, view.knowledge.train) & ~np.isin(guess.rows, known)
    if not told.any():
        raise IncompatibleView("The attack before abstained from every row, so no label is known to learn from.")
    if not len(new):
        raise IncompatibleView("There are no rows outside training, so there is nothing left to label.")
    read, claimed = guess.rows[told], guess.labels[told]
    return LabelledRows(np.concatenate((known, read)), np.concatenate((labels, claimed)), new, new)
