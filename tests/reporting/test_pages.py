"""Every page without a browser: it stands alone, and nothing that comes from outside is markup in it."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

import pytest
from annotators import hostile, page_of
from pages import HARMLESS, HOSTILE, Parsed, system

from spacy_nereval import Document, create_all
from spacy_nereval.evaluation.thresholds.chosen_cuts import thresholds
from spacy_nereval.evaluation.thresholds.scored_documents import Settings
from spacy_nereval.reporting.html import page
from spacy_nereval.reporting.html.thresholds.threshold_page import thresholds_page


def report(texts: Sequence[str]) -> str:
    """Two systems on one text under many ids, in which spans with all labels nest."""
    spans = [(k, k + 2, label) for k, label in enumerate(texts)]
    documents = [Document(spans, spans[1:], "".join(texts), id=each) for each in texts]
    systems = [system(texts[k], *documents, metrics=["fair", "strict"]) for k in (0, 8)]
    for each in systems:
        each.counts.sources = [texts[0]]
    return page(systems, title=texts[2])


def agreement(texts: Sequence[str]) -> str:
    return page_of(hostile(texts))


def threshold(texts: Sequence[str]) -> str:
    spans = [(k, k + 1, label) for k, label in enumerate(texts)]
    document = Document(spans, spans[::2], "x" * 40)
    document.span_scores = {span: 0.5 + k / 100 for k, span in enumerate(spans[::2])}
    found = thresholds([document], create_all(["strict"]), Settings(per_label="own"))
    return thresholds_page([(texts[0], found), (texts[8], found)], golds=[texts[2]], title=texts[1])


every_page = pytest.mark.parametrize("made", [report, agreement, threshold], ids=lambda made: made.__name__)


@cache
def parsed(made: Callable[..., str]) -> Parsed:
    return Parsed(made(HOSTILE).encode().decode())


@every_page
def test_nothing_is_fetched_and_the_policy_lets_only_the_pages_own_scripts_run(made):
    found = parsed(made)
    linked = [own[name] for _, own in found.tags for name in ("src", "href", "action") if own.get(name)]
    assert linked and all(str(value).startswith("#") for value in linked)
    assert not {"link", "iframe", "object", "embed", "base", "img"} & {tag for tag, _ in found.tags}
    (policy,) = (str(own["content"]) for _, own in found.tags if own.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy
    types = [own.get("type") for tag, own in found.tags if tag == "script"]
    assert types in (["application/json"] * 2 + [None] * 2, ["application/json", None])
    code = [text for text, kind in zip(found.raw["script"], types, strict=True) if kind is None]
    (style,) = found.raw["style"]
    assert not re.search(r"@import|url\(", style)
    for kind, texts in (("script", code), ("style", [style])):
        hashes = [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts]
        assert re.search(f"{kind}-src ([^;]*)", policy)[1].split() == hashes


@every_page
def test_no_element_has_a_style_or_a_handler_which_the_policy_would_refuse(made):
    names = {name for _, own in parsed(made).tags for name in own}
    assert not {name for name in names if name.startswith("on") or name == "style"}


def elements(own: Parsed) -> Counter[Any]:
    """All elements but those that say where names may be broken; names that are cut have titles."""
    return Counter((tag, *sorted({*a} - {"title"} if tag == "bdi" else a)) for tag, a in own.tags if tag != "wbr")


@every_page
def test_hostile_texts_labels_ids_and_names_add_no_element_and_no_attribute(made: Callable[..., str]):
    found = parsed(made)
    assert elements(found) == elements(Parsed(made(HARMLESS)))
    assert {key for tag, own in found.tags if tag == "wbr" for key in own} == set()
    assert not set("\x00\x1b\x85\u202e") & set(found.text)
    assert {*HOSTILE} <= {*found.data["labels"]} and "{{ 7 * 7 }}" in found.text
    texts = {report: ["".join(HOSTILE)] * len(HOSTILE), agreement: [*HOSTILE]}
    assert [each[1] if made is report else each["text"] for each in found.data.get("documents", [])] == texts.get(
        made, []
    )
