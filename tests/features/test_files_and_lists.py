"""A file and the list in it give the same result: in every format that is written, and every form that Python takes."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from commands import printed, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval import load, score

PARTS = (
    "Ada",
    "met",
    "e\u0301",
    "😀",
    "👩\u200d💻",
    "#",
    "%",
    "O",
    "B-X",
    "-",
    "a\u00adb",
    "1",
    "مى\u200cرم",
    "<b>",
    "&amp;",
    '"',
    "=1",
)
BLANKS = (" ", "  ", " \u00a0", "\n", "\t")
LABELS = ("PER", "a-b", "E-MAIL", "é", "O_x", "1", "B-PER", "x=y")


@st.composite
def documents(draw, *, flat):
    """Texts of words with white space between them; spans of words, of which some are nested unless they are flat."""
    words = draw(st.lists(st.sampled_from(PARTS), max_size=6))
    text, places = draw(st.sampled_from(["", ""] if flat else ["", " "])), []
    for word in words:
        text += draw(st.sampled_from(BLANKS[:1] if flat else BLANKS)) * bool(places)
        places.append((len(text), len(text) + len(word)))
        text += word
    spans, first = set(), 0
    for _ in range(draw(st.integers(0, 3)) if places else 0):
        low = draw(st.integers(first, len(places))) if flat else draw(st.integers(0, len(places) - 1))
        if low == len(places):
            break
        high = draw(st.integers(low, len(places) - 1))
        spans.add((places[low][0], places[high][1], draw(st.sampled_from(LABELS))))
        first = high + 1
    return {"text": text, "spans": [{"start": a, "end": b, "label": c} for a, b, c in sorted(spans)]}


def corpora(*, flat):
    return st.lists(documents(flat=flat), min_size=1, max_size=3)


FORMATS = {"jsonl": False, "jsonl.gz": False, "parquet": False, "brat": False, "spacy": True, "conll": True}
"""Each format that is written, and whether its spans cannot overlap and its words have one space between them."""


def shown(sides):
    """The spans of each document that has a text, as parts of it; columns put a space between tokens."""
    return [
        sorted(("".join(side.text[a:b].split()), label) for a, b, label in side.spans)
        for side in sides
        if side.text.strip()
    ]


def counts(*sides, **options):
    return score(*sides, ["strict"], **options).strict.counts


@pytest.mark.filterwarnings("ignore")  # of labels that are alike, which is not what is asked here
@pytest.mark.parametrize("ending", FORMATS)
@tries(15)
@given(st.data())
def test_a_file_and_the_list_in_it_give_the_same_result(ending, data):
    gold, pred = (data.draw(corpora(flat=FORMATS[ending])) for _ in range(2))
    if not any(row["text"].strip() for row in gold):
        return
    pred = [row | {"spans": pred[k % len(pred)]["spans"] if k < len(pred) else []} for k, row in enumerate(gold)]
    for row in pred:
        row["spans"] = [span for span in row["spans"] if span["end"] <= len(row["text"])]
    if FORMATS[ending]:  # those of another text may begin within words
        pred = [gold[k] | {"spans": gold[k]["spans"][: data.draw(st.integers(0, 3))]} for k in range(len(gold))]
    with TemporaryDirectory() as folder:
        paths = []
        for name, rows in (("g", gold), ("p", pred)):
            source = write(Path(folder, f"{name}0.jsonl"), *rows)
            path = Path(folder, name) if ending == "brat" else Path(folder, f"{name}.{ending}")
            printed("convert", source, path)
            paths.append(path)
            assert shown(load(path)) == shown(load(source))
        expected = counts(gold, pred)
        assert counts(*map(str, paths)) == expected
        assert counts(*map(load, paths)) == expected
        assert counts(gold, str(paths[1])) == expected == counts(str(paths[0]), pred)
        texts = [row["text"] for row in gold]
        lists = [[row["spans"] for row in rows] for rows in (gold, pred)]
        assert counts(*lists, text=texts) == expected == counts(*lists)
        triples = [[[tuple(span.values()) for span in spans] for spans in side] for side in lists]
        assert counts(*triples, text=texts) == expected == counts(gold, triples[1])
