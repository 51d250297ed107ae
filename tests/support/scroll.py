"""A text and its tokens, and the six metrics of the papers."""

ALL = ["strict", "semeval", "slot_error", "loio", "fair", "wrf"]


TEXT = "the scroll tip and the Scroll"


TOKENS = [(0, 3), (4, 10), (11, 14), (15, 18), (19, 22), (23, 29)]
