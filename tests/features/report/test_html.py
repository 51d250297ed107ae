"""Pages without a browser: what the report says, its data, and that nothing from outside is markup in any page."""

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from itertools import combinations

import numpy as np
import pytest
from annotators import hostile, page_of
from docs import doc
from hypothesis import given
from hypothesis import strategies as st
from pages import HARMLESS, HOSTILE, TEXTS, Parsed, decoded, small, system, unpacked
from profiles import tries
from refusals import refused_with
from spacy import displacy
from spacy.tokens import Span
from spacy.util import registry
from strategies import corpora

from spacy_nereval import Document, create, create_all
from spacy_nereval.core.wording import COLORS, DISPLACY, FAIREVAL, VERDICT_KINDS
from spacy_nereval.evaluation.comparison import System
from spacy_nereval.evaluation.error_list import is_error
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.features.report.report_page import LONGEST, STATIC, StaticDocument, page, page_data, static_documents
from spacy_nereval.features.report.report_view import ReportView
from spacy_nereval.features.thresholds.chosen_cuts import find_thresholds
from spacy_nereval.features.thresholds.curves import Settings
from spacy_nereval.features.thresholds.threshold_page import thresholds_page
from spacy_nereval.io.writing import escape_controls
from spacy_nereval.reporting.pages import breakable, html_example, packed_json, script_json
from spacy_nereval.reporting.remarks import LONGEST as LONGEST_NAME
from spacy_nereval.reporting.remarks import name_in_sentence

FAIR = create("fair")


def test_gold_spans_have_the_outcomes_that_the_options_of_fair_give_them():
    tokens = [(0, 3), (4, 6), (7, 13), (13, 14)]
    sides = [Document([(0, 2, "PER")], pred, TEXTS[0], tokens=tokens) for pred in ([(2, 3, "PER")], [(0, 2, "PER")])]
    for unit, row in (("token", "boundary"), ("char", "missed")):
        systems = [system(n, d, metrics={"fair": {"unit": unit}}) for n, d in zip(("a", "b"), sides)]
        found = Parsed(page(systems))
        assert [cells for cells in found.rows if cells[:2] == [row, "1"]]
        assert "b fixes 1 gold span, breaks 0" in found.text


def test_the_rows_of_labels_come_by_their_gold_spans_the_most_first_and_then_by_name():
    often = {"C": 1, "B": 3, "D": 5, "A": 1, "E": 0}
    gold = [(10 * k + j, 10 * k + j + 1, label) for k, (label, n) in enumerate(often.items()) for j in range(n)]
    document = Document(gold, [*gold, (60, 61, "E")], "x" * 70)
    found = Parsed(page([system("a", document, metrics=["fair"])]))
    labels = [row[0].strip() for row in found.rows if row and row[0].strip() in often]
    assert labels[:5] == ["D", "B", "A", "C", "E"]


def test_metrics_that_mark_no_spans_and_the_licences_of_the_javascript_are_named():
    found = Parsed(page([small()]))
    marking = {metric["name"] for metric in found.data["metrics"]}
    others = [metric.name for metric in create_all() if metric.name not in marking]
    assert others and f"Not {', '.join(others)}: they do not give" in found.text
    authors = ("University of Washington Interactive Data Lab", "Mike Bostock")
    assert all(words in found.text for words in (*authors, "Neither the name of the copyright", "IN NO EVENT"))


@pytest.mark.parametrize(
    ("gold", "pred", "text"),
    [([], [], ""), ([], [(0, 1, "A")], "a"), ([(0, 1, "A")], [], "a"), ([(0, 1, "A")], [], None)],
    ids=["nothing", "no gold", "no predictions", "no text"],
)
def test_a_report_on_little_or_nothing_is_a_report(gold, pred, text):
    document = Document(gold, pred, text)
    found = Parsed(page([system(name, document, metrics=["strict", "fair", "semeval"]) for name in "ab"]))
    assert "1 document, " in found.text
    assert len(found.data["documents"]) == 1


ONE, OTHER = Document([(0, 1, "A")], [], "a"), Document([(0, 1, "B")], [], "a")

UNLIKE = [
    ({"x": [ONE], "y": [ONE, ONE]}, "x has 1 document and y has 2 documents"),
    ({"x": [ONE, ONE], "y": [ONE, OTHER]}, "document 1 of y has another text or gold annotation than that of x"),
    ({f"s{k}": [ONE] for k in range(9)}, "colours and symbols for at most 8 systems, 9 were given"),
]


