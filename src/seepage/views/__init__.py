"""What one adversary holds of a run."""

from seepage.messages import Kind, ModelKind
from seepage.transcript import Epochs
from seepage.views.auxiliary import Auxiliary, KnownRows
from seepage.views.knowledge import Knowledge, grant
from seepage.views.needs import Needs
from seepage.views.threat import ThreatModel
from seepage.views.view import View, observe

__all__ = [
    "Auxiliary",
    "Epochs",
    "Kind",
    "Knowledge",
    "KnownRows",
    "ModelKind",
    "Needs",
    "ThreatModel",
    "View",
    "grant",
    "observe",
]
