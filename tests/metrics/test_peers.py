"""What other programs say of the same spans: live where they are installed, and as recorded in tests/data."""

import csv
import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import pytest
from asking import near, scored, tables
from hypothesis import given
from places import RECORDED
from products import NIGHT
from profiles import tries
from recorded import germeval
from seqeval_peer import asks_seqeval, report
from strategies import LABELS, corpora, flat

from spacy_nereval import Document, Span, score

nervaluate = pytest.importorskip("nervaluate", reason="it needs Python 3.11")

flat_corpora = given(corpora(flat()).filter(len))


# seqeval


def bio(spans: Iterable[Span], tokens: Sequence[tuple[int, int]]) -> list[str]:
    tags = ["O"] * len(tokens)
    for start, end, label in spans:
        inside = [k for k, (a, b) in enumerate(tokens) if start <= a and b <= end]
        for k in inside:
            tags[k] = ("B-" if k == inside[0] else "I-") + label
    return tags


def characters(doc: Document) -> list[tuple[int, int]]:
    return [(k, k + 1) for k in range(len(doc.text))]


def seqeval_report(corpus: list[Document], **options: Any) -> dict[str, dict[str, float]]:
    """seqeval's scores, one tag per character."""
    gold, pred = ([bio(side, characters(doc)) for doc, side in zip(corpus, sides)] for sides in sides_of(corpus))
    return report(gold, pred, **options)


def sides_of(corpus: list[Document]) -> tuple[list[Any], list[Any]]:
    return [doc.gold for doc in corpus], [doc.pred for doc in corpus]


def as_seqeval(scores: dict[str, float | None]) -> dict[str, float]:
    """Our scores under seqeval's names and with its 0 for what is undefined."""
    return {name: near(scores[x] or 0) for name, x in (("precision", "p"), ("recall", "r"), ("f1-score", "f"))}


@asks_seqeval
@pytest.mark.parametrize("options", [{}, {"mode": "strict", "scheme": "IOB2"}], ids=["conlleval", "IOB2"])
@tries(100)
@flat_corpora
def test_seqeval_agrees_on_strict_overall_and_per_label(options, corpus):
    """seqeval has no rows at all when there is neither gold nor prediction."""
    result = scored(corpus, "strict")
    if result["per_type"]:
        theirs = seqeval_report(corpus, **options)
        named = {"micro avg": result["scores"]} | {label: row["scores"] for label, row in result["per_type"].items()}
        for name, scores in named.items():
            assert {key: value for key, value in theirs[name].items() if key != "support"} == as_seqeval(scores)


@asks_seqeval
@tries(100)
@flat_corpora
def test_seqeval_agrees_on_averages_where_every_score_is_defined(corpus):
    """Where one is not, seqeval averages a 0 in."""
    result = scored(corpus, "strict")
    if result["per_type"] and not any(result["averages"]["macro"]["undefined"].values()):
        theirs = seqeval_report(corpus)
        for average in ("macro", "weighted"):
            found = {key: value for key, value in theirs[f"{average} avg"].items() if key != "support"}
            assert found == as_seqeval(result["averages"][average])


def on_tokens(doc: Document) -> Document:
    """The same document with spans of whole tokens, those that the spans touch."""
    sides: list[list[tuple[int, int, str]]] = [[], []]
    for side, spans in zip(sides, (doc.gold, doc.pred)):
        reach = 0
        for span in spans:
            first, last = doc.covered_tokens(span)
            if max(first, reach) < last:
                side.append((doc.tokens[max(first, reach)][0], doc.tokens[last - 1][1], span.label))
                reach = last
    return Document(*sides, doc.text, tokens=doc.tokens)


@asks_seqeval
@tries(50)
@given(flat().map(on_tokens))
def test_tokens_of_flat_spans_score_as_tags_do_in_scikit_learn_and_seqeval(doc):
    seqeval = pytest.importorskip("seqeval.metrics")
    from sklearn.metrics import precision_recall_fscore_support

    gold, pred = bio(doc.gold, doc.tokens), bio(doc.pred, doc.tokens)
    found = scored(doc, "token", scheme="bio")["scores"]
    assert found["accuracy"] == near(seqeval.accuracy_score([gold], [pred]))
    assert scored(doc, "token")["scores"]["accuracy"] == near(
        seqeval.accuracy_score([[tag[2:] for tag in gold]], [[tag[2:] for tag in pred]])
    )
    for scheme, cut in (("bio", 0), ("plain", 2)):
        ours, theirs = ([tag[cut:] for tag in tags] for tags in (gold, pred))
        labels = sorted({*ours, *theirs} - {"O", ""})
        if labels:
            p, r, f, _ = precision_recall_fscore_support(ours, theirs, labels=labels, average="micro", zero_division=0)
            found = scored(doc, "token", scheme=scheme)["scores"]
            assert (found["p"] or 0, found["r"] or 0, found["f"]) == (near(p), near(r), near(f))