@pytest.mark.parametrize(("sides", "said"), UNLIKE, ids=["number", "gold", "many"])
def test_systems_that_do_not_belong_together_are_refused(sides, said):
    with pytest.raises(ValueError, match=said):
        page([system(name, *documents, metrics=["fair"]) for name, documents in sides.items()])


def test_systems_of_one_name_of_other_metrics_or_without_fair_are_refused():
    usual, fair, strict = (system("x", ONE, metrics=names) for names in (None, ["fair"], ["strict"]))
    with refused_with(ValueError, "the systems have equal names: x, x; rename one"):
        page([usual, usual])
    with refused_with(
        ValueError,
        "x and y cannot be in one report: one has the metrics strict, semeval, slot_error, loio, "
        "fair, wrf, the other fair",
    ):
        page([usual, System("y", fair.counts, fair.documents)])
    with refused_with(
        ValueError,
        "the report marks spans by the verdicts of fair, which is not among the metrics: add it",
    ):
        page([strict])


# Without scripts


def static(document: Document) -> StaticDocument:
    (found,) = static_documents([document], {0: [v for v in FAIR.verdicts(document) if is_error(FAIR, v)]}, FAIR)
    return found


def without_scripts(text: str) -> str:
    (found,) = text.split("</main>")[0].rsplit("<noscript>", 1)[1:]
    return " ".join(Parsed(found.split("</noscript>")[0]).text.split())


def test_without_scripts_the_first_documents_with_errors_are_there_and_the_rest_is_counted():
    documents = [Document([(0, 3, "PER")], [] if k % 2 else [(0, 3, "PER")], f"Ada {k}") for k in range(130)]
    said = without_scripts(page([system("one", *documents)]))
    assert f"the first {STATIC} of 65 documents with errors; 15 more" in said
    assert said.count("[missed: PER]") == STATIC
    assert "Ada [missed: PER] 1 " in said and "Ada [missed: PER] 0 " not in said


def test_without_scripts_texts_have_their_spaces():
    text = "The mods & others deleted  it\tall, \x1b[2J again"
    start, end = text.index("mods"), text.index(" & ")
    spans = [(start, end, "A"), (text.index("it"), text.index(","), "A")]
    html = page([system("one", Document(spans, [(start + 4, end + 2, "B")], text))])
    (static_part,) = re.findall(r'<div class="static">.*?</div>', html, re.S)
    words = re.sub(r" <small>.*?</small> ", "", static_part.partition('<p dir="ltr">')[2])
    assert Parsed(words).words and "".join(Parsed(words).words).rstrip() == escape_controls(re.sub(r"\s+", " ", text))


def test_static_text_is_the_text_with_what_is_wrong_behind_each_error():
    document = Document([(4, 16, "PER"), (21, 24, "PER")], [(0, 16, "PER"), (8, 12, "X")], "the Ada Lovelace met Bob.")
    found = static(document)
    assert "".join(part.text for part in found.stretches) == document.text
    ends = {"".join(p.text for p in found.stretches[: k + 1]): part.notes for k, part in enumerate(found.stretches)}
    assert ends["the Ada Lovelace"] == ["longer than gold: PER"]
    assert ends["the Ada Lovelace met Bob"] == ["missed: PER"]
    first, second, *_ = found.stretches
    assert (first.text, first.gold, first.pred) == ("the ", False, True)
    assert (second.text, second.gold, second.pred) == ("Ada ", True, True)
    found = static(Document([(5000, 5003, "A"), (9000, 9002, "B")], [], "x" * 10_000))
    assert len("".join(part.text for part in found.stretches)) < LONGEST + 30
    assert found.stretches[-1].text == " … 1 more"


# Mentions that the text lacks, and names and contexts in sentences


