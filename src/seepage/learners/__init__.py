"""Plain learners that attacks and blind guesses share."""