# nervaluate 1.2.1


SCHEMES = {"strict": "strict", "exact": "exact", "partial": "partial", "ent_type": "type"}
FIVE = {"cor": "correct", "inc": "incorrect", "par": "partial", "mis": "missed", "spu": "spurious"}


def nervaluate_lists(corpus: list[Document], step: int = 1) -> list[list[list[dict[str, Any]]]]:
    """Both sides as its lists, whose ends are inclusive."""
    return [
        [[{"label": span.label, "start": span.start, "end": span.end - 1} for span in side[::step]] for side in sides]
        for sides in sides_of(corpus)
    ]


def nervaluate_counts(corpus: list[Document], step: int = 1) -> dict[str, dict[str, int]]:
    """Its five counts in each scheme, its lists in order or, with step -1, reversed."""
    gold, pred = nervaluate_lists(corpus, step)
    overall = nervaluate.Evaluator(gold, pred, tags=list(LABELS[-1]), loader="dict").evaluate()["overall"]
    return {
        ours: {count: getattr(overall[theirs], name) for count, name in FIVE.items()}
        for theirs, ours in SCHEMES.items()
    }


@tries(200)
@flat_corpora
def test_nervaluate_agrees_in_all_five_counts(corpus):
    """On `type` wherever its own result does not depend on the order of its lists."""
    schemes = scored(corpus, "semeval")["schemes"]
    theirs, reversed_ = nervaluate_counts(corpus), nervaluate_counts(corpus, step=-1)
    for scheme in ("strict", "exact", "partial", "type"):
        if scheme != "type" or theirs[scheme] == reversed_[scheme]:
            assert {count: schemes[scheme][count] for count in FIVE} == theirs[scheme], scheme


@tries(100)
@flat_corpora
def test_nervaluate_s_counts_of_a_label_are_those_of_its_spans_alone(corpus):
    """The recipe of `migrate.md`; `type` wherever its own result does not depend on the order of its lists."""
    theirs, reversed_ = (
        nervaluate.Evaluator(*nervaluate_lists(corpus, step), tags=list(LABELS[-1]), loader="dict").evaluate()[
            "entities"
        ]
        for step in (1, -1)
    )
    gold, pred = sides_of(corpus)
    for label, results in theirs.items():
        ours = score(gold, pred, ["semeval"], only=[label])["metrics"]["semeval"]["schemes"]
        for scheme, found in results.items():
            expected = {count: getattr(found, name) for count, name in FIVE.items()}
            if scheme != "ent_type" or found == reversed_[label][scheme]:
                assert {count: ours[SCHEMES[scheme]][count] for count in FIVE} == expected, (label, scheme)


def test_a_wrong_label_is_two_errors_of_labels_in_nervaluate_and_one_here():
    doc = Document([(0, 3, "A")], [(0, 3, "B")])
    gold, pred = nervaluate_lists([doc])
    theirs = nervaluate.Evaluator(gold, pred, tags=["A", "B"], loader="dict").evaluate()
    found = scored([doc], "semeval")
    assert theirs["overall"]["strict"].incorrect == found["schemes"]["strict"]["inc"] == 1
    assert (theirs["entities"]["A"]["strict"].missed, theirs["entities"]["B"]["strict"].spurious) == (1, 1)
    assert found["per_type"]["A"]["counts"] == found["counts"] and found["counts"]["type_error"] == 1


@pytest.mark.parametrize(("length", "pairs"), [(100, 1), (101, 0)])
def test_nervaluate_pairs_spans_that_share_one_per_cent_of_gold(length, pairs):
    doc = Document([(0, length, "A")], [(length - 1, length + 9, "A")])
    assert nervaluate_counts([doc])["partial"]["par"] == pairs
    assert scored([doc], "semeval")["schemes"]["partial"]["par"] == 1


def test_nervaluate_depends_on_the_order_of_its_lists():
    """Which is why its `type` counts are no reference everywhere."""
    doc = Document([(0, 2, "A"), (2, 4, "B")], [(0, 1, "B"), (1, 3, "A")])
    assert nervaluate_counts([doc])["type"] != nervaluate_counts([doc], step=-1)["type"]


# Recorded: random cases


@cache
def cases(program: str) -> list[dict[str, Any]]:
    return json.loads((RECORDED / "peers" / "cases.json").read_text(encoding="utf-8"))[program]


def drawn(case: dict[str, Any]) -> Document:
    """One unit is one character and one token; a span without a label gets one."""
    gold, pred = ([(*span[:2], *(span[2:] or "A")) for span in case[side]] for side in ("gold", "pred"))
    doc = Document(gold, pred, "x" * max([0, *(end for _, end, _ in (*gold, *pred))]))
    return Document(*doc.sides, doc.text, tokens=characters(doc))


