"""What theory says about some of the guesses."""
