"""Labels told by the directions in which rows are pulled."""
