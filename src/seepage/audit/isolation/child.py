"""The process that an attack from outside runs in: ``python -m seepage.audit.isolation.child PARENT ANSWER``.

It is asked on standard input and answers on a file descriptor of its own; what the attack prints goes elsewhere.
Limits and confinement come first, then the question is opened, and the attack's code is imported last.
"""

import os
import sys
import warnings
from pathlib import Path
from typing import Any

from seepage.audit.isolation.confinement import Confinement, confine, end_with

# numpy and everything else of ours is imported after the process was confined: a user namespace wants one thread


def main() -> None:
    """Answer one question, and end without another word."""
    parent, channel = map(int, sys.argv[1:])
    end_with(parent)
    asked = sys.stdin.buffer.read()
    confined = Confinement(network=False, files=False)
    try:
        from seepage.audit.isolation.asking import Question

        question = Question.from_bytes(asked)
        sys.path.extend(entry for entry in question.path if entry not in sys.path)
        confined = confine(Path.cwd(), question.place.partition(":")[0].partition(".")[0], question.writable)
        end_with(parent)  # once more: a change of credentials may have made the system forget it
        question.limits.impose(question.threads)
        content = _answer(question, confined)
    except MemoryError:
        content = _short("failed", "it needed more memory than it may use.", confined)
    with open(channel, "wb", closefd=False) as file:
        file.write(content)
    os._exit(0)  # nothing that the attack left behind gets another turn


def _answer(question: Any, confined: Confinement) -> bytes:
    """Build the attack, and describe it or let it guess."""
    from seepage.errors import AuditError, IncompatibleView, Remark

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", Remark)
        try:
            outcome, text, content = _worked_out(question)
        except IncompatibleView as error:
            outcome, text, content = "incompatible", str(error), b""
        except MemoryError:
            raise
        except AuditError as error:
            outcome, text, content = "failed", str(error), b""
        except SystemExit as error:
            outcome, text, content = "failed", f"it called sys.exit({error.code!r}).", b""
        except BaseException as error:  # whatever it is, the parent has to hear of it
            outcome, text, content = "failed", f"it raised {type(error).__name__}: {error}", b""
    remarks = [str(one.message) for one in caught if issubclass(one.category, Remark)]
    return _short(outcome, text, confined, content, remarks)


def _worked_out(question: Any) -> tuple[str, str, bytes]:
    from seepage.attacks.catalog import ATTACKS
    from seepage.audit.isolation.asking import taken
    from seepage.audit.isolation.description import describe
    from seepage.audit.plan.settings import build_class
    from seepage.catalogs import load_fitting
    from seepage.guesses import guess_to_bytes
    from seepage.threads import kernel_threads

    made: Any = load_fitting("attack", question.place, ATTACKS.demands)
    attack: Any = build_class("attack", question.place, made, question.settings)
    if not question.given:
        return "description", describe(attack).model_dump_json(), b""
    view, rng = taken(question.given)
    with kernel_threads(question.threads):
        return "guess", "", guess_to_bytes(attack.run(view, rng))


def _short(
    outcome: Any, text: str, confined: Confinement, content: bytes = b"", remarks: list[str] | None = None
) -> bytes:
    from seepage.audit.isolation.asking import Answer

    return Answer(outcome, text, content, confined.network, confined.files, tuple(remarks or ())).to_bytes()


if __name__ == "__main__":
    main()
