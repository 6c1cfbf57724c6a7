"""What crossed between the parties of one run, kept and stored."""

from seepage.transcript.recording import Epochs, Recording
from seepage.transcript.transcript import Agreement, Recorder, Snapshot, Transcript

__all__ = ["Agreement", "Epochs", "Recorder", "Recording", "Snapshot", "Transcript"]
