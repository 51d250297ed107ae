"""Intervals, tests and sentences from numbers alone: pure functions on arrays.

    bits         which units are in a half-sample, and which change places in a swap
    scales       scores with and without limits on the 0-1 scale
    intervals    of a score
    derived      of a mean over labels, and of one minus a cost
    differences  of two systems: the swap test and its interval
    runs         the difference of systems that were trained several times
    families     Holm's correction
    power        the detectable difference, and equivalence
    datasets     in how many data sets a system is better
    conclusion   differences in words

Nothing here depends on documents, counts, metrics or files: the caller sums the counts of
each half-sample and swap, and computes the scores from the sums.
"""
