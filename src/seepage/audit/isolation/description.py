"""What an audit must know of an attack before it lets it run."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from seepage.attacks.attack import Asset, Attack, Role, ScoredRows
from seepage.errors import BadPlugIn
from seepage.views import Needs


class Description(BaseModel):
    """An attack as JSON: its fixed traits, all its settings, and its shopping list.

    >>> from seepage.attacks.labels.gradient_sign import GradientSign
    >>> described = Description.model_validate_json(describe(GradientSign()).model_dump_json())
    >>> described.steals, described.needs == GradientSign().needs
    ('labels', True)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=100, pattern=r"^[\w.:<>-]+$")
    steals: Asset
    role: Role
    rows: ScoredRows
    tampers: bool
    settings: dict[str, Any]
    needs: Needs


def describe(attack: Attack[Any]) -> Description:
    """Describe an attack that was built, or say which of its traits is none."""
    from seepage.audit.plan.settings import first_complaint, settings_of

    try:
        return Description(
            name=attack.name,
            steals=attack.steals,
            role=attack.role,
            rows=attack.rows,
            tampers=attack.tampering is not None,
            settings=settings_of(attack),
            needs=attack.needs,
        )
    except ValidationError as error:
        raise BadPlugIn(first_complaint(error)) from error
