"""Bottom models completed to models of labels: Algorithms 4 and 5 of paper 001."""
