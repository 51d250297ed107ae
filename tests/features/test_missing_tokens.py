"""Predictions that lack tokens of gold, as models with a maximum length leave them.

The right value is that of the completed predictions: a tag O at each missing token, and then seqeval as published.
"""

import json
from itertools import groupby

import pytest
from commands import printed, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import refused
from refusals import refused_with
from seqeval_peer import asks_seqeval

from spacy_nereval import agreement, score, thresholds
from spacy_nereval.io.missing_tokens import place_words


def conll(path, sentences):
    path.write_text("\n".join("".join(f"{word} {tag}\n" for word, tag in sentence) for sentence in sentences))
    return path


GOLD = [[("Ada", "B-PER"), ("met", "O"), ("Bob", "B-PER")]]
SHORT = [GOLD[0][:2]]


def rows(sentences):
    return [{"tokens": [word for word, _ in s], "ner_tags": [tag for _, tag in s]} for s in sentences]


@pytest.fixture
def paths(tmp_path):
    return conll(tmp_path / "g.conll", GOLD), conll(tmp_path / "p.conll", SHORT)


def test_missing_tokens_are_refused_by_default_and_read_on_demand(paths, tmp_path):
    said = refused("score", *paths)
    assert "6 characters against 9" in said
    assert "the predictions lack 1 token: --missing-tokens O reads them as outside of spans" in said
    out = tmp_path / "out.json"
    printed_lines = printed("score", *paths, "--missing-tokens", "O", "-m", "strict", "-o", out)
    assert "1 missing token of the predictions read as O" in printed_lines
    result = json.loads(out.read_text())
    assert result["metrics"]["strict"]["scores"]["p"] == 1.0 and result["metrics"]["strict"]["scores"]["r"] == 0.5
    assert result["filled"] == 1


def test_every_door_reads_them(paths, tmp_path):
    counts = {"tp": 1, "fp": 0, "fn": 1}
    for sides in (paths, (rows(GOLD), rows(SHORT)), ([GOLD[0]], [SHORT[0]])):
        found = score(*sides, ["strict"], missing_tokens="O")
        assert found.strict.counts == counts and found["filled"] == 1
        with refused_with(
            ValueError,
            "document 0: the predicted text differs from the reference in more than white space and "
            "case: 6 characters against 9, whitespace not counted; the predictions lack 1 token: "
            "missing_tokens='O' reads them as outside of spans",
        ):
            score(*sides, ["strict"])
    jsonl = write(tmp_path / "g.jsonl", *rows(GOLD)), write(tmp_path / "p.jsonl", *rows(SHORT))
    assert score(*jsonl, ["strict"], missing_tokens="O").strict.counts == counts
    texts = [{"text": "Ada met Bob", "spans": [[8, 11, "PER"]]}], [{"text": "met Bob", "spans": [[4, 7, "PER"]]}]
    assert score(*texts, ["strict"], missing_tokens="O").strict.counts == {"tp": 1, "fp": 0, "fn": 0}
    counted = tmp_path / "a.npz"
    printed("count", *paths, "-o", counted, "-m", "strict", "--missing-tokens", "O")
    assert score(counted)["filled"] == 1
    for command in (("errors", *paths), ("compare", paths[0], paths[1], paths[0])):
        printed(*command, "--missing-tokens", "O")


def test_scores_of_spans_are_kept():
    gold = [{"text": "Ada met Bob", "spans": [[0, 3, "PER"], [8, 11, "PER"]]}]
    pred = [{"text": "met Bob", "spans": [{"start": 4, "end": 7, "label": "PER", "score": 0.7}]}]
    assert thresholds(gold, pred, missing_tokens="O")["best"]["cut"] == 0.7


