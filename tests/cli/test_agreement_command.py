"""`nereval agreement`: its first screen, its files, and what it refuses."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from annotators import ADA, BY_HAND, EXAMPLES, TEXTS, example, records
from commands import accepted, flat, line, refused, run, tables_in, write
from pages import Parsed

from spacy_nereval import agreement, load
from spacy_nereval.io.shared_documents import label_studio_tasks, prodigy_tasks


@pytest.fixture
def files(tmp_path, monkeypatch) -> list[str]:
    """The files of the three annotators of the example, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        write(tmp_path / f"{name}.jsonl", *records(name))
    return ["a.jsonl", "b.jsonl", "c.jsonl"]


def rule_of_articles(number: int = 25) -> tuple[list[Any], list[Any]]:
    """Two annotators, of whom ann includes the article."""
    ann, ben = [], []
    for k in range(number):
        text = f"the pump {k} leaks near the old seal"
        start = text.index("old")
        ann.append(line(text, (0, 8, "PART"), (start, len(text), "PART"), id=str(k)))
        ben.append(line(text, (4, 8, "PART"), (start + 4 * (k % 5 == 0), len(text), "PART"), id=str(k)))
    return ann, ben


def test_the_first_screen_names_the_rule_in_which_two_differ(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name, rows in zip(("ann", "ben"), rule_of_articles()):
        write(tmp_path / f"{name}.jsonl", *rows)
    printed = accepted("agreement", "ann.jsonl", "ben.jsonl")
    assert all(len(row) <= 80 for row in printed.splitlines())
    first = flat(printed.partition("\n\n")[0])
    assert first.startswith("ann and ben: strict F 40.00 [")
    assert "], alpha 0." in first
    assert (
        "the largest systematic difference: ann includes leading 'the' of PART where ben does not (25 places, 30 with "
        "other words)." in first
    )
    assert "25 documents annotated by two or more, tokens: words between white space, spans: ann 50, ben 50; " in first
    tables = tables_in(printed)
    assert [*tables][:3] == ["Pairs of annotators, strict F", "Differences that repeat", "Per label"]
    assert tables["Pairs of annotators, strict F"] == [["ann", "-", "40.00"], ["ben", "40.00", "-"]]


def test_three_annotators_of_whom_two_lack_a_document(files):
    printed = accepted("agreement", *files)
    assert "a, b and c: strict F 52.59 [" in printed
    assert "(mean of 3 pairs, 33.33 to 80.00), alpha 0.56 [" in flat(printed)
    tables = tables_in(printed)
    assert tables["Pairs of annotators, strict F"] == [
        ["a", "-", "44.44", "80.00", "50.00"],
        ["b", "44.44", "-", "33.33", "40.00"],
        ["c", "80.00", "33.33", "-", "66.67"],
    ]
    assert tables["Per label"][0] == ["LOC", "50.00", "0.83", "4", "8", "50.00"]
    assert tables["Most disputed documents"][0] == ["d1", "3", "8", "16", "50.00", "2", "51.11"]
    assert tables["Most disputed spans (the first 5 of 6)"][0] == [
        "d1",
        "8-11",
        "ORG",
        "Bob",
        "2",
        "a PER; b ORG; c nothing",
    ]
    assert "Only 3 documents, effectively 1.9" in printed


def test_scores_that_are_not_symmetric_are_marked(files):
    printed = accepted("agreement", *files, "-m", "fair", "-t", "pairs,scores,all-scores")
    assert "Pairs of annotators, fair F (mean of both directions)" in printed
    assert "Scores of pairs (* mean of both directions)" in printed
    assert tables_in(printed)["Scores of pairs (* mean of both directions)"][0][0] == "fair *"


def test_the_consensus_is_a_gold_file_with_votes(files):
    done = run("agreement", *files, "--write-consensus", "gold.jsonl")
    assert done.exit_code == 0, done.output
    assert "consensus of 3 documents with 3 spans in gold.jsonl" in done.stderr
    rows = [json.loads(row) for row in Path("gold.jsonl").read_text().splitlines()]
    assert rows[0]["spans"][1] == {"start": 15, "end": 23, "label": "LOC", "votes": 2, "annotators": ["a", "c"]}
    assert rows[2] == {"text": "Bob slept", "id": "d3", "spans": [], "meta": {"annotators": ["b", "c"]}}
    assert [len(record.spans) for record in load("gold.jsonl")] == [2, 1, 0]


def test_units_are_written_for_other_programs(files):
    accepted("agreement", *files, "--units", "units.csv")
    rows = [*csv.reader(Path("units.csv").read_text().splitlines())]
    assert all(float(row[2]) < float(row[3]) for row in rows)  # pygamma-agreement reads these, and takes no header
    assert len(rows) == sum(len(own) for sides in BY_HAND.values() for own in sides.values())
    assert ["b", "PER", str(len(TEXTS["d1"]) + 1 + 11), str(len(TEXTS["d1"]) + 1 + 14), "d2"] in rows


def test_names_and_label_options(files):
    printed = accepted("agreement", *files, "--name", "Ann", "--name", "Ben", "--name", "Cem", "--only", "LOC")
    assert "Ann, Ben and Cem: strict F" in printed
    assert [row[0] for row in tables_in(printed)["Per label"]] == ["LOC"]
    done = run("agreement", *files, "--labels", "PER=PERSON,GPE=LOC", "-t", "labels")
    assert {row[0] for row in tables_in(done.stdout)["Per label"]} == {"LOC", "ORG", "PERSON"}
    assert "GPE to map" in done.stderr
    assert "there is no label 'X'" in refused("agreement", *files, "--only", "X")


def test_annotators_without_ids_are_paired_by_their_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{name: value for name, value in row.items() if name != "id"} for row in records("b")]
    write(tmp_path / "x.jsonl", *rows)
    write(tmp_path / "y.jsonl", *rows[::-1], line("only here"))
    printed = accepted("agreement", "x.jsonl", "y.jsonl")
    assert "x and y: strict F 100.00" in printed
    assert "; no span is disputed." in flat(printed)
    assert "3 documents annotated by two or more, 1 document by one alone left out" in printed


