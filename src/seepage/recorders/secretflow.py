"""Record SecretFlow's gradient boosting (SGB): masks of rows that travel in the clear beside ciphertexts.

This runs where SecretFlow does: it imports SecretFlow when it is entered, and of Seepage only what writes transcripts.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from seepage.messages import Kind, Message, ModelKind
from seepage.shapes import Array
from seepage.transcript import Agreement
from seepage.transcript.writer import TranscriptWriter

FACTORY: Final = "secretflow.ml.boost.sgb_v.factory.components"
BEFORE: Final = "before"
AFTER: Final = "after"
KINDS: Final = (Kind.ENCRYPTED, Kind.INSTANCE_SPACE, Kind.SPLIT_SUMS, Kind.SPLIT_CHOICE, Kind.CHILD_SPACES)


class SGBRecorder:
    """Hears which rows each party is shown while `Sgb(heu).train(...)` runs inside.

    For every node to be split the label holder sends the others a mask of its rows, or of the smaller of two
    siblings: the other one is what is left of their parent. Who splits a node answers with a mask of the rows that go
    left. Sums of gradients are sealed; they are not kept. What cannot be kept is left out and counted: nothing is
    raised inside of a training.

    Parameters
    ----------
    folder
        Where the transcript is written; take it over with `seepage.Recorder.take`.
    parties, active
        The names of the devices, and that of the label holder.
    classes
        How many classes the labels have.
    """

    def __init__(self, folder: str | Path, *, parties: Sequence[str], active: str, classes: int = 2) -> None:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        terms = Agreement(
            federation="secretflow-sgb",
            parties=tuple(parties),
            active=active,
            classes=classes,
            top_model=True,
            outputs=classes,
            kinds=KINDS,
            model=ModelKind.BOOSTING,
        )
        self._writer = TranscriptWriter(Path(folder), terms)
        self._patched: list[tuple[Any, str, Any]] = []
        self._tree, self._level, self._rounds = 0, 0, 0
        self._nodes: dict[int, Array] = {}

    def __enter__(self) -> "SGBRecorder":
        for place, name, hear, when in (
            ("tree_trainer.level_wise_tree_trainer:LevelWiseTreeTrainer", "_train_level", self._level_begins, BEFORE),
            ("bucket_sum_calculator.bucket_sum_calculator:BucketSumCalculator", "calculate_bucket_sum_level_wise",
             self._shown, BEFORE),
            ("split_tree_builder.split_tree_builder:SplitTreeBuilder", "do_split_list_wise_each_party", self._split,
             AFTER),
        ):  # fmt: skip
            module, _, made = place.partition(":")
            self._wrap(getattr(import_module(f"{FACTORY}.{module}"), made), name, hear, when)
        return self

    def __exit__(self, *error: object) -> None:
        """Leave SecretFlow as it was; where training broke off, leave what was heard."""
        for owner, name, original in self._patched:
            setattr(owner, name, original)
        self._writer.leave(max(1, self._rounds) if error[0] is None else None)

    def _wrap(self, owner: Any, name: str, hear: Callable[..., None], when: str) -> None:
        original = getattr(owner, name)
        self._patched.append((owner, name, original))

        def heard(component: Any, *given: Any, **named: Any) -> Any:
            if when == BEFORE:
                self._going_on(hear, component, *given, **named)
            result = original(component, *given, **named)
            if when == AFTER:
                self._going_on(hear, result, component, *given, **named)
            return result

        setattr(owner, name, heard)

    def _going_on(self, hear: Callable[..., None], *given: Any, **named: Any) -> None:
        """Listen, and count what goes wrong as left out: the training goes on."""
        try:
            hear(*given, **named)
        except Exception as error:
            self._writer.leave_out("masks of rows", error)

    def _level_begins(self, trainer: Any, masks: Any, nodes: Any, level: int, tree: int, *more: Any) -> None:
        """Remember the nodes of a level with their rows, as all of one tree number them."""
        del more
        drawn = _revealed(trainer.row_choices)
        held = [np.flatnonzero(np.asarray(mask).ravel()) for mask in _revealed(masks)]
        if drawn is not None:
            held = [np.asarray(drawn).ravel()[rows] for rows in held]
        self._nodes = dict(zip((int(node) + 1 for node in _revealed(nodes)), held, strict=True))
        self._tree, self._level, self._rounds = int(tree), int(level), max(self._rounds, int(tree) + 1)

    def _shown(self, component: Any, *given: Any, **named: Any) -> None:
        """Keep what the others are shown: of two siblings the one that is sent."""
        lefts = _revealed(named["is_lefts"] if "is_lefts" in named else given[3])
        nodes = list(self._nodes)
        sent = nodes if len(nodes) == 1 else [nodes[2 * pair + (not left)] for pair, left in enumerate(lefts)]
        holder = component.label_holder
        alone = component.params.label_holder_feature_only
        for worker in component.workers:
            if worker != holder and not alone:
                spaces = {node: self._nodes[node] for node in sent}
                self._say(Kind.INSTANCE_SPACE, holder.party, worker.party, spaces)

    def _split(self, result: Any, builder: Any, *given: Any, **named: Any) -> None:
        """Keep what owners of splits answer: which rows of their nodes go left."""
        del named
        kept = [node for node, worth in zip(self._nodes, _revealed(given[3]), strict=True) if worth]
        for worker, masks in zip(builder.workers, _revealed(result), strict=True):
            if worker == builder.label_holder:
                continue
            sides = {
                node: np.asarray(mask).ravel().astype(np.bool_)
                for node, mask in zip(kept, _revealed(masks), strict=True)
                if np.asarray(mask).size
            }
            if sides:
                spaces = {node: self._nodes[node] for node in sides}
                left = np.concatenate([side[spaces[node]] for node, side in sides.items()])
                self._say(Kind.CHILD_SPACES, worker.party, builder.label_holder.party, spaces, left=left)

    def _say(self, kind: Kind, sender: str, receiver: str, spaces: dict[int, Array], **more: Array) -> None:
        rows = np.concatenate(list(spaces.values()))
        node = np.repeat(list(spaces), [len(own) for own in spaces.values()])
        payload = {"node": node, "tree": np.array([0]), **more}
        self._writer.hear(Message(kind, sender, receiver, self._tree, self._level, rows, payload))


def _revealed(held: Any) -> Any:
    """Return what a device holds: in debug mode all of them are in this process."""
    return import_module("secretflow").reveal(held)
