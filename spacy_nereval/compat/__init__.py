"""Functions with the signatures of other packages and the same numbers, for a switch in one line."""