def test_where_it_has_no_sense_it_is_refused(paths, tmp_path):
    with refused_with(
        ValueError,
        "missing_tokens='O': annotators have no gold annotation with all tokens; leave it out",
    ):
        agreement({"a": rows(GOLD), "b": rows(SHORT)}, missing_tokens="O")
    assert "--missing-tokens O: annotators have no gold" in refused("agreement", *paths, "--missing-tokens", "O")
    assert "--missing-tokens O" in refused("convert", paths[0], tmp_path / "a.jsonl", "--missing-tokens", "O")


NOT_JUST_MISSING = {
    "another word": [[("Ada", "B-PER"), ("saw", "O")]],
    "another order": [[("met", "O"), ("Ada", "B-PER")]],
    "more words": [[*GOLD[0], ("today", "O")]],
    "part of a word": [[("Ad", "B-PER"), ("met", "O")]],
}


@pytest.mark.parametrize("pred", NOT_JUST_MISSING.values(), ids=NOT_JUST_MISSING)
def test_words_that_gold_does_not_have_are_refused(pred, paths):
    path = conll(paths[1], pred)
    said = refused("score", paths[0], path, "--missing-tokens", "O")
    assert "the predictions have the word" in said and "which the gold text lacks here" in said
    assert "--missing-tokens" not in refused("score", paths[0], path)


def test_tags_alone_do_not_show_which_tokens_are_missing():
    tags = [[tag for _, tag in side[0]] for side in (GOLD, SHORT)]
    for more in ({}, {"tokens": [[word for word, _ in GOLD[0]]]}):
        with pytest.raises(ValueError, match="if predictions lack tokens, give both sides with their words"):
            score([tags[0]], [tags[1]], ["strict"], missing_tokens="O", **more)


SENTENCES = [[("Ada", "B-PER"), ("met", "O")], [("He", "O"), ("ran", "O")], [("Bob", "B-PER"), ("met", "O")]]
LOST = {
    "the last": ([0, 1], 1),
    "the first": ([1, 2], 1),
    "one within": ([0, 2], 1),
    "two": ([2], 2),
}


@pytest.mark.parametrize("kept, number", LOST.values(), ids=LOST)
def test_whole_sentences_are_refused_with_the_remedy_and_read_on_demand(kept, number, tmp_path):
    """Without lines that say where documents begin, and with ids: each sentence is a document."""
    gold, pred = SENTENCES, [SENTENCES[k] for k in kept]
    counts = {"tp": len({*kept} - {1}), "fp": 0, "fn": 2 - len({*kept} - {1})}
    columns = conll(tmp_path / "g.conll", gold), conll(tmp_path / "p.conll", pred)
    numbered = rows(gold), rows(pred)
    named = [row | {"id": f"s{k}"} for k, row in enumerate(rows(gold))]
    lines = write(tmp_path / "g.jsonl", *named), write(tmp_path / "p.jsonl", *[named[k] for k in kept])
    remedy = (
        f"lacks? {number} document{'s' * (number > 1)}: .*missing_tokens='O' reads their tokens as outside of spans"
    )
    for sides in (columns, numbered, (named, [named[k] for k in kept]), lines):
        with pytest.raises(ValueError, match=remedy):
            score(*sides, ["strict"])
        found = score(*sides, ["strict"], missing_tokens="O")
        assert found.strict.counts == counts and found["filled"] == 2 * number and found["documents"] == 3
    assert f"{number} document{'s' * (number > 1)}: --missing-tokens O reads their" in refused("score", *columns)
    assert f"{2 * number} missing tokens" in printed("score", *columns, "--missing-tokens", "O")
    printed("compare", columns[0], columns[1], columns[1], "--missing-tokens", "O")


