"""Curves over the scores of predictions: every metric at every cut (score threshold), and the best cut.

`states` finds the states of full groups, `curves` adds them up, `choice` chooses cuts,
`ranking` and `calibration` judge the scores themselves, and `result` puts all of it together.
"""