def test_a_rejected_document_is_missing(files):
    rows = [{**row, "answer": "reject"} if row["id"] == "d3" else row for row in records("c")]
    write(Path("c.jsonl"), *rows)
    printed = accepted("agreement", *files)
    assert "2 documents annotated by two or more, 1 document by one alone left out" in printed


def test_one_file_of_prodigy_holds_all_annotators(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{**row, "id": None, "_annotator_id": f"set-{name}"} for name in "abc" for row in records(name)]
    rows[0] |= {"_session_id": "another"}
    write(tmp_path / "all.jsonl", *rows)
    printed = accepted("agreement", "all.jsonl", "-o", "one.json")
    assert "set-a, set-b and set-c: strict F 52.59" in printed
    assert json.loads(Path("one.json").read_text())["units"]["alpha"] == pytest.approx(373 / 670)
    two = accepted("agreement", "all.jsonl", "--annotator", "set-a,set-c")
    assert "set-a and set-c: strict F 80.00" in two
    assert "there is no annotator 'eve'; there are set-a, set-b, set-c" in refused(
        "agreement", "all.jsonl", "--annotator", "set-a,eve"
    )
    assert "names its annotators: leave it out" in refused("agreement", "all.jsonl", "--name", "x")
    write(tmp_path / "one.jsonl", *rows[:2])
    assert "one.jsonl names 'set-a' alone" in refused("agreement", "one.jsonl")


