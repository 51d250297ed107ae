"""Curves over the scores of predictions: every metric at every cut (score threshold), and the best cut.

`states` finds the states of full groups, `curves` adds them up, `ranking` judges the scores themselves,
`scored_documents` holds the documents with what is asked for, `cut_choice` chooses cuts, and `chosen_cuts` puts all
of it together.
"""
