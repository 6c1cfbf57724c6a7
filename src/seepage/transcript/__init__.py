"""What crossed between the parties of one run, kept and stored."""

from seepage.transcript.recording import Epochs, Recording
from seepage.transcript.terms import Terms
from seepage.transcript.transcript import RECORDED, Agreement, Recorder, Snapshot, Transcript

__all__ = ["RECORDED", "Agreement", "Epochs", "Recorder", "Recording", "Snapshot", "Terms", "Transcript"]