def test_a_sentence_that_is_whole_is_preferred_and_other_sentences_are_refused(tmp_path):
    gold = [[("Bob", "B-PER"), ("ran", "O")], [("Bob", "O")], [("Ada", "B-PER"), ("met", "O")]]
    sides = conll(tmp_path / "g.conll", gold), conll(tmp_path / "p.conll", [[("Bob", "O")], [("Ada", "B-PER")]])
    found = score(*sides, ["strict"], missing_tokens="O")
    assert found.strict.counts == {"tp": 1, "fp": 0, "fn": 1} and found["filled"] == 3
    for pred in ([[("Eve", "O")]], [gold[2], gold[0]]):
        said = refused("score", sides[0], conll(sides[1], pred))
        assert "--missing-tokens" not in said
        said = refused("score", sides[0], sides[1], "--missing-tokens", "O")
        assert "3 documents" in said or "which the gold text lacks here" in said
    assert "lack" not in refused("score", conll(sides[1], gold[:1]), sides[0])


def test_documents_without_a_common_id_stay_refused(tmp_path):
    sides = (
        [{"text": "Ada", "spans": [], "id": "a"}, {"text": "Bob", "spans": [], "id": "b"}],
        [{"text": "Ada", "spans": [], "id": "c"}],
    )
    with refused_with(
        ValueError,
        "pred lacks 2 documents: a, b; gold lacks 1 document: c; no id is in both: give each text "
        "the same id in both, or remove the ids from one of them to pair by order",
    ):
        score(*sides, ["strict"], missing_tokens="O")


NORMAL = {
    "brackets": ("( Ada ) met Bob", "-LRB- Ada -RRB- Bob"),
    "quotes": ("“ Ada ” met Bob", "`` Ada '' Bob"),
    "dashes": ("1990 — Ada met Bob", "1990 -- Ada Bob"),
    "accents": ("Zoé Ada met Bob", "Zoe\u0301 Ada Bob"),
}


@pytest.mark.parametrize("gold, pred", NORMAL.values(), ids=NORMAL)
def test_words_that_are_alike_are_placed_if_both_are_asked_for(gold, pred, tmp_path):
    tagged = [[[(word, "B-PER" if word in ("Ada", "Bob") else "O") for word in side.split()]] for side in (gold, pred)]
    sides = conll(tmp_path / "g.conll", tagged[0]), conll(tmp_path / "p.conll", tagged[1])
    both: dict[str, str] = {"missing_tokens": "O", "match_text": "normalised"}
    assert "--missing-tokens O and --match-text normalised read them" in refused("score", *sides)
    assert "--match-text normalised aligns their words" in refused("score", *sides, "--missing-tokens", "O")
    assert "--missing-tokens O reads them" in refused("score", *sides, "--match-text", "normalised")
    for door in (sides, (rows(tagged[0]), rows(tagged[1]))):
        found = score(*door, ["strict"], **both)
        assert found.strict.counts == {"tp": 2, "fp": 0, "fn": 0} and found["filled"] == 1
    assert "F 100.00" in printed("score", *sides, "--missing-tokens", "O", "--match-text", "normalised")
    whole = {"text": pred, "spans": [[0, pred.index("Ada") + 3, "PER"]]}
    (spans,) = [d.pred for d in documents([{"text": gold, "spans": []}], [whole], **both)]
    assert sorted(gold[start:end] for start, end, _ in spans) == [gold[: gold.index("Ada") + 3]]


def documents(gold, pred, **options):
    from spacy_nereval.io.formats.jsonl import record_of
    from spacy_nereval.io.records import pair

    return [
        pair(record_of(a), record_of(b), options["missing_tokens"], options["match_text"]) for a, b in zip(gold, pred)
    ]


def test_a_part_of_a_word_that_gold_writes_otherwise_is_refused():
    gold = [{"text": "(Ada met Bob", "spans": []}]
    pred = [{"text": "-LRB-Ada Bob", "spans": [[5, 8, "PER"]]}]
    with refused_with(
        ValueError,
        "the predicted span (5, 8, 'PER') is inside of a token that gold writes otherwise; "
        "match_text='normalised' aligns their words",
    ):
        documents(gold, pred, missing_tokens="O", match_text="normalised")


