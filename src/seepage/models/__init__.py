"""Plain learners that know nothing of parties."""
