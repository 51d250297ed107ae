"""Agreement between annotators.

`shared` is what they share; `annotator_pairs` has the scores of pairs, `chance` the alphas and kappas, `votes` the
consensus and what is disputed, `annotator_differences` what they differ in again and again, `intervals` the
half-samples, and `agreement_counts` puts all of it together.
"""
