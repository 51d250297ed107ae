"""Agreement between annotators.

`documents` is what they share; `pairs` has the scores of pairs, `stretches`, `units` and `unitising`
the alphas and kappas, `consensus`, `disputes` and `differences` what there is to settle, `intervals`
the half-samples, and `counts` puts all of it together.
"""
