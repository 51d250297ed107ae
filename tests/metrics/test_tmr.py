"""Recall on tough mentions, and the lexicon that it looks spans up in."""

import json
import os
from collections import Counter
from pathlib import Path

import places
import pytest
from asking import near, scored
from hypothesis import given
from refusals import refused_with
from strategies import TEXTS, corpora

from spacy_nereval import Document, count, create, create_all, evaluate
from spacy_nereval.core.lexicon import cached_lexicon, lexicon_of, read_lexicon
from spacy_nereval.evaluation.intervals import draw_replicates
from spacy_nereval.io.count_files import load, merge, save
from spacy_nereval.io.writing import write_json

TRAINING = ["Paris|LOC", "Ford|ORG", "May|PER"]
TEST = ["Paris|LOC +", "Ford|PER", "Berlin|LOC +", "Ford|ORG +", "Berlin|ORG", "May|PER +"]


def mention(line: str, found: bool = False) -> Document:
    """One annotated word in its own text, found or not."""
    word, label = line.removesuffix(" +").split("|")
    span = (4, 4 + len(word), label)
    return Document([span], [span] if found or line.endswith("+") else [], f"See {word} .")


@pytest.fixture
def train(tmp_path: Path) -> str:
    path = tmp_path / "train.json"
    write_json(path, lexicon_of(map(mention, TRAINING)).as_json())
    return str(path)


def test_the_worked_example(train):
    """All 4/6, unseen_any 1/3, unseen_tokens 1/2, unseen_type 0/1, confusable 2/4, seen 1/2, unseen 1/2."""
    found = scored(map(mention, TEST), "tmr", train=train)
    known = {"all": near(4 / 6), "seen": 1, "unseen_any": near(1 / 3), "unseen_tokens": 1 / 2, "unseen_type": 0}
    confusable = {"confusable": 2 / 4, "confusable_seen": 1 / 2, "confusable_unseen": 1 / 2}
    assert found["scores"] == known | confusable
    assert found["counts"]["all_size"] == 6
    assert found["counts"]["confusable_size"] == 4
    assert found["per_type"]["PER"]["scores"]["all"] == 1 / 2


def test_the_meaning_of_a_subset_says_whether_training_has_it():
    for score in create("tmr").scores:
        said = score.meaning.startswith(("not ", "such spans not ", "trained with other labels only"))
        assert said == ("unseen" in score.name), score.name


def twin(corpus: list[Document], seen: dict[str, dict[str, int]]) -> Counter[str]:
    """The definition, from a list of all mentions at once."""
    mentions = []
    for document in corpus:
        for span in document.gold:
            inside = [(a, b) for a, b in document.tokens if max(a, span.start) < min(b, span.end)]
            words = [document.text[max(a, span.start) : min(b, span.end)] for a, b in inside]
            surface = " ".join(word for word, (a, b) in zip(words, inside) if document.text[a:b].strip())
            mentions.append((surface, span.label, span in document.pred))
    several = {s for s, _, _ in mentions if len({label for other, label, _ in mentions if other == s}) > 1}
    sizes: Counter[str] = Counter()
    for surface, label, hit in mentions:
        known = surface in seen
        subsets = ["all", "seen" if known and label in seen[surface] else "unseen_any"]
        subsets += [] if subsets[-1] == "seen" else ["unseen_type" if known else "unseen_tokens"]
        if surface in several:
            subsets += ["confusable", "confusable_seen" if known else "confusable_unseen"]
        for subset in subsets:
            sizes[f"{subset}_size"] += 1
            sizes[f"{subset}_hit"] += hit
    return sizes


SEEN = str(places.SEEN)


@given(corpus=corpora())
def test_the_counts_are_those_of_the_definition(corpus):
    counts = scored(corpus, "tmr", train=SEEN)["counts"]
    expected = twin(corpus, json.loads(Path(SEEN).read_text())["surfaces"])
    assert counts == {column: expected[column] for column in counts}
    assert expected.keys() <= counts.keys()


def test_texts_apart_do_not_show_what_is_confusable_and_their_sum_does(train):
    documents, metric = [mention("Ulm|LOC"), mention("Ulm|ORG")], create("tmr", train=train)
    parts = [count([document], [metric]) for document in documents]
    whole = evaluate(parts[0] + parts[1])
    assert whole == evaluate(count(documents, [metric]))
    sizes = [each["metrics"]["tmr"]["counts"]["confusable_size"] for each in (*map(evaluate, parts), whole)]
    assert sizes == [0, 0, 2]


def test_counts_in_files_keep_what_tells_the_confusable_ones(train, tmp_path):
    metrics = create_all({"tmr": {"train": train}, "strict": {}})
    parts = []
    for k, documents in enumerate((TEST[:3], TEST[3:])):
        parts.append(tmp_path / f"{k}.npz")
        save(count(map(mention, documents), metrics), parts[-1])
    whole = count(map(mention, TEST), metrics)
    assert evaluate(merge(parts)) == evaluate(whole)
    Path(train).unlink()  # counts are scored without the training data
    assert evaluate(load(parts[0]))["metrics"]["tmr"]["scores"]["all"] == near(2 / 3)


def test_replicates_of_parts_are_refused(train):
    parts = [count([mention(line)], create_all({"tmr": {"train": train}})) for line in TEST[:2]]
    for part in parts:
        part.replicates = draw_replicates(part, 10, 0)
    with refused_with(
        ValueError,
        "these counts cannot be added: tmr depends on the corpus as a whole, so its half-samples do "
        "not add up: count without replicates=, or without tmr",
    ):
        parts[0] + parts[1]


# The lexicon


