"""What a verdict says of a span, in words and in colour.

spaCy asks for `DISPLACY` whenever it renders, by the entry point
`spacy_displacy_colors`: nothing else is imported here.
"""

KINDS = {
    "hit": "#18996F",
    "missed": "#D95617",
    "spurious": "#ED7AB6",
    "boundary": "#CCB03D",
    "label": "#ABD4E9",
    "both": "#9866FF",
}
"""What can be right or wrong with a span, and its colour. Readers with any form
of colour blindness can tell the colours apart, and read black letters on them."""

FAIR = {
    "tp": ("correct", "hit"),
    "fp": ("spurious", "spurious"),
    "fn": ("missed", "missed"),
    "le": ("label error", "label"),
    "be_s": ("smaller", "boundary"),
    "be_l": ("larger", "boundary"),
    "be_o": ("overlap", "boundary"),
    "lbe": ("label and boundary", "both"),
}
"""FairEval's verdicts in words, and their kind. Those of other metrics keep their
names, and the two spans tell the kind."""

DISPLACY = {verdict.upper(): KINDS[kind] for verdict, (_, kind) in FAIR.items()}
"""Colours for displaCy, by label: verdicts as they can stand in `doc.spans`."""
