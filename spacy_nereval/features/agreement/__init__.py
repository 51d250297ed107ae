"""Agreement: how far several annotators agree, where they do not, and what they do differently.

One way through it: `annotator_files` (or `agreeing`, for Python objects) pairs the annotators' documents and makes
`shared_documents` of them, which know votes, disputes and the consensus. `annotator_pairs` counts every pair with every
metric, `chance` computes alpha and kappa, `agreement_intervals` their intervals, and `annotator_differences` what annotators do
differently. `agreement_counts` makes the result. `agreement_view` has its tables and sentences, with the words of
`difference_words`, and `agreement_page` the page that adjudicators use. `agreeing` has `agreement()`,
`agreement_command` the command.
"""

from ...core.features import Feature, ResultKind

feature = Feature(
    "agreement",
    commands=(f"{__name__}.agreement_command",),
    names=dict.fromkeys(("Agreement", "agreement"), f"{__name__}.agreeing"),
    results={"Agreement": ResultKind(("disputes", "consensus"), "agreement", "agreement")},
    inputs=("annotations",),
    outputs=("write_consensus", "units", "disputes", "html"),
)
