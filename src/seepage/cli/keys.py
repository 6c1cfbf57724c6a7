"""seepage keys."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from seepage.cli.console import expected_errors, out


def keys(
    name: Annotated[str, Argument(help="What the party is called.", metavar="NAME")],
    folder: Annotated[Path, Option("--out", help="Folder for NAME.key and NAME.crt.")] = Path("keys"),
    days: Annotated[int, Option(help="How long the keys are good for.")] = 90,
) -> None:
    """Make the keys by which others know a party on another host.

    NAME.key stays where it is. NAME.crt goes to the partner, who compares its fingerprint with the one printed here.
    """
    with expected_errors():
        from seepage.links.keys import make_keys

        own = make_keys(name, folder, days)
        out.print(f"Key, to be kept here: {folder / name}.key", markup=False, highlight=False)
        out.print(f"Certificate, for the partner: {folder / name}.crt", markup=False, highlight=False)
        out.print(f"Fingerprint, to be read out: {own.fingerprint}", markup=False, highlight=False, soft_wrap=True)
