"""The page on agreement: where annotators differ, and by which rules."""
