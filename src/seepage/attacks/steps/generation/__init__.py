"""Values generated so that a released model says what it said."""