def as_ours(row: dict[str, int]) -> dict[str, int]:
    """FairEval's names for the kinds in ours, without BE, which is a sum."""
    names = {"BES": "be_s", "BEL": "be_l", "BEO": "be_o"}
    return {names.get(kind, kind.lower()): n for kind, n in row.items() if kind != "BE"}


thirds = pytest.mark.parametrize("third", [0, *(pytest.param(k, marks=NIGHT) for k in (1, 2))])
"""Runs a test on the first of every three recorded cases by day, and on the others at night."""


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["char", "token"])
@thirds
def test_the_reference_program_of_faireval_agrees_on_400_cases(unit, third):
    for case in [*cases("faireval_reference_a6172f2")][third::3]:
        doc = drawn(case)
        found = tables(doc, "fair", unit=unit)
        assert found.total == as_ours(case["overall"]), doc
        assert found.rows == {label: as_ours(row) for label, row in case["per_label"].items()}, doc
        confusion = {a.strip("_"): {b.strip("_"): n for b, n in row.items() if n} for a, row in case["conf"].items()}
        assert found.confusion == {a: row for a, row in confusion.items() if row}, doc
        assert tables(doc, "strict").total == as_ours(case["traditional"]), doc


@pytest.mark.costly
@thirds
def test_nervaluate_agrees_on_250_recorded_cases(third):
    for case in [*cases("nervaluate_1.2.1")][third::3]:
        result = scored(drawn(case), "semeval")
        for theirs, ours in SCHEMES.items():
            if theirs not in case["order_dependent"]:
                expected, found = case["overall"][theirs], result["schemes"][ours]
                assert {count: found[count] for count in FIVE} == {count: expected[count] for count in FIVE}
                for x in "prf":
                    assert (result["scores"][f"{ours}_{x}"] or 0) == near(expected[x])


@pytest.mark.costly
@pytest.mark.parametrize("match", ["walk", "optimal"])
@thirds
def test_loio_metrics_agrees_on_300_cases(match, third):
    """On the optimum it agrees where that is what its walk found."""
    different = 0
    for case in [*cases("loio_metrics_0.0.2")][third::3]:
        scores = scored(drawn(case), "loio", s=case["s"], match=match)["scores"]
        if match == "walk" or scores["tp"] == near(case["tp"]):
            assert all(scores[key] == near(case[key]) for key in ("tp", "fp", "fn")), case
        else:
            different += 1
            assert scores["tp"] > case["tp"]
    assert (different > 0) is (match == "optimal")


# Recorded: GermEval 2014, the author's own evaluation


@cache
def germeval_table(title: str) -> dict[str, dict[str, str]]:
    """A table of eval_ner.csv: first column to the others, by the names in its head."""
    text = (RECORDED / "faireval_ner" / "eval_ner.csv").read_text(encoding="utf-8")
    head, *rows = csv.reader(text.split(f"### {title}:\n")[1].split("\n\n")[0].splitlines(), delimiter="\t")
    return {name: dict(zip(head[1:], row)) for name, *row in rows if name}


def as_printed(row: dict[str, Any]) -> dict[str, str]:
    """A row of our result as the author's program prints it."""
    scores = {name: f"{100 * row['scores'][x]:.2f}" for name, x in (("Prec", "p"), ("Rec", "r"), ("F1", "f"))}
    kinds = {kind.upper().replace("_", ""): str(n) for kind, n in row["counts"].items()}
    return kinds | ({"BE": str(row["scores"]["be"])} if "be" in row["scores"] else {}) | scores


@pytest.mark.parametrize(
    ("title", "metric", "options"),
    [
        ("Traditional evaluation", "strict", {}),
        ("Traditional evaluation", "fair", {"weights": "traditional"}),
        ("Fair evaluation", "fair", {}),
        ("Weighted evaluation", "fair", {"weights": "fine"}),
    ],
)
def test_germeval_comes_out_as_the_author_s_program_printed_it(title, metric, options):
    """Every count and score, overall and per label; spans are flat, so characters are as good as tokens."""
    result = scored(germeval(), metric, **options)
    table = germeval_table(title)
    assert table.keys() == {*result["per_type"], "overall"}
    for name, expected in table.items():
        printed = as_printed(result if name == "overall" else result["per_type"][name])
        compared = ("Prec", "Rec", "F1") if options == {"weights": "traditional"} else expected
        assert {column: printed[column] for column in compared} == {x: expected[x] for x in compared}, name


def test_germeval_has_the_confusion_matrix_of_figure_2():
    table = germeval_table("Confusion matrix")
    expected = {a.strip("_"): {b.strip("_"): int(n) for b, n in row.items() if int(n)} for a, row in table.items()}
    assert scored(germeval(), "fair")["confusion"] == expected