def test_mentions_that_the_text_lacks_are_marked_so():
    document = Document([(0, 3, "PER")], [(15, 18, "PER"), (19, 22, "LOC")], "Ada met 😀 Bob.\nEve\nUlm")
    document.annex = 14
    one = system("one", document)
    data = Parsed(page([one])).data
    assert data["annexes"] == [[0, 15]]  # in UTF-16 units
    (pairs,) = ReportView([one]).tables(["pairs"])
    examples = {row[:3]: row[-1] for row in map(tuple, pairs.rows)}
    assert examples["spurious", None, "PER"] == "{Eve} (not in the text)"
    assert examples["missed", "PER", None] == "[Ada] met 😀 Bob."
    assert "spurious: PER (not in the text)" in without_scripts(page([one]))


def test_a_context_begins_and_ends_with_whole_words_and_says_that_there_is_more():
    text = f"{'many more words ' * 9}Ada{' and so many others' * 9}"
    start = text.index("Ada")
    found = html_example(Document([], [], text), start, start + 3)
    assert found.text == "Ada"
    before, behind = found.left.removeprefix("… "), found.right.removesuffix(" …")
    assert text[:start].endswith(f" {before}") and text[start + 3 :].startswith(f"{behind} ")
    assert found.left != before and found.right != behind
    short = html_example(Document([], [], "met Ada again"), 4, 7)
    assert (short.left, short.right) == ("met ", " again")


def test_a_context_without_spaces_is_cut_where_it_has_to_be():
    text = "東京都の山田太郎は日本放送協会に行きました" * 6
    found = html_example(Document([], [], text), 60, 63)
    assert found.left == f"… {text[20:60]}" and found.right == f"{text[63:103]} …"


def test_a_long_name_is_cut_and_may_be_broken_where_words_join_on_a_page():
    assert breakable("wnut_no_org.jsonl: 45.28") == "wnut_<wbr>no_<wbr>org.<wbr>jsonl: 45.28"
    assert breakable("FailedState & <b>") == "Failed<wbr>State &amp; &lt;b&gt;"
    assert name_in_sentence('"' + "x" * LONGEST_NAME) == f'"{"x" * (LONGEST_NAME - 2)}…'
    assert name_in_sentence("  ") == "(empty)"


# The data of the page, and its colours


@given(st.text(st.characters(exclude_categories=()), max_size=20) | st.sampled_from(HOSTILE))
def test_embedded_text_comes_back_whole_from_plain_utf8_without_a_tag(text):
    found = script_json({text: [text, None, 1.5]})
    assert json.loads(found) == {text: [text, None, 1.5]}
    assert found.encode("utf8").decode("utf8") == found
    assert not set("<\u2028\u2029\x00\x7f\x85\ufeff\r\n") & set(found)
    packed = packed_json({text: [text, None, 1.5]})
    assert unpacked(packed) == json.loads(found) and re.fullmatch("[A-Za-z0-9+/=]+", packed)


@given(corpora())
@tries(60)
def test_the_verdicts_in_the_page_are_those_of_the_result(documents):
    found = system("a", *documents)
    result = evaluate(found.counts)["metrics"]
    data = json.loads(script_json(page_data(ReportView([found]))))
    assert [metric["name"] for metric in data["metrics"]] == ["strict", "semeval", "slot_error", "fair"]
    for name in ("strict", "semeval", "slot_error", "fair"):
        triples = decoded(data, 0, name)
        counts = Counter(verdict for verdict, _, _ in triples)
        assert {verdict: counts[verdict] for verdict in result[name]["counts"]} == result[name]["counts"]
        assert set(counts) <= set(result[name]["counts"])
        shown = next(metric for metric in data["metrics"] if metric["name"] == name)
        of_confusion = {shown["verdicts"][k] for k in shown["confusion"]}
        cells = Counter((gold, pred) for verdict, gold, pred in triples if verdict in of_confusion)
        assert cells == {(a, b): n for a, row in result[name]["confusion"].items() for b, n in row.items()}


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


def linear(color: str) -> np.ndarray:
    values = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


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


def nearest(colors) -> float:
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
    light, dark = (linear(each) @ [0.2126, 0.7152, 0.0722] + 0.05 for each in (color, "#111111"))
    assert light / dark >= 4.5


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


# Every page stands alone, and nothing that comes from outside is markup in it


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
    found = find_thresholds([document], create_all(["strict"]), Settings(per_label="own"))
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
    assert types in (["text/plain", "application/json", None, None], ["text/plain", None])
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


def elements(own: Parsed):
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
    documents = found.data.get("documents", [])
    assert [each[1] if made is report else each["text"] for each in documents] == texts.get(made, [])
