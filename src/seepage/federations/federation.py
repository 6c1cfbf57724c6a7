"""The seam every federation fits: parties that stand alone, and training that lets one of them drive."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol

from numpy.random import Generator

from seepage.federations.recorded_party import Answering, RecordedParty
from seepage.federations.run import Run
from seepage.hooks import Hook, Hooks, Seam, Tampering
from seepage.messages import NETWORK_KINDS, Kind, Link, ModelKind
from seepage.partition import OwnPart, PartitionedTable
from seepage.settings import flat
from seepage.transcript import Agreement, Recorder, Recording, Terms


class Federation(Protocol):
    """How parties train and predict together. A frozen dataclass of settings."""

    name: ClassVar[str]
    offers: ClassVar[frozenset[Seam]]
    """Where a defense may act."""

    def check(self, part: OwnPart) -> None:
        """Refuse a party's own part that this cannot be trained on; each party looks at its own."""
        ...

    def terms(self, parties: tuple[str, ...], classes: int) -> Agreement:
        """Return the public terms, known before the first message; the first party is the active one."""
        ...

    def agreement(self, data: PartitionedTable) -> Agreement:
        """Return the public terms over some data, or refuse data that cannot be trained on."""
        for part in data.parts.values():
            self.check(part)
        return self.terms(data.parties, len(data.classes))

    def party(
        self, part: OwnPart, terms: Agreement, *, hook: Hook, tampering: Tampering, chance: Generator
    ) -> Answering:
        """Return one party without labels, made of its own part, its hook and its chance alone.

        What it answers follows from these and from the messages that it was sent: the same party, built on
        another host, says the same. In-process training builds its parties here as well.
        """
        ...

    def drive(
        self,
        part: OwnPart,
        terms: Agreement,
        links: Mapping[str, Link],
        *,
        hook: Hook,
        tampering: Tampering,
        chance: Generator,
        recorder: Recorder,
    ) -> Run[Any, Any]:
        """Train as the party with labels, made of its own part, its hook and its chance alone.

        All others are at the other ends of the links; whoever makes these lets the recorder hear what crosses.
        """
        ...

    def train(
        self, data: PartitionedTable, *, hooks: Hooks, record: Recording, rng: Generator | Mapping[str, Generator]
    ) -> Run[Any, Any]:
        """Train once in this process; the same data, hooks and generator, or one for each party, give the same run."""
        terms = self.agreement(data)
        spawned = rng.spawn(len(data.parties)) if isinstance(rng, Generator) else [rng[name] for name in data.parties]
        chances = dict(zip(data.parties, spawned, strict=True))
        recorder = Recorder(record, ciphertexts=terms.encrypted)
        passive = {
            party: RecordedParty(
                self.party(
                    data.parts[party],
                    terms,
                    hook=hooks.of(party),
                    tampering=hooks.tampering(party),
                    chance=chances[party],
                ),
                Recorder(Recording(snapshots=record.snapshots)),  # messages are heard on the links
            )
            for party in data.passive
        }
        run = self.drive(
            data.parts[data.active],
            terms,
            {party: hooks.link(answering, recorder.hear) for party, answering in passive.items()},
            hook=hooks.of(data.active),
            tampering=hooks.tampering(data.active),
            chance=chances[data.active],
            recorder=recorder,
        )
        return replace(run, others=passive)


def agreed(
    federation: Federation,
    parties: tuple[str, ...],
    classes: int,
    *,
    outputs: int,
    model: ModelKind,
    top_model: bool = True,
    kinds: tuple[Kind, ...] = NETWORK_KINDS,
) -> Agreement:
    """Return the public terms of a federation between some parties, its settings by their flat keys."""
    return Agreement(
        federation=federation.name,
        parties=parties,
        active=parties[0],
        classes=classes,
        top_model=top_model,
        outputs=outputs,
        settings=(settings := flat(federation)),
        terms=Terms.of(settings),
        kinds=kinds,
        model=model,
    )
