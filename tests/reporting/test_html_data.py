"""The data of the HTML report, and its colours."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from docs import doc
from hypothesis import given
from hypothesis import strategies as st
from pages import HOSTILE, TEXTS, decoded, system
from profiles import tries
from spacy import displacy
from spacy.tokens import Span
from spacy.util import registry
from strategies import corpora

from spacy_nereval import Document
from spacy_nereval.core.wording import COLORS, FAIREVAL, VERDICT_KINDS
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.reporting.html.colors import DISPLACY
from spacy_nereval.reporting.html.report_data import page_data
from spacy_nereval.reporting.html.texts import embedded
from spacy_nereval.reporting.report_view import ReportView


@given(st.text(st.characters(exclude_categories=()), max_size=20) | st.sampled_from(HOSTILE))
def test_embedded_text_comes_back_whole_from_plain_utf8_without_a_tag(text):
    found = embedded({text: [text, None, 1.5]})
    assert json.loads(found) == {text: [text, None, 1.5]}
    assert found.encode("utf8").decode("utf8") == found
    assert not set("<\u2028\u2029\x00\x7f\x85\ufeff\r\n") & set(found)


@given(corpora())
@tries(60)
def test_the_verdicts_in_the_page_are_those_of_the_result(documents):
    found = system("a", *documents)
    result = evaluate(found.counts)["metrics"]
    data = json.loads(embedded(page_data(ReportView([found]))))
    assert [metric["name"] for metric in data["metrics"]] == ["strict", "semeval", "slot_error", "fair"]
    for name in ("strict", "semeval", "slot_error", "fair"):
        triples = decoded(data, 0, name)
        counts = Counter(verdict for verdict, _, _ in triples)
        assert {verdict: counts[verdict] for verdict in result[name]["counts"]} == result[name]["counts"]
        assert set(counts) <= set(result[name]["counts"])
        shown = next(metric for metric in data["metrics"] if metric["name"] == name)
        confusion: dict[str, dict[str, int]] = {}
        for verdict, gold, pred in triples:
            if shown["verdicts"].index(verdict) in shown["confusion"]:
                row = confusion.setdefault(gold, {})
                row[pred] = row.get(pred, 0) + 1
        assert confusion == result[name]["confusion"]


def test_verdicts_on_tokens_are_in_the_page_too():
    tokens = [(0, 3), (4, 6), (7, 13), (13, 14)]
    document = Document([(0, 2, "PER"), (7, 13, "LOC")], [(2, 3, "PER"), (7, 14, "LOC")], TEXTS[0], tokens=tokens)
    found = decoded(page_data(ReportView([system("a", document, metrics={"fair": {"unit": "token"}})])), 0, "fair")
    assert sorted(found) == [("be_l", "LOC", "LOC"), ("be_o", "PER", "PER")]  # in characters they do not meet


@given(st.text(st.sampled_from("aß😀\ud83d𐍈\u0301"), max_size=12), st.data())
def test_offsets_count_the_units_of_strings_in_browsers(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = page_data(ReportView([system("a", Document([(start, end, "A")], [], text))]))["documents"][0]
    units = text.encode("utf-16-le", "surrogatepass")
    cut = units[2 * found[2][0] : 2 * found[2][1]]
    assert cut == text[start:end].encode("utf-16-le", "surrogatepass")


def luminance(color: str) -> float:
    return float(linear(color) @ [0.2126, 0.7152, 0.0722])


def linear(color: str) -> np.ndarray:
    values = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


# Machado, Oliveira and Fernandes (2009), severity 1.
BLINDNESS = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


OKABE_ITO = ("#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7")


def oklab(color: np.ndarray) -> np.ndarray:
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    axes = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.array(axes) @ np.cbrt(np.array(cones) @ np.clip(color, 0, 1))


def nearest(colors: Any) -> float:
    """The least distance between two of the colours, whatever colour blindness sees them."""
    return min(
        float(np.linalg.norm(oklab(np.array(seen) @ linear(a)) - oklab(np.array(seen) @ linear(b))))
        for seen in BLINDNESS.values()
        for a, b in combinations(colors, 2)
    )


def test_colour_blind_readers_tell_the_kinds_apart_better_than_in_the_palette_made_for_them():
    assert nearest(COLORS.values()) > nearest(OKABE_ITO) > 0.05


@pytest.mark.parametrize("color", COLORS.values(), ids=COLORS)
def test_black_letters_can_be_read_on_every_colour(color):
    assert contrast(color, "#111111") >= 4.5


def test_every_kind_of_verdict_has_a_colour_and_words():
    assert {words.kind for words in FAIREVAL.values()} == {*COLORS} == {*VERDICT_KINDS}


def test_displacy_gets_the_colours_of_verdicts_by_the_entry_point():
    assert DISPLACY in registry.displacy_colors.get_all().values()
    made = doc("Ada sleeps", (0, 1, "PER"))
    made.spans["verdicts"] = [Span(made, 0, 1, "be_s"), Span(made, 1, 2, "fp")]
    shown = displacy.render(made, style="span", options={"spans_key": "verdicts"}, jupyter=False)
    assert COLORS["boundary"] in shown
    assert COLORS["spurious"] in shown
    made.set_ents([Span(made, 0, 1, "FN")])
    assert COLORS["missed"] in displacy.render(made, style="ent", jupyter=False)
