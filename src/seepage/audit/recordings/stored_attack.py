"""What an attack asks of a run that is over."""

from dataclasses import asdict
from typing import Any

from seepage.attacks import Attack
from seepage.audit.recordings.recorded_run import RecordedRun
from seepage.audit.stages.assignment import misbehavior
from seepage.audit.stages.chaining import threat_for
from seepage.errors import BadSetting


def check_stored(run: RecordedRun, attack: Attack[Any], name: str) -> None:
    """Refuse an attack that would have acted otherwise during training, or known other people, than a stored run says.

    What was granted was drawn before training, and cannot be drawn again.
    """
    stored, own = run.surroundings.tampering, misbehavior(attack)
    if stored is not None and own is None:
        raise BadSetting(
            f"This run was trained while the adversary tampered ({stored}), but {name} behaves in training, so its "
            "result would pass for one of an honest run. Use the attack that tampered, or store an honest run."
        )
    if own is not None and own != stored:
        raise BadSetting(
            f"{name} has to misbehave during training, but this run was trained without that, or with other settings. "
            "Give the settings that it was stored with, or leave --transcript out to train anew."
        )
    _check_labels(run, attack, name)
    wanted, threat = attack.needs.auxiliary, run.knowledge.threat
    if wanted is None:
        return
    if threat.property is None or threat.auxiliary is None:
        raise BadSetting(
            f"{name} needs to know of some people whether they have a property, but nothing of that kind was stored "
            f"for {' and '.join(threat.adversaries)}. Store a run with --property COLUMN=VALUE and --keep-transcript."
        )
    if threat.auxiliary != wanted:
        stored = " ".join(f"--set auxiliary.{key}={value}" for key, value in asdict(threat.auxiliary).items() if value)
        raise BadSetting(
            f"{name} asks for other auxiliary rows than were stored with this run, and none can be drawn any more. "
            f"Ask for the same ({stored.lower() or 'the defaults'})."
        )


def _check_labels(run: RecordedRun, attack: Attack[Any], name: str) -> None:
    """Refuse an attack that must know other labels than were stored."""
    knowledge, threat = run.knowledge, run.knowledge.threat
    wanted = threat_for(attack, threat.adversaries).labels_per_class
    if not wanted:
        return
    if not len(knowledge.known_rows):
        raise BadSetting(
            f"{name} needs to know the labels of {wanted} training rows of each class, but none were stored for "
            f"{' and '.join(threat.adversaries)}. Store a run of this attack with --keep-transcript."
        )
    if threat.labels_per_class not in {0, wanted}:
        stored = threat.labels_per_class
        raise BadSetting(
            f"{name} asks for {wanted} labelled rows of each class, but {stored} were stored with this run, and none "
            f"can be drawn any more. Ask for as many (--set labels_per_class={stored})."
        )
