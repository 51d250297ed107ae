"""The names of metrics and scores, for those who read types: `result["fair"].f` and `result["fair_f"]` are known."""

from typing import Literal

# fmt: off
MetricName = Literal[
    "strict", "semeval", "slot_error", "loio", "fair", "wrf", "ace", "char", "hierarchical", "overlap",
    "plagdet", "relaxed", "tmr", "token",
]
"""The metrics of this package, but `mentions`, since JSON has this key too."""

ScoreKey = Literal[
    "strict_p", "strict_r", "strict_f", "exact_p", "exact_r", "exact_f", "partial_p", "partial_r", "partial_f",
    "type_p", "type_r", "type_f", "ser", "err", "ser_acc", "loio_p", "loio_r", "loio_f", "fair_p", "fair_r",
    "fair_f", "char_p", "char_r", "char_f", "hierarchical_p", "hierarchical_r", "hierarchical_f", "mentions_p",
    "mentions_r", "mentions_f", "overlap_p", "overlap_r", "overlap_f", "plagdet_p", "plagdet_r", "plagdet_f",
    "plagdet_granularity", "relaxed_p", "relaxed_r", "relaxed_f", "tmr_all", "tmr_seen", "tmr_unseen_any",
    "tmr_unseen_tokens", "tmr_unseen_type", "tmr_confusable", "tmr_confusable_seen", "tmr_confusable_unseen",
    "token_p", "token_r", "token_f", "token_accuracy",
]
"""The score keys of this package that are no names of metrics."""
# fmt: on
