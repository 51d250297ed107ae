"""Agreement: how far several annotators agree, where they disagree, and what they do differently.

One way through it: `annotator_files` reads files and matches the annotators' documents; `agreeing` does the same for
Python objects. Both make `shared_documents`, which know votes, disputes and the consensus. `annotator_pairs` counts
every pair with every metric and computes intervals, `chance` computes alphas and kappas, and `annotator_differences`
finds what annotators do differently. `agreement_counts` makes the result of all these. `agreement_view` makes its
tables and sentences, with the words of `difference_words`; `agreement_page` makes the page for adjudicators. The
function `agreement()` is in `agreeing`, the command in `agreement_command`.
"""

from ...core.features import Feature, ResultKind

feature: Feature = Feature(
    "agreement",
    commands=(f"{__name__}.agreement_command",),
    names=dict.fromkeys(("Agreement", "agreement"), f"{__name__}.agreeing"),
    results={"Agreement": ResultKind(("disputes", "consensus"), "agreement", "agreement")},
    inputs=("annotations",),
    outputs=("write_consensus", "units", "disputes", "html"),
)