def test_what_is_collected_of_a_corpus():
    text = "New York is new . York , New York"
    training = lexicon_of([Document([(0, 8, "LOC"), (4, 8, "ORG"), (25, 33, "LOC")], [], text)])
    assert training.surfaces == {"New York": {"LOC": 2}, "York": {"ORG": 1}}
    assert training.occurrences == {"New York": 2, "York": 3}
    assert training.tokens["York"] == {"LOC": 2, "ORG": 1, "": 1}
    assert training.tokens["new"] == {"": 1}
    assert training.labels == {"LOC", "ORG"}
    assert training.most_frequent == (2, 3)  # York, once in spans of two labels
    assert training.documents == 1


@given(corpus=corpora())
def test_every_word_and_every_span_is_counted(corpus):
    training = lexicon_of(corpus)
    spans = [(document, span) for document in corpus for span in document.gold]
    assert sum(sum(row.values()) for row in training.surfaces.values()) == len(spans)
    words = [document.text[a:b] for document in corpus for a, b in document.words]
    assert training.tokens.keys() == set(words)
    for surface in training.surfaces:
        size = len(surface.split(" "))
        runs = 0
        places = set()
        for k, document in enumerate(corpus):
            its = [document.text[a:b] for a, b in document.words]
            runs += sum(its[at : at + size] == surface.split(" ") for at in range(len(its) - size + 1))
            places |= {(k, *span[:2]) for span in document.gold if " ".join(document.words_of(span)) == surface}
        assert training.occurrences[surface] == max(runs, len(places))


def test_a_word_with_a_blank_in_it_is_one_word():
    tokens = [(0, 8), (9, 12), (13, 21)]
    training = lexicon_of([Document([(0, 8, "LOC")], [], "New York and New York", tokens=tokens)])
    assert training.occurrences == {"New York": 2}


def test_a_signature_names_the_training_data_by_what_they_say(tmp_path):
    """Not by their path alone: it may come to hold something else."""
    signatures = set()
    for label in ("LOC", "ORG"):
        path = tmp_path / "table.json"
        write_json(path, lexicon_of([mention(f"Ulm|{label}")]).as_json())
        os.utime(path, ns=(len(signatures), len(signatures)))
        metric = create("tmr", train=str(path))
        signatures.add(evaluate(count([], [metric]))["signature"])
        stored = metric.settings["train"]
        assert create("tmr", train=stored).settings["train"] == stored
    assert len(signatures) == 2
    write_json(path, lexicon_of([mention("Ulm|PER")]).as_json())
    with pytest.raises(ValueError, match="has changed: expected the digest"):
        scored([mention("Ulm|PER")], "tmr", train=stored)


def test_a_table_and_its_corpus_are_read_alike(tmp_path):
    lines = [{"text": "New York", "spans": [{"start": 0, "end": 8, "label": "LOC"}]}, {"text": "york", "spans": []}]
    corpus, table = tmp_path / "train.jsonl", tmp_path / "table.json"
    corpus.write_text("\n".join(map(json.dumps, lines)))
    found = read_lexicon(corpus)
    assert (found.surfaces, found.tokens["york"], found.documents) == ({"New York": {"LOC": 1}}, {"": 1}, 2)
    write_json(table, found.as_json())
    assert read_lexicon(table).digest == found.digest
    training = lexicon_of([Document([(0, 1, "A")], [], text, tokens=tokens) for text, tokens in TEXTS])
    write_json(table, training.as_json())
    again = read_lexicon(table)
    for part in ("surfaces", "occurrences", "tokens", "token_occurrences", "documents", "labels", "most_frequent"):
        assert getattr(again, part) == getattr(training, part), part
    assert training.documents == len(TEXTS)


def test_a_table_is_read_again_when_its_file_has_changed(tmp_path):
    path = tmp_path / "table.json"
    for number, label in enumerate(("A", "B")):
        write_json(path, lexicon_of([mention(f"Ulm|{label}")]).as_json())
        os.utime(path, ns=(number, number))
        assert cached_lexicon(str(path)).labels == {label}


EMPTY = dict.fromkeys(("surfaces", "occurrences", "tokens", "token_occurrences"), {})
EMPTY |= {"format": "spacy-nereval training 2", "documents": 1}


ONCE = {"surfaces": {"a": {"A": 1}}, "occurrences": {"a": 1}}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is not a lexicon"),
        ("[]", "is not a lexicon"),
        ({"format": "another"}, "its format is not 'spacy-nereval training 2'"),
        ({"format": EMPTY["format"], "surfaces": {}}, "occurrences: field required"),
        (EMPTY | ONCE | {"occurrences": {}}, "does not say how often 'a' occurs"),
        (EMPTY | ONCE | {"tokens": {"a": {"A": 1}}}, "does not say how often 'a' occurs"),
        (EMPTY | {"format": "spacy-nereval training 1"}, "by an earlier version, .* with 'nereval training'"),
        (EMPTY | ONCE | {"surfaces": {"a": {"A": -1}}}, "surfaces.a.A: input should be greater than 0"),
        (EMPTY | {"surfaces": [1]}, "is not a lexicon"),
        (EMPTY, "has no annotated spans"),
        ({"text": "Ulm", "spans": []}, "has no annotated spans"),
        (None, "does not exist"),
    ],
    ids=str,
)
def test_a_file_that_is_no_training_data_is_refused(tmp_path, content, reason):
    path = tmp_path / ("bad.jsonl" if content is None or "text" in content else "bad.json")
    if content is not None:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    for read in (read_lexicon, cached_lexicon):
        with pytest.raises(ValueError, match=reason) as error:
            read(str(path))
        assert str(path) in str(error.value)
