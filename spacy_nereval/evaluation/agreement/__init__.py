"""Agreement between annotators.

`shared` is what they share; `annotator_pairs` has the scores of pairs, `chance` the alphas and kappas, `votes` the
consensus and what is disputed, `place_differences` what a pair differs in, place by place, `annotator_differences` what
they differ in again and again, `agreement_intervals` the half-samples, and `agreement_counts` puts all of it together.
"""
