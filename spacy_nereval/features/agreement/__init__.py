"""Agreement: how far several annotators agree, where they disagree, and their systematic differences.

One way through it: `shared_documents` reads the annotators' files and matches their documents. `disagreements` has the
votes for each span, the consensus, disputes, and the differences of each pair. `annotator_pairs` counts every pair with
every metric and computes intervals, `chance` computes alphas and kappas, and `habits` finds differences that repeat and
words them. `agreement_counts` makes the result of all these, `agreement_view` its tables and sentences, and
`adjudication` the page and the tasks for adjudicators. `agreeing` has the function `agreement()` for Python objects and
files, `agreement_command` the command.
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
