"""Reading annotation and counts from files, and writing results."""