PLACES = [
    ("a", "a", [0]),
    ("ab", "axb", [0, 2]),
    ("ab", "aab", [1, 2]),
    ("ab", "abab", [0, 1]),
    ("aa", "aba", [0, 2]),
    ("abc", "abxabc", [3, 4, 5]),
    ("", "ab", []),
    ("ba", "ab", [1]),
]


@pytest.mark.parametrize("words, complete, places", PLACES)
def test_words_are_placed_in_the_fewest_stretches(words, complete, places):
    assert place_words(words, complete) == places


def all_places(words, complete, first=0):
    if not words:
        yield []
        return
    for k in range(first, len(complete)):
        if complete[k] == words[0]:
            yield from ([k, *rest] for rest in all_places(words[1:], complete, k + 1))


@given(st.text("ab", max_size=9), st.data())
@tries(300)
def test_the_place_is_the_best_of_all(complete, data):
    kept = [k for k in range(len(complete)) if data.draw(st.booleans())]
    words = [complete[k] for k in kept]
    ways = [*all_places(words, complete)]
    stretches = [len([*groupby(enumerate(way), lambda pair: pair[1] - pair[0])]) for way in ways]
    best = place_words(words, complete)
    assert best in ways
    assert len([*groupby(enumerate(best), lambda pair: pair[1] - pair[0])]) == min(stretches)
    assert best == min(way for way, number in zip(ways, stretches) if number == min(stretches))


def test_long_sentences_are_placed_quickly():
    complete = ["the", "a"] * 1_000
    words = [word for k, word in enumerate(complete) if k % 40]
    assert len(place_words(words, complete)) == len(words)


WORDS = [f"w{k}" for k in range(7)]


@pytest.mark.slow
@asks_seqeval
@given(st.data())
@tries(150)
def test_the_value_is_that_of_seqeval_on_completed_predictions(tmp_path_factory, data):
    """As in the published runs of MasakhaNER: words of a sentence are lost at its end or within."""
    from seqeval.metrics import f1_score

    folder = tmp_path_factory.mktemp("runs")
    tags = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])
    gold, pred, completed = [], [], []
    for _ in range(data.draw(st.integers(1, 4))):
        sentence = [(word, data.draw(tags)) for word in WORDS[: data.draw(st.integers(1, 7))]]
        predicted = [(word, data.draw(tags)) for word, _ in sentence]
        lost = {k for k in range(len(sentence)) if k and data.draw(st.booleans())}
        gold.append(sentence)
        pred.append([pair for k, pair in enumerate(predicted) if k not in lost])
        completed.append([(word, "O" if k in lost else tag) for k, (word, tag) in enumerate(predicted)])
    sides = conll(folder / "g.conll", gold), conll(folder / "p.conll", pred)
    found = score(*sides, ["strict"], missing_tokens="O", scheme="IOB2", repair="conll").strict.f
    theirs = f1_score(*([[tag for _, tag in s] for s in side] for side in (gold, completed)), zero_division=0)
    assert (found or 0) == pytest.approx(theirs)
    whole = score(sides[0], conll(folder / "c.conll", completed), ["strict"], scheme="IOB2", repair="conll")
    assert whole.strict.f == found
    assert (
        score(rows(gold), rows(pred), ["strict"], missing_tokens="O", scheme="IOB2", repair="conll").strict.f == found
    )


@pytest.mark.parametrize("span", [(4, 12), (13, 17), (6, 10), (0, 12), (0, 17)])
def test_a_span_that_ends_inside_of_a_token_ends_there_in_the_text_of_gold_too(span):
    """The last token is missing, so the predicted text is the beginning of gold's, with the same offsets."""
    text, predicted = "Ada Lovelace-King met Bob", [[*span, "PER"]]
    gold = [{"text": text, "spans": [[4, 17, "PER"]]}]
    short, whole = (
        score(gold, [{"text": text[:end], "spans": predicted}], ["strict", "char"], missing_tokens="O")
        for end in (21, len(text))
    )
    assert short["filled"] == 1 and short["metrics"] == whole["metrics"]
