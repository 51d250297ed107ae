"""Tags as people have them: other schemes, other separators, another tag outside, words beside their tags.

The same tags mean the same as lists, as rows, as pairs, and in files: they are read alike, or refused alike.
"""

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from commands import printed, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import error, refused, run
from refusals import refused_with

from spacy_nereval import agreement, compare, evaluate, load, score, score_runs, show

O_TAG = "expected O, or B-, I-, M-, L-, E-, U-, S- or W- with a label"


def words_of(tags):
    return [f"w{k}" for k in range(len(tags))]


def as_lists(sides, folder):
    return sides


def as_rows(sides, folder):
    return [[{"tokens": words_of(tags), "ner_tags": tags} for tags in side] for side in sides]


def as_pairs(sides, folder):
    return [[[*zip(words_of(tags), tags)] for tags in side] for side in sides]


def as_conll(sides, folder, name="conll"):
    paths = []
    for k, side in enumerate(sides):
        blocks = ("".join(f"w{i}\t{tag}\n" for i, tag in enumerate(tags)) for tags in side)
        paths.append(Path(folder) / f"{k}.{name}")
        paths[-1].write_text("\n".join(blocks), encoding="utf8")
    return paths


def as_json(sides, folder):
    paths = []
    for k, side in enumerate(as_rows(sides, folder)):
        paths.append(Path(folder) / f"{k}.jsonl")
        paths[-1].write_text("".join(f"{json.dumps(row)}\n" for row in side), encoding="utf8")
    return paths


DOORS = {"lists": as_lists, "rows": as_rows, "pairs": as_pairs, "conll": as_conll, "json": as_json}


def outcome(door, sides, folder, **options):
    """The counts of a pair of sides; or the part of the refusal that names the tag and the remedy."""
    try:
        result = score(*DOORS[door](sides, folder), ["strict"], **options)
    except ValueError as error:
        said = str(error)
        return said[said.index("'") :] if "is not a tag" in said else said
    return {name: int(number) for name, number in result.strict.counts.items()}, result["repaired"]


REFUSED = {
    "another separator": ([["B_PER", "I_PER", "O"]], "write it as 'B-PER'"),
    "a colon": ([["B:PER", "O"]], "write it as 'B-PER'"),
    "a suffix": (
        [["PER-B", "PER-I", "O"]],
        "'PER-B' is not a tag, since its prefix is written otherwise: write it as 'B-P",
    ),
    "another suffix": ([["PER_S", "O"]], "write it as 'S-PER'"),
    "small letters": ([["b-per", "i-per", "O"]], "write it as 'B-per'"),
    "nothing between": ([["BPER", "IPER", "O"]], "nothing is between its prefix and its label: write it as 'B-PER'"),
    "a prefix alone": ([["B", "I", "O"]], "since it has no label"),
    "a prefix and no label": ([["B-", "O"]], "since it has no label"),
    "a label and no prefix": ([["-PER", "O"]], "since it has no label or no prefix"),
    "in quotes": ([['"B-PER"', '"I-PER"', "O"]], "since there are marks around it: write it as 'B-PER'"),
    "in brackets": ([["<B-PER>", "O"]], "write it as 'B-PER'"),
    "words for prefixes": ([["begin-PER", "inside-PER", "O"]], "write it as 'B-PER'"),
    "another tag outside": ([["PER", "no_entity", "no_entity"]], "give their tag with outside='no_entity'"),
    "a zero outside": ([["PER", "0", "0"]], "outside='0'"),
    "nothing outside": ([["PER", "LOC"]], "no tag is O to show"),
    "two tags outside": ([["PER", "no_entity", "O"]], "'no_entity' may be the tag of tokens outside"),
    "a small o": ([["B-PER", "o"]], "outside='o' reads this one as O"),
    "numbers in texts": ([["1", "2"]], "name numbers with tag_names="),
    "one tag of another form": ([["B-PER", "PER", "O"]], f"'PER' is not a tag; {O_TAG}; scheme='IO' reads whole tags"),
}


# Pairs of words and labels without any O are mentions.
REFUSED_BY_DOOR = {
    f"{door}, {name}": (door, *row)
    for door in DOORS
    for name, row in REFUSED.items()
    if door != "pairs" or "O" in row[0][0]
}


@pytest.mark.parametrize("door, tags, said", REFUSED_BY_DOOR.values(), ids=REFUSED_BY_DOOR)
def test_tags_of_no_known_form_are_refused_with_the_remedy_in_every_door(door, tags, said, tmp_path):
    found = outcome(door, [tags, tags], tmp_path)
    assert isinstance(found, str) and said in found, found