def test_one_file_of_label_studio_holds_all_annotators(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tasks = []
    for number, (id, sides) in enumerate(BY_HAND.items()):
        said = [
            {
                "completed_by": {"email": f"{name}@x.org"},
                "result": [
                    {"type": "labels", "value": {"start": a, "end": b, "text": TEXTS[id][a:b], "labels": [label]}}
                    for a, b, label in spans
                ],
            }
            for name, spans in sides.items()
        ]
        tasks.append({"id": number, "data": {"text": TEXTS[id]}, "annotations": said})
    Path("tasks.json").write_text(json.dumps(tasks))
    printed = accepted("agreement", "tasks.json")
    assert "a@x.org, b@x.org and c@x.org: strict F 52.59" in flat(printed)


def brat(folder: Path, text: str, *spans: tuple[int, int, str], name: str = "a") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text(text)
    rows = [f"T{k}\t{label} {start} {end}\t{text[start:end]}\n" for k, (start, end, label) in enumerate(spans)]
    (folder / f"{name}.ann").write_text("".join(rows))


def test_a_project_has_a_folder_for_each_annotator_and_a_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, spans in {"ann": [ADA], "ben": [ADA], "cleo": []}.items():
        for id in ("a", "b"):
            brat(Path("project", name), "Ada met Bob", *spans, name=id)
    Path("project", "README.md").write_text("# Our project\n")
    Path("project", "README.txt").write_text("Ada B-PER\nsleeps O\n")
    Path("project", "guideline").mkdir()
    Path("project", "guideline", "guideline.md").write_text("Mark everything.\n")
    given = [str(Path("project", name)) for name in ("ann", "ben", "cleo")]
    assert accepted("agreement", "project") == accepted("agreement", *given)
    assert "ann and ben: strict F 100.00" in accepted("agreement", "project", "--annotator", "ann,ben")
    assert "project: there is no annotator 'dan'; there are ann, ben, cleo" in flat(
        refused("agreement", "project", "--annotator", "ann,dan")
    )
    assert "agreement needs two annotators or more; given: ann" in flat(
        refused("agreement", "project", "--annotator", "ann")
    )


def test_a_folder_may_have_a_file_for_each_annotator(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("files").mkdir()
    for name, spans in {"ann": [ADA], "ben": [ADA], "cleo": []}.items():
        write(Path("files", f"{name}.jsonl"), *(line(f"Ada met Bob {k}", *spans, id=f"d{k}") for k in range(3)))
    Path("files", "README.md").write_text("# Our files\n")
    given = [str(Path("files", f"{name}.jsonl")) for name in ("ann", "ben", "cleo")]
    assert accepted("agreement", "files") == accepted("agreement", *given)
    write(Path("files", "ann.ndjson"), line("Ada met Bob 0", ADA, id="d0"))
    assert "files has two files of 'ann'" in flat(refused("agreement", "files"))


def test_documents_of_one_annotator_are_no_annotators(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for id in ("a", "b"):
        brat(Path("own"), "Ada met Bob", ADA, name=id)
        brat(Path("own", "more"), "Ada met Bob", ADA, name=id)
        brat(Path("own", "rest"), "Ada met Bob", ADA, name=id)
    assert "own names no annotators: expected a file for each annotator" in flat(refused("agreement", "own"))


def tsv(path: Path, *words: str, layer: str = "NamedEntity|value") -> None:
    """A document of WebAnno with a label for each word, or "_"; all but the last feature are empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, at, empty = [], 0, "*\t" * (layer.count("|") - 1)
    for k, word in enumerate(words, 1):
        text, _, label = word.partition("/")
        cells = f"{empty}{label}" if label else f"{empty.replace('*', '_')}_"
        rows.append(f"1-{k}\t{at}-{at + len(text)}\t{text}\t{cells}\t\n")
        at += len(text) + 1
    text = " ".join(word.partition("/")[0] for word in words)
    path.write_text(f"#FORMAT=WebAnno TSV 3.3\n#T_SP={layer}\n\n#Text={text}\n{''.join(rows)}")


ANN, BEN = ("Ada/PER", "met", "Bob/PER"), ("Ada/PER", "met", "Bob")
LAYOUTS: dict[str, tuple[dict[str, tuple[str, ...]], str, list[str]]] = {
    "an export": ({"a.txt/ann.tsv": ANN, "a.txt/ben.tsv": BEN}, "value", []),
    "an exported project": (
        {"annotation/a.txt/ann.tsv": ANN, "annotation/a.txt/ben.tsv": BEN, "curation/a.txt/CURATION_USER.tsv": ANN},
        "value",
        [],
    ),
    "a folder for each annotator": ({"ann/a.tsv": ANN, "ben/a.tsv": BEN}, "value", []),
    "features of their own": ({"ann/a.tsv": ANN, "ben/a.tsv": BEN}, "Notes|label", ["--column", "label"]),
    "an export of each annotator": ({"ann/a.txt/ann.tsv": ANN, "ben/a.txt/ben.tsv": BEN}, "value", []),
}


@pytest.mark.parametrize("case", LAYOUTS)
def test_layouts_of_inception(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files, features, options = LAYOUTS[case]
    for name, words in files.items():
        tsv(Path("root", name), *words, layer=f"custom.Span|{features}")
    printed = accepted("agreement", "root", *options, "-t", "pairs", "-o", "result.json")
    assert flat(printed).startswith("ann and ben: strict F 66.67")
    found = json.loads(Path("result.json").read_text())
    assert (found["documents"], found["single"], found["spans"]) == (1, 0, {"ann": 2, "ben": 1})


@pytest.mark.parametrize("ending", ["/a.tsv", ".jsonl"])
def test_parts_of_a_corpus_are_no_annotators(ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for part in ("dev", "train"):
        path = Path("root", part + ending)
        tsv(path, *ANN)
        if ending == ".jsonl":
            write(path, line("Ada", ADA))
    said = flat(refused("agreement", "root"))
    assert "root has the parts dev, train of a corpus, which are no annotators: expected a folder or a file" in said


def test_spacy_files_and_their_span_groups(tmp_path, monkeypatch):
    from docs import doc, write_docs

    monkeypatch.chdir(tmp_path)
    for name, end in (("x", 1), ("y", 2)):
        found = doc("Ada Lovelace met Bob", (0, end, "PER"))
        found.spans["sc"] = [*found.ents]
        write_docs(tmp_path / f"{name}.spacy", [found])
    for options in ((), ("-sk", "sc")):
        printed = accepted("agreement", "x.spacy", "y.spacy", *options, "-m", "strict,relaxed", "-t", "scores")
        assert [row[1] for row in tables_in(printed)["Scores of pairs"]][:2] == ["0.00", "100.00"]


def test_sentences_of_conll_files_are_resampled_in_blocks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, wrong in (("x", 4), ("y", 5)):
        rows = ["Ada B-PER" if k % wrong else "Ada O" for k in range(60)]
        Path(f"{name}.conll").write_text("\n\n".join(f"{row}\nmet O\nnumber{k} O" for k, row in enumerate(rows)) + "\n")
    printed = accepted("agreement", "x.conll", "y.conll", "-C", "-o", "result.json")
    saved = json.loads(Path("result.json").read_text())
    assert (saved["confidence"]["unit"], saved["confidence"]["units"]) == ("block:auto", 20)
    assert "blocks of consecutive sentences are resampled: 1/20 of a CoNLL file each, at most 20 sentences." in flat(
        printed
    )
    assert "--unit" not in printed
    shared = sum(bool(k % 4) and bool(k % 5) for k in range(60))
    of_one, of_other = (sum(bool(k % wrong) for k in range(60)) for wrong in (4, 5))
    assert saved["metrics"]["strict"]["f"]["mean"] == pytest.approx(2 * shared / (of_one + of_other))


SHIPPED = [EXAMPLES / f"{name}.jsonl" for name in ("ann", "ben", "cleo")]


def test_the_page_has_intervals_of_the_main_numbers_without_being_asked(tmp_path):
    run("agreement", *SHIPPED[:2], "--metrics", "strict", "--html", tmp_path / "page.html")
    text = Parsed((tmp_path / "page.html").read_text(encoding="utf8")).text
    assert re.search(r"ann and ben: strict F 77.15 \[[\d.]+, [\d.]+\], alpha 0.85 \[[\d.]+, [\d.]+\] on tokens\.", text)


def test_the_ending_chooses_the_format_of_the_disputes_which_the_command_reads(tmp_path):
    for path in (tmp_path / "tasks.jsonl", tmp_path / "tasks.json"):
        result = run("agreement", *SHIPPED, "--metrics", "strict", "--disputes", path)
        assert "45 disputed documents in" in flat(result.stderr)
    rows = [json.loads(row) for row in (tmp_path / "tasks.jsonl").read_text(encoding="utf8").splitlines()]
    assert rows == [*prodigy_tasks(example())]
    assert json.loads((tmp_path / "tasks.json").read_text(encoding="utf8")) == [*label_studio_tasks(example())]
    printed = accepted("agreement", tmp_path / "tasks.json", "--metrics", "strict")
    assert flat(printed).startswith("ann, ben and cleo: strict F")


LEAK = "The left door, it leaks."
TOKENS = {"whitespace": 5, "spacy-en": 7, "annotation": 2}


@pytest.mark.parametrize("kind", TOKENS)
def test_metrics_and_alpha_have_the_same_tokens(kind, tmp_path, monkeypatch):
    """Alpha's and the metric's; those of the annotators if they agree about them, else one rule that is named."""
    monkeypatch.chdir(tmp_path)
    tokens = {"tokens": [{"start": 0, "end": 13}, {"start": 13, "end": 24}]}
    for name, start in (("ann", 4), ("ben", 9)):
        row = line(LEAK, (start, 13, "PART"), id="a") | (tokens if kind == "annotation" else {})
        write(Path(f"{name}.jsonl"), row)
    language = ["--tokenizer", "en"] if kind == "spacy-en" else []
    printed = accepted(
        "agreement", "ann.jsonl", "ben.jsonl", "-m", "token", *language, "-o", "result.json", "-t", "alpha"
    )
    found = json.loads(Path("result.json").read_text())
    assert found["units"]["n"] == found["pairs"][0]["metrics"]["token"]["counts"]["tokens"] == TOKENS[kind]
    assert found["tokens"] == {kind: 1} and f"tokens:{kind}|" in found["signature"]
    said = {"whitespace": "tokens: words between white space,", "spacy-en": "tokens: those of spaCy for en,"}
    assert said.get(kind, "or more, spans") in printed
    python = agreement(
        {name: load(f"{name}.jsonl") for name in ("ann", "ben")}, "token", tokenizer="en" if language else None
    )
    assert python == found
    if kind == "annotation":  # if others have none, or others, they are nobody's
        write(Path("ben.jsonl"), line(LEAK, (9, 13, "PART"), id="a"))
        accepted("agreement", "ann.jsonl", "ben.jsonl", "-m", "token", "-o", "result.json")
        assert json.loads(Path("result.json").read_text())["tokens"] == {"whitespace": 1}


def test_made_up_tokens_are_not_part_of_the_consensus_and_a_language_has_to_exist(files):
    run("agreement", *files, "--write-consensus", "gold.jsonl")
    assert "tokens" not in Path("gold.jsonl").read_text()
    assert "--tokenizer qq:" in refused("agreement", *files, "--tokenizer", "qq")
    assert "token is left out" not in run("agreement", *files, "-m", "cited").output
