"""What an argument names is found out once, at the door; and one table says what each kind of it can answer."""

from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
from commands import accepted, line, refused, write

from spacy_nereval.cli.sources import REFUSALS, Gold, Kind, Source, check_answers, questions_of
from spacy_nereval.core.arguments import Reading
from spacy_nereval.io import count_files, formats

ROWS = [line("Ada met Bob", (0, 3, "PER"), (8, 11, "PER"), id="1"), line("in Rome", (3, 7, "LOC"), id="2")]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A folder with gold annotation, two systems, and their counts, with documents and collapsed."""
    monkeypatch.chdir(tmp_path)
    for name, rows in (("gold", ROWS), ("a", ROWS), ("b", [ROWS[0], {**ROWS[1], "spans": []}])):
        write(Path(f"{name}.jsonl"), *rows)
    for name in "ab":
        accepted("count", "gold.jsonl", f"{name}.jsonl", "-m", "strict", "-o", f"{name}.npz")
        collapsed = ("--collapse", "--replicates", "30", "-o", f"c-{name}.npz")
        accepted("count", "gold.jsonl", f"{name}.jsonl", "-m", "strict", *collapsed)
    return tmp_path


def test_the_kind_of_an_argument(here):
    named = {"gold.jsonl": Kind.FILES, "none.spacy": Kind.FILES, "a.npz": Kind.COUNTS, "c-a.npz": Kind.COLLAPSED}
    for name, kind in {**named, "en_core_web_sm": Kind.MODEL, "none": Kind.MODEL}.items():
        assert Source(name).kind is kind
    assert Source("none", Kind.FILES).kind is Kind.FILES and Source("gold.jsonl", Kind.MODEL).kind is Kind.MODEL


QUESTIONS = sorted({*chain.from_iterable(REFUSALS.values())})


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("kind", Kind)
def test_what_a_kind_cannot_answer_is_refused_with_what_was_asked_or_who(kind, question):
    asked = [("--option 1", question)]
    if question not in REFUSALS[kind]:
        check_answers(REFUSALS[kind], asked)
        return
    with pytest.raises(ValueError, match="--option 1|^c.npz is a count file without spans") as caught:
        check_answers(REFUSALS[kind], asked, source="c.npz", kept="seed 1")
    assert "{" not in str(caught.value)


def test_collapsed_counts_answer_nothing_that_counts_do_not_answer():
    assert {*REFUSALS[Kind.COUNTS]} < {*REFUSALS[Kind.COLLAPSED]}


def test_options_ask_questions_of_the_table():
    every = Reading(unit="document", labels="A=B", only=["A"], depth=1)
    asked = questions_of(every, pred="a.jsonl", by=["eLen"], per_document=Path("d.csv"), tables="groups,documents")
    assert len(asked) == 9 and {question for _, question in asked} <= {*QUESTIONS}
    assert questions_of(Reading(), by=[], tables="all") == []


@pytest.fixture
def calls(monkeypatch) -> Counter[str]:
    """How often the format of each file is inferred, and each count file is loaded."""
    number: Counter[str] = Counter()

    def counted(module, name):
        function = getattr(module, name)

        def wrapped(path, *more, **how):
            number[str(path)] += 1
            return function(path, *more, **how)

        monkeypatch.setattr(module, name, wrapped)

    counted(formats, "infer_format")
    counted(count_files, "load")
    return number


@pytest.mark.parametrize("metrics", [(), ("-m", "strict")])
def test_the_format_of_a_file_is_inferred_once(here, calls, metrics):
    accepted("score", "gold.jsonl", "a.jsonl", *metrics)
    assert calls == {"gold.jsonl": 1, "a.jsonl": 1}


def test_gold_annotation_is_asked_once_for_all_systems(here, calls):
    accepted("compare", "gold.jsonl", "a.jsonl", "b.jsonl", "--trials", "9")
    assert calls == {"gold.jsonl": 1, "a.jsonl": 1, "b.jsonl": 1}


def test_a_count_file_is_loaded_once(here, calls):
    accepted("compare", "c-a.npz", "c-b.npz", "--samples", "30")
    assert calls == {"c-a.npz": 1, "c-b.npz": 1}
    calls.clear()
    accepted("score", "c-a.npz", "-C", "--samples", "30")
    assert calls == {"c-a.npz": 1}


def test_a_pattern_keeps_the_format_of_each_file(here):
    Path("parts").mkdir()
    write(Path("parts/1.jsonl"), ROWS[0])
    write(Path("parts/2.ndjson"), ROWS[1])
    documents = [*Gold(Path("parts/*"), Reading()).documents(Source("gold.jsonl"))]
    assert [document.text for document in documents if document] == [row["text"] for row in ROWS]


def test_a_count_file_that_is_not_there_is_no_model(here):
    assert "none.npz does not exist or is not a file" in refused("errors", "gold.jsonl", "none.npz")
