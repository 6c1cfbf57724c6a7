"""Decision trees in pieces: candidates, sums, gains. Nothing here knows of parties."""
