"""What one adversary holds of a run."""

from seepage.messages import Kind, ModelKind
from seepage.transcript import Epochs
from seepage.views.knowledge import Knowledge, grant
from seepage.views.needs import Needs
from seepage.views.threat import ThreatModel
from seepage.views.view import View, observe

__all__ = ["Epochs", "Kind", "Knowledge", "ModelKind", "Needs", "ThreatModel", "View", "grant", "observe"]
