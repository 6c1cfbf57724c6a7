"""Recorders for engines that people run; none of these engines is needed by anything else here."""
