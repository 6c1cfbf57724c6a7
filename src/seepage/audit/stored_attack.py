"""What an attack asks of a run that is over."""

from dataclasses import asdict
from typing import Any

from seepage.attacks import Attack
from seepage.audit.recorded_run import RecordedRun
from seepage.errors import BadSetting


def check_stored(run: RecordedRun, attack: Attack[Any], name: str) -> None:
    """Refuse an attack that would have had to act during training, or to know other people, than a stored run says.

    What was granted was drawn before training, and cannot be drawn again.
    """
    if attack.tampering is not None and run.facts.get("tampering") != repr(attack):
        raise BadSetting(
            f"{name} has to misbehave during training, but this run was trained without that, or with other settings. "
            "Give the settings that it was stored with, or leave --transcript out to train anew."
        )
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