def test_the_other_functions_refuse_them_too(tmp_path):
    for name in ("another separator", "a suffix", "another tag outside"):
        tags, said = REFUSED[name]
        for call in (
            lambda tags: compare({"a": tags, "b": tags}, tags, ["strict"]),
            lambda tags: agreement({"a": tags, "b": tags}, ["strict"]),
            lambda tags: evaluate(tags, tags, ["strict"]),
            lambda tags: score_runs(tags, {"a": tags, "b": tags}, ["strict"]),
            lambda tags: load(as_conll([tags], tmp_path)[0]),
        ):
            with pytest.raises(ValueError, match=re.escape(said)):
                call(tags)
    tags = REFUSED["another separator"][0]
    gold, pred = as_conll([tags, tags], tmp_path)
    for command in (("score", gold, pred), ("agreement", gold, pred), ("convert", gold, tmp_path / "a.jsonl")):
        assert "line 1: 'B_PER' is not a tag" in refused(*command)
        assert "--scheme IO reads whole tags as labels" in refused(*command)


def hits(tp, fp, fn, repaired=0):
    return {"tp": tp, "fp": fp, "fn": fn}, repaired


READ = {
    "IO asked for": ([["B_PER", "I_PER", "O"]], [["B_PER", "O", "O"]], {"scheme": "IO"}, hits(1, 0, 1)),
    "IO that shows": ([["PER", "PER", "O"]], [["PER", "O", "O"]], {}, hits(0, 1, 1)),
    "another tag outside": ([["PER", "no_entity", "no_entity"]], [["PER", "no_entity", "PER"]],
                            {"outside": "no_entity"}, hits(1, 1, 0)),
    "outside with prefixes": ([["B-PER", "none"]], [["B-PER", "O"]], {"outside": "none"}, hits(1, 0, 0)),
    "BMES": ([["B-PER", "M-PER", "E-PER", "S-LOC"]], [["B-PER", "M-PER", "E-PER", "O"]], {}, hits(1, 0, 1)),
    "BMEWO": ([["B-PER", "M-PER", "E-PER", "W-LOC"]], [["O", "O", "O", "W-LOC"]], {"scheme": "BMES"}, hits(1, 0, 1)),
    "BIOES": ([["B-PER", "I-PER", "E-PER", "S-LOC"]], [["B-PER", "I-PER", "E-PER", "S-LOC"]], {}, hits(2, 0, 0)),
    "a character that nobody sees": ([["B-PER\u200b", "I-PER\u00a0", "O"]], [["B-PER", "I-PER", "O\ufeff"]], {},
                                     hits(1, 0, 0)),
    "a scheme that forbids": ([["I-PER", "O"]], [["B-PER", "O"]], {"scheme": "IOB2",
        "repair": "conll"}, hits(1, 0, 0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("gold, pred, options, counts", READ.values(), ids=READ)
def test_tags_are_read_as_they_are_meant_in_every_door(door, gold, pred, options, counts, tmp_path):
    assert outcome(door, [gold, pred], tmp_path, **options) == counts
    hits, found, missed = (counts[0][name] for name in ("tp", "fp", "fn"))
    two = agreement(dict(zip("ab", DOORS[door]([gold, pred], tmp_path))), ["strict"], **options)
    assert two["metrics"]["strict"]["f"]["mean"] == pytest.approx(2 * hits / (2 * hits + found + missed))


def test_the_command_has_the_same_options(tmp_path):
    for gold, pred, options, (counts, _) in READ.values():
        out = tmp_path / "out.json"
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        done = run("score", *as_conll([gold, pred], tmp_path), *arguments, "-m", "strict", "-o", out)
        assert done.exit_code == 0, done.output
        assert json.loads(out.read_text())["metrics"]["strict"]["counts"] == counts


def test_an_inferred_scheme_without_prefixes_is_said(tmp_path):
    tags = [["PER", "O"]]
    note = "gold: the tags have no prefixes and are read in the scheme IO"
    assert note in str(score(tags, tags, ["strict"]))
    assert note in run("score", *as_conll([tags, tags], tmp_path)).stderr
    assert note not in run("score", *as_conll([tags, tags], tmp_path), "--scheme", "IO").stderr


# Words beside their tags

LOVELACE = [("Ada", "B-PER"), ("Lovelace", "I-PER"), ("met", "O")]
ADA = [("Ada", "B-PER"), ("Lovelace", "O"), ("met", "O")]
WORDS_AND_TAGS = {
    "pairs": (LOVELACE, ADA),
    "lists of two": ([[*pair] for pair in LOVELACE], [[*pair] for pair in ADA]),
    "words, parts of speech and tags": ([(w, "X", tag) for w, tag in LOVELACE], [(w, "X", tag) for w, tag in ADA]),
    "dicts of a word": ([{word: tag} for word, tag in LOVELACE], [{word: tag} for word, tag in ADA]),
    "dicts with names": ([{"word": w, "tag": t} for w, t in LOVELACE], [{"text": w, "label": t} for w, t in ADA]),
    "tags, and pairs": ([tag for _, tag in LOVELACE], ADA),
}


@pytest.mark.parametrize("gold, pred", WORDS_AND_TAGS.values(), ids=WORDS_AND_TAGS)
def test_words_with_their_tags_are_no_mentions(gold, pred):
    result = score([gold], [pred], ["strict"])
    assert result.strict.counts == {"tp": 0, "fp": 1, "fn": 1}
    assert result.labels.keys() == {"PER"}
    assert score_runs([gold], {"a": [pred], "b": [pred]}, ["strict"]).strict.f == 0
    assert agreement({"a": [gold], "b": [pred]}, ["strict"])["metrics"]["strict"]["f"]["mean"] == 0
    compared, plain = (
        compare({"a": [p], "b": [p]}, [g], ["strict"])["comparisons"]
        for g, p in ((gold, pred), ([tag for _, tag in LOVELACE], [tag for _, tag in ADA]))
    )
    assert compared == plain
    with refused_with(ValueError, "text= is given, but the records have their own: leave it out"):
        score([gold], [pred], ["strict"], text=["Ada Lovelace met"])


def test_iterators_and_arrays_are_lists():
    words, gold, pred = ([pair[0] for pair in LOVELACE], *([pair[1] for pair in side] for side in (LOVELACE, ADA)))
    for form in (np.array, iter, lambda pairs: (pair for pair in pairs)):
        sides = ([form([*zip(words, tags)])] for tags in (gold, pred))
        assert score(*sides, ["strict"]).strict.counts == {"tp": 0, "fp": 1, "fn": 1}
    span = (0, 3, "PER")
    for item in (
        iter([span]),
        np.array([span], dtype=object),
        (part for part in [{"start": 0, "end": 3, "label": "PER"}]),
    ):
        assert score([[span]], [item], ["strict"]).strict.f == 1


@pytest.mark.parametrize("tag", ["B-PER|B-LOC", "B-PER/I-LOC", "I-A B-B", "B-PER O", "B-PER O O"])
def test_several_tags_of_a_token_are_no_label(tag):
    tags = [[tag, "O"]]
    with pytest.raises(ValueError, match="has several tags; expected one"):
        score(tags, tags, ["strict"], repair="conll")
    assert score(tags, tags, ["strict"], scheme="IO").strict.f == 1.0


def test_names_of_tags_are_given_for_files_as_for_rows(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"tokens": ["Ada", "met"], "ner_tags": [1, 0]}))
    for names in (["O", "art"], {0: "O", 1: "art"}, "O,art"):
        assert score(path, path, ["strict"], tag_names=names).strict.counts["tp"] == 1


def test_texts_beside_words_are_refused():
    with refused_with(ValueError, "text= is given, but the records have their own: leave it out"):
        score([LOVELACE], [ADA], ["strict"], text=["Ada Lovelace met"])


def test_mentions_stay_mentions():
    mentions = [[("a@b", "E-MAIL"), ("Ada", "PER")]]
    assert score(mentions, mentions, ["strict"], text=["a@b Ada"]).strict.counts["tp"] == 2
    assert score([[("a@b", "E-MAIL")]], [[]], ["strict"], text=["a@b Ada"]).strict.counts["fn"] == 1


TAGS_AMONG_MENTIONS = {
    "the label": [["Ada", "B-PER"], ["met", "O"]],
    "the label in an object": [{"text": "Ada", "label": "B-PER"}, {"text": "met", "label": "O"}],
    "the string": [["B-PER", "Ada"], ["O", "met"]],
    "the string in an object": [{"text": "B-PER", "label": "Ada"}, {"text": "O", "label": "met"}],
}


@pytest.mark.parametrize("name", TAGS_AMONG_MENTIONS)
@pytest.mark.parametrize("key", ["mentions", "entities"])
def test_tags_among_mentions_of_a_file_are_refused(key, name, tmp_path):
    path, row = tmp_path / "a.jsonl", {"text": "Ada met", key: TAGS_AMONG_MENTIONS[name]}
    path.write_text(json.dumps(row))
    what = " ".join(name.split()[:2])
    said = f"{what} 'B-PER' of a mention is the tag of a token"
    assert said in refused("score", path, path)
    with pytest.raises(ValueError, match=said):
        score([row], [row], ["strict"])


NO_WORDS = {
    "tags before words": [("B-PER", "Ada"), ("O", "met")],
    "O before words": [("O", "we"), ("O", "met")],
    "dicts of a tag": [{"B-PER": "Ada"}, {"O": "met"}],
    "a list too many": [["B-PER", "O"]],
    "a longer list too many": [["B-PER", "I-PER", "O"]],
    "a list of words and one of tags": [["Ada", "Lovelace", "met"], ["B-PER", "I-PER", "O"]],
    "one word and its tag": [["Ada"], ["B-PER"]],
    "a list for each column": [["Ada", "met"], ["PROPN", "VERB"], ["B-PER", "O"]],
}


@pytest.mark.parametrize("item", NO_WORDS.values(), ids=NO_WORDS)
def test_tags_are_never_taken_for_words_or_mentions(item):
    texts = {"text": ["Ada met"]}
    for call in (
        lambda: score([["B-PER", "O"]], [item], ["strict"]),
        lambda: score([item], [item], ["strict"], **texts),
        lambda: compare([["B-PER", "O"]], {"a": [item], "b": [item]}, ["strict"]),
        lambda: agreement({"a": [["B-PER", "O"]], "b": [item]}, ["strict"]),
        lambda: show([item]),
    ):
        with pytest.raises(ValueError, match=r"has tags where words are expected: give .* pairs \(word, tag\)"):
            call()


def test_strings_that_look_like_tags_may_be_mentions():
    for mentions, text in (([("B-12", "VITAMIN")], "B-12"), ({"GAS": ["O", "O"]}, "O O"), ([("O", "GAS")], "O")):
        assert score([mentions], [mentions], ["strict"], text=[text]).strict.counts["fp"] == 0


# Scores in place of tags, and spans of single tokens

SCORES = np.random.default_rng(0).random((1, 3, 2))


@pytest.mark.parametrize("pred", [SCORES, SCORES.tolist(), SCORES.astype("float32")])
def test_of_the_scores_of_tags_the_highest_is_taken(pred):
    gold, names = np.array([[1, 0, -100]]), ["O", "B-PER"]
    chosen = SCORES.argmax(-1)
    assert score(gold, pred, ["strict"], tag_names=names) == score(gold, chosen, ["strict"], tag_names=names)
    ours, theirs = (compare({"a": chosen, "b": own}, gold, ["strict"], tag_names=names) for own in (pred, chosen))
    assert ours == theirs


@pytest.mark.parametrize(
    "pred",
    [
        SCORES[0],
        SCORES[0].tolist(),
        SCORES.round().astype(int),
        [[{"B-PER": 0.9, "O": 0.1}]],
        [[("B-PER", 0.9), ("O", 0.8)]],
        [[{"B-PER": 0.9}, {"O": 0.8}]],
    ],
)
def test_scores_of_tags_without_documents_are_refused_with_the_remedy(pred):
    gold = np.array([[1, 0, -100]] * len(pred))
    for call in (
        lambda: score(gold, pred, ["strict"], tag_names=["O", "B-PER"]),
        lambda: compare({"a": gold, "b": pred}, gold, ["strict"], tag_names=["O", "B-PER"]),
    ):
        with pytest.raises(ValueError, match=r"scores of tags; expected the tag of each token: .* argmax\(-1\)"):
            call()


def test_an_entity_with_offsets_is_a_label_unless_it_is_the_tag_of_a_token():
    rasa = [[{"start": 0, "end": 3, "value": "Ada", "entity": "PER"}]]
    for more in ({}, {"text": ["Ada met"]}):
        assert score(rasa, [[(0, 3, "PER")]], ["strict"], **more).strict.f == 1.0
    for token in ({"entity": "B-PER"}, {"entity": "PER", "index": 1}):
        with pytest.raises(ValueError, match="aggregation_strategy"):
            score([[{"start": 0, "end": 3, "word": "Ada", **token}]], rasa, ["strict"])


# The same in every door

TAGS = ("O", "B-A", "I-A", "I-B", "E-A", "M-A", "S-B", "A", "B", "B_A", "A-B", "none", "o", "-")


@given(
    st.lists(st.lists(st.tuples(*[st.sampled_from(TAGS)] * 2), min_size=1, max_size=4), min_size=1, max_size=3),
    st.sampled_from(
        ({}, {"scheme": "IO"}, {"outside": "none"}, {"repair": "conll"}, {"scheme": "BMES", "repair": "discard"})
    ),
)
@tries(60)
def test_a_file_and_the_list_in_it_mean_the_same(documents, options):
    sides = [[[pair[k] for pair in document] for document in documents] for k in (0, 1)]
    with TemporaryDirectory() as folder:
        found = {door: outcome(door, sides, folder, **options) for door in ("lists", "rows", "conll", "json")}
    kinds = {name: isinstance(value, str) for name, value in found.items()}
    assert len({*kinds.values()}) == 1, found
    if not kinds["lists"]:
        assert found["lists"] == found["rows"] == found["conll"] == found["json"]


NUMBERED = {
    "whole numbers": [1, 0],
    "floats": [1.0, 0.0],
    "a float array": np.array([1.0, 0.0]),
    "an array of 32 bits": np.array([1, 0], dtype="float32"),
    "texts": ["1", "0"],
    "texts of floats": ["1.0", "0.0"],
}


@pytest.mark.parametrize("tags", NUMBERED.values(), ids=NUMBERED)
def test_numbers_of_tags_are_named_however_a_table_writes_them(tags, tmp_path):
    names = ["O", "B-PER"]
    words = [{"tokens": ["Ada", "met"], "ner_tags": [*tags]}]
    for items in ([tags], [[*tags]], words):
        assert (
            score(items, [["B-PER", "O"]] if items is not words else words, ["strict"], tag_names=names).strict.f == 1
        )
        with pytest.raises(ValueError, match=r"number without a name.*tag_names=|name numbers with tag_names="):
            score(items, items, ["strict"])
    assert agreement({"a": [tags], "b": [[*tags]]}, tag_names=names)["metrics"]["strict"]["f"]["mean"] == 1
    plain = [tag if isinstance(tag, str) else float(tag) for tag in tags]
    lines = write(tmp_path / "a.jsonl", {"tokens": ["Ada", "met"], "ner_tags": plain})
    columns = tmp_path / "a.conll"
    columns.write_text("".join(f"{word}\t{tag}\n" for word, tag in zip(["Ada", "met"], plain)))
    for path in (lines, columns):
        assert score(path, path, ["strict"], tag_names=names).strict.counts["tp"] == 1
        assert "strict F 100.00" in printed("score", path, path, "-m", "strict", "--tag-names", "O,B-PER")
        assert "--tag-names" in refused("score", path, path)
    assert "line 1: the tag 1 has no name; there are 1 names" in error(columns, tag_names=["O"])


def test_numbers_among_which_one_is_no_tag_are_named():
    for tags, said in (([1.0, float("nan")], "tag 1 is nan; expected a tag"), ([1.0, 0.5], "it has scores of tags")):
        with pytest.raises(ValueError, match=said):
            score([tags], [[1, 0]], ["strict"], tag_names=["O", "B-PER"])


UNSEEN = {"P\u200bER": "P\\u200bER", "PER\u00ad": "PER\\xad", "P\u00a0R": "P\\xa0R", "\u2060LOC": "\\u2060LOC"}


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore:labels")
@pytest.mark.parametrize("label, shown", UNSEEN.items())
def test_characters_of_labels_that_nobody_sees_are_marked_wherever_a_person_reads_them(label, shown, tmp_path):
    text = "Ada\u200d met Bob"
    gold = write(tmp_path / "g.jsonl", {"text": text, "spans": [[0, 3, "PER"], [9, 12, "PER"]], "id": "1"})
    pred = write(tmp_path / "p.jsonl", {"text": text, "spans": [[0, 3, "PER"], [9, 12, label]], "id": "1"})
    for arguments in (
        ("score", gold, pred),
        ("score", gold, pred, "--format", "markdown"),
        ("errors", gold, pred),
        ("show", pred),
        ("agreement", gold, pred),
    ):
        said = run(*arguments).output
        assert shown.replace("\\", "\\\\") in said or shown in said, arguments
        assert label not in said, arguments
    for *arguments, option in (("report", gold, pred, "-o"), ("agreement", gold, pred, "--html")):
        printed(*arguments, option, tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text(encoding="utf8")
        assert label not in page and shown in page, arguments
    assert "Ada\u200d met" in run("errors", gold, pred).output, "in texts they stay"
    assert label in json.dumps(score(gold, pred, ["strict"]), ensure_ascii=False), "what programs read stays"
