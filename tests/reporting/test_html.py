"""The HTML report without a browser: what it says, that it stands alone, and that nothing in a corpus is markup."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from typing import Any

import pytest
from pages import HOSTILE, SECOND, TEXTS, Parsed, small, system

from spacy_nereval import Document, create_all
from spacy_nereval.evaluation.intervals import Confidence
from spacy_nereval.reporting.html import page


def test_gold_spans_have_the_outcomes_that_the_options_of_fair_give_them():
    tokens = [(0, 3), (4, 6), (7, 13), (13, 14)]
    sides = [Document([(0, 2, "PER")], pred, TEXTS[0], tokens=tokens) for pred in ([(2, 3, "PER")], [(0, 2, "PER")])]
    for unit, row in (("token", "boundary"), ("char", "missed")):
        systems = [system(n, d, metrics={"fair": {"unit": unit}}) for n, d in zip(("a", "b"), sides)]
        found = Parsed(page(systems))
        assert [cells for cells in found.rows if cells[:2] == [row, "1"]]
        assert "b fixes 1 gold span, breaks 0" in found.text


@pytest.fixture(scope="module")
def one() -> Parsed:
    return Parsed(page([small()]))


@pytest.fixture(scope="module")
def two() -> Parsed:
    return Parsed(page([small(), small(SECOND, "second")], confidence=Confidence(samples=20)))


def test_the_rows_of_labels_come_by_their_gold_spans_the_most_first_and_then_by_name():
    often = {"C": 1, "B": 3, "D": 5, "A": 1, "E": 0}
    gold = [(10 * k + j, 10 * k + j + 1, label) for k, (label, n) in enumerate(often.items()) for j in range(n)]
    document = Document(gold, [*gold, (60, 61, "E")], "x" * 70)
    found = Parsed(page([system("a", document)]))
    labels = [row[0].strip() for row in found.rows if row and row[0].strip() in often]
    assert labels[:5] == ["D", "B", "A", "C", "E"]


def test_nothing_is_fetched_and_the_policy_lets_only_the_pages_own_scripts_run(one):
    linked = [
        value for _, attributes in one.tags for name in ("src", "href", "action") if (value := attributes.get(name))
    ]
    assert linked
    assert all(value.startswith("#") for value in linked)
    assert not {"link", "iframe", "object", "embed", "base", "img"} & {tag for tag, _ in one.tags}
    (policy,) = (a["content"] for _, a in one.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    hashes = {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in one.raw["script"][2:]}
    assert set(re.search("script-src ([^;]*)", policy)[1].split()) == hashes
    assert len(hashes) == 2
    (style,) = one.raw["style"]
    assert f"style-src 'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in policy
    assert not re.search(r"@import|url\(", style)
    types = [attributes.get("type") for tag, attributes in one.tags if tag == "script"]
    assert types == ["application/json", "application/json", None, None]


def test_no_element_has_a_style_or_a_handler_which_the_policy_would_refuse(one):
    names = {name for _, attributes in one.tags for name in attributes}
    assert not {name for name in names if name.startswith("on") or name == "style"}


def test_metrics_that_mark_no_spans_are_named(one):
    marking = {metric["name"] for metric in one.data["metrics"]}
    others = [metric.name for metric in create_all() if metric.name not in marking]
    assert others
    assert f"Not {', '.join(others)}: they do not give" in one.text


@pytest.mark.parametrize(
    "documents",
    [
        [Document([], [], "")],
        [Document([], [(0, 1, "A")], "a")],
        [Document([(0, 1, "A")], [], "a")],
        [Document([(0, 1, "A")], [], None)],
    ],
    ids=["nothing", "no gold", "no predictions", "no text"],
)
def test_a_report_on_little_or_nothing_is_a_report(documents):
    metrics = ["strict", "fair", "semeval"]
    found = Parsed(page([system("a", *documents, metrics=metrics), system("b", *documents, metrics=metrics)]))
    assert "1 document, " in found.text
    assert len(found.data["documents"]) == 1


def test_hostile_texts_labels_ids_and_names_add_no_element_and_no_attribute():
    text = "".join(HOSTILE)
    spans = [(k, k + 2, label) for k, label in enumerate(HOSTILE)]
    documents = [Document(spans, spans[1:], text, id=HOSTILE[k]) for k in range(len(HOSTILE))]

    def harmless_one(c: str) -> str:  # equal where characters are, in the same case
        if c.isspace():
            return c
        if not c.isalpha():
            return chr(0x2460 + sorted({*text}).index(c))
        other = chr(0x430 + ord(c.lower()) - ord("a"))
        return other.upper() if c.isupper() else other

    harmless = "".join(map(harmless_one, text))
    plain = [
        Document(
            [(a, b, f"L{a}") for a, b, _ in spans],
            [(a, b, f"L{a}") for a, b, _ in spans[1:]],
            harmless,
            id=f"{k}",
        )
        for k in range(len(HOSTILE))
    ]
    metrics = ["fair", "strict"]

    def parsed(names: tuple[str, str], documents: list[Document], title: str) -> Parsed:
        systems = [system(name, *documents, metrics=metrics) for name in names]
        for each in systems:
            each.counts.sources = [names[0]]
        return Parsed(page(systems, title=title).encode().decode())

    found = parsed((HOSTILE[0], HOSTILE[8]), documents, HOSTILE[2])
    usual = parsed(("a", "b"), plain, "t")

    def elements(own: Parsed) -> Counter[Any]:
        """All elements but those that say where names may be broken; names that are cut have titles."""
        return Counter(
            (tag, tuple(sorted({*a} - {"title"} if tag == "bdi" else a))) for tag, a in own.tags if tag != "wbr"
        )

    assert elements(found) == elements(usual)
    assert {key for tag, a in found.tags if tag == "wbr" for key in a} == set()
    for label in HOSTILE[:5]:
        assert " ".join(label.split()) in found.text
    assert "{{ 7 * 7 }}" in found.text
    assert "49" not in found.row("&lt;b&gt; {{ 7 * 7 }} {% raw %}")[0]
    assert found.data["documents"][0][1] == text
    assert set(found.data["labels"]) == set(HOSTILE)
    assert not set("\x00\x1b\x85\u202e") & set(found.text)


def test_systems_that_do_not_belong_together_are_refused():
    metrics = ["fair"]
    a, b = Document([(0, 1, "A")], [], "a"), Document([(0, 1, "B")], [], "a")
    with pytest.raises(ValueError, match="equal names: x, x"):
        page([system("x", a), system("x", a)])
    with pytest.raises(ValueError, match="x has 1 documents and y has 2 documents"):
        page([system("x", a), system("y", a, a)])
    with pytest.raises(ValueError, match="document 1 of y has another text or gold annotation than that of x"):
        page([system("x", a, a), system("y", a, b)])
    with pytest.raises(ValueError, match="x and y cannot be in one report: one has the metrics"):
        page([system("x", a), system("y", a, metrics=metrics)])
    with pytest.raises(ValueError, match="fair, which is not among the metrics"):
        page([system("x", a, metrics=["strict"])])


def test_more_systems_than_there_are_symbols_are_refused():
    systems = [small(name=f"s{k}") for k in range(9)]
    with pytest.raises(ValueError, match="colours and symbols for at most 8 systems, 9 were given"):
        page(systems)
    assert "8 systems against gold" in Parsed(page(systems[:8])).text
