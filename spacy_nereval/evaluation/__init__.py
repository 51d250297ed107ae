"""Turn counts into results: scores, confidence intervals, comparisons, breakdowns and error lists.

May import `core`, `metrics` and `counting`.
"""
