"""The table of tools in docs/explanation/other-tools.md: its cells are tried where the tool can be installed."""

import re

import pytest
from places import ROOT
from refusals import refused_with
from seqeval.metrics import f1_score
from spacy.scorer import Scorer, get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_nereval import score

A, B = (0, 4, "A"), (0, 2, "B")
TWO, ONE = (0, 2, "A"), (0, 1, "B")
TAGGED = [["B-A", "I-A"]]


def cells() -> dict[tuple[str, str], bool]:
    text = (ROOT / "docs" / "explanation" / "other-tools.md").read_text(encoding="utf8")
    table = text.split("\n## Features of each tool\n")[1]
    rows = [re.split(r" *\| *", line.strip("| ")) for line in re.findall(r"^\|.*$", table, flags=re.M)]
    head, rest = rows[0], rows[2:]
    return {(row[0], tool): cell == "yes" for row in rest for tool, cell in zip(head, row[1:], strict=True)}


def schemes(gold, pred):
    """nervaluate's results; its ends are inclusive."""
    nervaluate = pytest.importorskip("nervaluate", reason="needs Python 3.11")
    sides = [[{"label": c, "start": a, "end": b - 1} for a, b, c in side] for side in (gold, pred)]
    return nervaluate.Evaluator([sides[0]], [sides[1]], tags=["A", "B"], loader="dict").evaluate()["overall"]


def right_labels(step: int) -> int:
    """How many labels nervaluate finds right in spans that it gets in this order."""
    return schemes([(0, 2, "A"), (2, 4, "B")][::step], [(0, 1, "B"), (1, 3, "A")][::step])["ent_type"].correct


def spacys(words: list[str], gold: list[tuple[int, int, str]], pred: list[tuple[int, int, str]]):
    """spaCy's scores of overlapping spans."""
    vocab = Vocab()
    docs = []
    for spans in (pred, gold):
        docs.append(Doc(vocab, words=words))
        docs[-1].spans["sc"] = [Span(docs[-1], *span) for span in spans]
    how = {"getter": lambda doc, key: doc.spans["sc"], "allow_overlap": True}
    return Scorer.score_spans([Example(*docs)], "spans_sc", **how)["spans_sc_f"]


def accepted_by_spacy() -> bool:
    Doc(Vocab(), words=["a", "b"], ents=["O", "I-X"])
    return True


def undefined_in_spacy() -> bool:
    docs = [Doc(Vocab(), words=["a"], ents=["O"]) for _ in range(2)]
    return get_ner_prf([Example(*docs)])["ents_f"] is None


TRIED = {
    ("strict F1", "seqeval"): lambda: f1_score(TAGGED, TAGGED) == 1,
    ("strict F1", "nervaluate"): lambda: schemes([A], [A])["strict"].f1 == 1,
    ("strict F1", "spaCy"): lambda: spacys(["a"], [(0, 1, "A")], [(0, 1, "A")]) == 1,
    ("partial credit for boundaries", "seqeval"): lambda: f1_score(TAGGED, [["B-A", "O"]]) > 0,
    ("partial credit for boundaries", "nervaluate"): lambda: schemes([A], [(0, 2, "A")])["partial"].f1 > 0,
    ("partial credit for boundaries", "spaCy"): lambda: spacys(["a", "b"], [(0, 2, "A")], [(0, 1, "A")]) > 0,
    ("overlapping spans", "nervaluate"): lambda: schemes([A, B], [A, B])["strict"].correct == 2,
    ("overlapping spans", "spaCy"): lambda: spacys(["a", "b"], [TWO, ONE], [TWO, ONE]) == 1,
    ("any order of spans, same result", "nervaluate"): lambda: len({*map(right_labels, (1, -1))}) == 1,
    ("invalid tags are errors unless you choose", "seqeval"): lambda: f1_score([["B-A"]], [["I-A"]]) != 1,
    ("invalid tags are errors unless you choose", "spaCy"): lambda: not accepted_by_spacy(),
    ("undefined scores are not 0", "seqeval"): lambda: f1_score([["O"]], [["O"]], zero_division=0) != 0,
    ("undefined scores are not 0", "nervaluate"): lambda: schemes([], [])["strict"].f1 != 0,
    ("undefined scores are not 0", "spaCy"): undefined_in_spacy,
    ("undefined scores are not 0", "this package"): lambda: score([["O"]], [["O"]], "strict").strict.f is None,
    ("overlapping spans", "this package"): lambda: score([[A, B]], [[A, B]], "strict").strict.f == 1,
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("what", "tool"), TRIED, ids=str)
def test_a_cell_is_what_the_tool_does(what, tool):
    assert bool(TRIED[what, tool]()) is cells()[what, tool]


def test_invalid_tags_are_refused_here():
    with refused_with(
        ValueError,
        "gold, document 0, tag 1: I-A continues no span, and the tags are IOB2; use repair='conll' "
        "to read it as a span, or repair='discard' to leave it out",
    ):
        score([["O", "I-A"]], [["O", "B-A"]], "strict", scheme="IOB2")
