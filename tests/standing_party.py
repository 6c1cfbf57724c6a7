"""A party without labels in a process of its own: it is told on standard input which federations to take part in.

Every line names a federation, where to listen, and a folder for its own record; every answer is a line of JSON.
"""

import json
import sys
from pathlib import Path

from samples import small_data
from seepage.errors import AuditError
from seepage.federations import FEDERATIONS
from seepage.federations.dialogue import CarefulParty, Rules
from seepage.federations.recorded_party import RecordedParty
from seepage.hooks import Hook, Tampering
from seepage.links.keys import Peer, read_identity
from seepage.links.listening import listening
from seepage.randomness import stream
from seepage.transcript import Recorder
from seepage.transcript.storage import whole_folder, write_transcript
from trained_runs import EVERYTHING

DATA = small_data("wine", parties=3)


def chances(seed: int = 0):
    """Everybody's chance, as training in one process spawns it."""
    return dict(zip(DATA.parties, stream(seed, "test").spawn(len(DATA.parties)), strict=True))


def rules_of(federation) -> Rules:
    """What all parties have agreed on."""
    return Rules(federation.agreement(DATA), len(DATA.labels), model=True, simulated=True)


def say(**what: object) -> None:
    """Tell whoever started this process."""
    print(json.dumps(what), flush=True)


def take_part(name: str, keys: Path, asked: dict) -> None:
    """Answer one run, and write down what was seen of it."""
    federation = FEDERATIONS[asked["federation"]](**asked["settings"])
    rules = rules_of(federation)
    party = federation.party(DATA.parts[name], rules.terms, hook=Hook(), tampering=Tampering(), chance=chances()[name])
    recorded = RecordedParty(party, Recorder(EVERYTHING, ciphertexts=rules.terms.encrypted))
    driver = Peer(DATA.active, (keys / f"{DATA.active}.crt").read_bytes())
    with listening(CarefulParty(recorded, rules), read_identity(keys, name), driver, asked["listen"]) as listener:
        say(port=listener.port)
        try:
            listener.wait(asked["silence"])
        except AuditError as error:
            say(lost=str(error))
            return
    with whole_folder(Path(asked["out"])) as folder:
        write_transcript(recorded.transcript(rules.terms), folder)
    say(over=True)


if __name__ == "__main__":
    for line in sys.stdin:
        take_part(sys.argv[1], Path(sys.argv[2]), json.loads(line))
