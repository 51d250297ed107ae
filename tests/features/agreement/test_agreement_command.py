"""Agreement: the first screen, files and folders of annotators, and the same in Python, files, pages and frames."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import samples
from annotators import ADA, BY_HAND, EXAMPLES, TEXTS, example, records
from commands import Row, accepted, flat, line, printed, refused, run, tables_in, write
from docs import doc, write_docs
from pages import Parsed
from products import mostly_at_night

from spacy_nereval import Confidence, agreement, load
from spacy_nereval.features.agreement.adjudication import label_studio_tasks, prodigy_tasks
from spacy_nereval.features.agreement.habits import difference_sentence

FILES = ("a.jsonl", "b.jsonl", "c.jsonl")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> None:
    """The files of the three annotators of the example, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        write(Path(f"{name}.jsonl"), *records(name))


def told(*arguments: Any) -> str:
    """What a command printed, without line ends."""
    return flat(accepted("agreement", *arguments))


def test_the_first_screen_names_the_rule_in_which_two_differ(monkeypatch):
    """Ann includes the article, and Ben hardly ever does."""
    monkeypatch.setenv("COLUMNS", "80")
    ann, ben = [], []
    for k in range(25):
        text = f"the pump {k} leaks near the old seal"
        start = text.index("old")
        ann.append(line(text, (0, 8, "PART"), (start, len(text), "PART"), id=str(k)))
        ben.append(line(text, (4, 8, "PART"), (start + 4 * (k % 5 == 0), len(text), "PART"), id=str(k)))
    printed = accepted("agreement", write(Path("ann.jsonl"), *ann), write(Path("ben.jsonl"), *ben))
    assert all(len(row) <= 80 for row in printed.splitlines())
    first = flat(printed.partition("\n\n")[0])
    assert first.startswith("ann and ben: strict F 40.00 [") and "], alpha 0." in first
    for said in (
        "the largest systematic difference: ann includes leading 'the' of PART where ben does not (25 places, 30 with "
        "other words).",
        "25 documents annotated by two or more, tokens: words between white space, spans: ann 50, ben 50; ",
    ):
        assert said in first
    assert [*tables_in(printed)][:3] == ["Pairs of annotators, strict F", "Differences that repeat", "Per label"]


def test_three_annotators_of_whom_two_lack_a_document():
    printed = accepted("agreement", *FILES)
    assert "a, b and c: strict F 52.59 [" in printed
    assert "(mean of 3 pairs, 33.33 to 80.00), alpha 0.56 [" in flat(printed)
    tables = tables_in(printed)
    assert tables["Pairs of annotators, strict F"][0] == ["a", "-", "44.44", "80.00", "50.00"]
    assert tables["Per label"][0] == ["LOC", "50.00", "0.83", "4", "8", "50.00"]
    assert tables["Most disputed documents"][0] == ["d1", "3", "8", "16", "50.00", "2", "51.11"]
    (first, *_) = tables["Most disputed spans (the first 5 of 6)"]
    assert first == ["d1", "8-11", "ORG", "Bob", "2", "a PER; b ORG; c nothing"]
    assert "Only 3 documents, effectively 1.9" in printed


def test_names_labels_and_metrics_without_tokens():
    printed = accepted("agreement", *FILES, "--name", "Ann", "--name", "Ben", "--name", "Cem", "--only", "LOC")
    assert "Ann, Ben and Cem: strict F" in printed
    assert [row[0] for row in tables_in(printed)["Per label"]] == ["LOC"]
    done = run("agreement", *FILES, "--labels", "PER=PERSON,GPE=LOC", "-t", "labels")
    assert {row[0] for row in tables_in(done.stdout)["Per label"]} == {"LOC", "ORG", "PERSON"}
    assert "GPE to map" in done.stderr
    assert "token is excluded" not in run("agreement", *FILES, "-m", "cited").output


def test_annotators_without_ids_are_paired_by_their_texts():
    rows = [{**row, "id": None} for row in records("b")]
    printed = told(write(Path("x.jsonl"), *rows), write(Path("y.jsonl"), *rows[::-1], line("only here")))
    assert "x and y: strict F 100.00" in printed and "; no span is disputed." in printed
    assert "3 documents annotated by two or more, 1 document annotated by one only excluded" in printed


def test_a_rejected_document_is_missing():
    write(Path("c.jsonl"), *({**row, "answer": "reject"} if row["id"] == "d3" else row for row in records("c")))
    assert "2 documents annotated by two or more, 1 document annotated by one only excluded" in told(*FILES)


# Files and folders that hold the annotation of several people


def test_one_file_of_prodigy_holds_all_annotators():
    rows = [{**row, "id": None, "_annotator_id": f"set-{name}"} for name in "abc" for row in records(name)]
    rows[0] |= {"_session_id": "another"}
    write(Path("all.jsonl"), *rows)
    assert "set-a, set-b and set-c: strict F 52.59" in told("all.jsonl", "-o", "one.json")
    assert json.loads(Path("one.json").read_text())["units"]["alpha"] == pytest.approx(373 / 670)
    assert "set-a and set-c: strict F 80.00" in told("all.jsonl", "--annotator", "set-a,set-c")
    write(Path("one.jsonl"), *rows[:2])
    for arguments, said in {
        ("all.jsonl", "--annotator", "set-a,eve"): "there is no annotator 'eve'; there are set-a, set-b, set-c",
        ("all.jsonl", "--name", "x"): "names its annotators: expected --name OLD=NEW, as in --name 1=ann",
        ("all.jsonl", "--name", "x=y"): "--name x: there is no annotator 'x'",
        ("one.jsonl",): "one.jsonl names 'set-a' alone",
    }.items():
        assert said in refused("agreement", *arguments)


def test_one_file_of_label_studio_holds_all_annotators():
    tasks = []
    for number, (id, sides) in enumerate(BY_HAND.items()):
        people = {f"{name}@x.org": [samples.region(*span) for span in spans] for name, spans in sides.items()}
        annotations = (samples.said({"email": who}, *own) for who, own in people.items())
        tasks.append(samples.task(*annotations, id=number, text=TEXTS[id]))
    Path("tasks.json").write_text(json.dumps(tasks))
    assert "a@x.org, b@x.org and c@x.org: strict F 52.59" in told("tasks.json")


def brat(folder: str, *spans: tuple[int, int, str], names: str = "ab") -> None:
    """Documents of one text."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in names:
        rows = [f"T{k}\t{label} {a} {b}\t{'Ada met Bob'[a:b]}\n" for k, (a, b, label) in enumerate(spans)]
        Path(folder, f"{name}.txt").write_text("Ada met Bob")
        Path(folder, f"{name}.ann").write_text("".join(rows))


def test_a_project_has_a_folder_for_each_annotator_and_a_readme():
    people = {"ann": [ADA], "ben": [ADA], "cleo": []}
    for name, spans in people.items():
        brat(f"project/{name}", *spans)
    for name, text in {"README.md": "# Ours\n", "README.txt": "Ada B-PER\nsleeps O\n", "guide/x.md": "Mark!"}.items():
        Path("project", name).parent.mkdir(exist_ok=True)
        Path("project", name).write_text(text)
    assert told("project") == told(*(f"project/{name}" for name in people))
    assert "ann and ben: strict F 100.00" in told("project", "--annotator", "ann,ben")
    for names, said in {
        "ann,anne": "project: there is no annotator 'anne': did you mean 'ann'? There are ann, ben, cleo",
        "ann": "agreement needs two annotators or more; given: ann",
    }.items():
        assert said in refused("agreement", "project", "--annotator", names)


def test_a_folder_may_have_a_file_for_each_annotator():
    Path("files").mkdir()
    people = {"ann": [ADA], "ben": [ADA], "cleo": []}
    for name, spans in people.items():
        write(Path("files", f"{name}.jsonl"), *(line(f"Ada met Bob {k}", *spans, id=f"d{k}") for k in range(3)))
    Path("files", "README.md").write_text("# Our files\n")
    assert told("files") == told(*(f"files/{name}.jsonl" for name in people))
    write(Path("files", "ann.ndjson"), line("Ada met Bob 0", ADA, id="d0"))
    assert "files has two files of 'ann'" in refused("agreement", "files")


def test_documents_of_one_annotator_are_no_annotators():
    for folder in ("own", "own/more", "own/rest"):
        brat(folder, ADA)
    assert "own names no annotators: expected a file for each annotator" in refused("agreement", "own")


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
CURATED = "curation/a.txt/CURATION_USER"
LAYOUTS: dict[str, tuple[tuple[str, ...], str, list[str]]] = {
    "an export": (("a.txt/ann", "a.txt/ben"), "value", []),
    "an exported project": (("annotation/a.txt/ann", "annotation/a.txt/ben", CURATED), "value", []),
    "a folder for each annotator": (("ann/a", "ben/a"), "value", []),
    "features of their own": (("ann/a", "ben/a"), "Notes|label", ["--column", "label"]),
    "an export of each annotator": (("ann/a.txt/ann", "ben/a.txt/ben"), "value", []),
}
"""The files of Ann, of Ben and of others, the features of the layer, and options."""


@pytest.mark.parametrize(("names", "features", "options"), LAYOUTS.values(), ids=LAYOUTS)
def test_layouts_of_inception(names, features, options):
    for name, words in zip(names, (ANN, BEN, ANN)):
        tsv(Path("root", f"{name}.tsv"), *words, layer=f"custom.Span|{features}")
    assert told("root", *options, "-t", "pairs", "-o", "result.json").startswith("ann and ben: strict F 66.67")
    found = json.loads(Path("result.json").read_text())
    assert (found["documents"], found["single"], found["spans"]) == (1, 0, {"ann": 2, "ben": 1})


@pytest.mark.parametrize("ending", ["/a.tsv", ".jsonl"])
def test_parts_of_a_corpus_are_no_annotators(ending):
    for part in ("dev", "train"):
        path = Path("root", part + ending)
        tsv(path, *ANN)
        if ending == ".jsonl":
            write(path, line("Ada", ADA))
    said = "root has the parts dev, train of a corpus, which are no annotators: expected a folder or a file"
    assert said in refused("agreement", "root")


def test_spacy_files_and_their_span_groups():
    for name, end in (("x", 1), ("y", 2)):
        found = doc("Ada Lovelace met Bob", (0, end, "PER"))
        found.spans["sc"] = [*found.ents]
        write_docs(Path(f"{name}.spacy"), [found])
    for options in ((), ("-sk", "sc")):
        printed = accepted("agreement", "x.spacy", "y.spacy", *options, "-m", "strict,relaxed", "-t", "scores")
        assert [row[1] for row in tables_in(printed)["Scores of pairs"]][:2] == ["0.00", "100.00"]


# Intervals, pages, disputes and tokens


def test_sentences_of_conll_files_are_resampled_in_blocks():
    for name, wrong in (("x", 4), ("y", 5)):
        rows = ["Ada B-PER" if k % wrong else "Ada O" for k in range(60)]
        Path(f"{name}.conll").write_text("\n\n".join(f"{row}\nmet O\nnumber{k} O" for k, row in enumerate(rows)) + "\n")
    printed = told("x.conll", "y.conll", "-C", "-o", "result.json")
    saved = json.loads(Path("result.json").read_text())
    assert (saved["confidence"]["unit"], saved["confidence"]["units"]) == ("block:auto", 20)
    said = "blocks of consecutive sentences are resampled: 1/20 of a CoNLL file each, at most 20 sentences."
    assert said in printed and "--unit" not in printed


SHIPPED = [EXAMPLES / f"{name}.jsonl" for name in ("ann", "ben", "cleo")]


def test_the_page_has_intervals_of_the_main_numbers_without_being_asked():
    run("agreement", *SHIPPED[:2], "--metrics", "strict", "--html", "page.html")
    text = Parsed(Path("page.html").read_text(encoding="utf8")).text
    assert re.search(r"ann and ben: strict F 77.15 \[[\d.]+, [\d.]+\], alpha 0.85 \[[\d.]+, [\d.]+\] on tokens\.", text)


def test_the_ending_chooses_the_format_of_the_disputes_which_the_command_reads():
    for path in ("tasks.jsonl", "tasks.json"):
        result = run("agreement", *SHIPPED, "--metrics", "strict", "--disputes", path)
        assert "45 disputed documents in" in flat(result.stderr)
    rows = [json.loads(row) for row in Path("tasks.jsonl").read_text(encoding="utf8").splitlines()]
    assert rows == [*prodigy_tasks(example())]
    assert json.loads(Path("tasks.json").read_text(encoding="utf8")) == [*label_studio_tasks(example())]
    assert told("tasks.json", "--metrics", "strict").startswith("ann, ben and cleo: strict F")


TOKENS = {"whitespace": 5, "spacy-en": 7, "annotation": 2}
SAID = {"whitespace": "tokens: words between white space,", "spacy-en": "tokens: those of spaCy for en,"}


@pytest.mark.parametrize("kind", TOKENS)
def test_metrics_and_alpha_have_the_same_tokens(kind):
    """Alpha's and the metric's; those of the annotators if they agree about them, else one rule that is named."""
    own = {"tokens": [{"start": 0, "end": 13}, {"start": 13, "end": 24}]} if kind == "annotation" else {}
    ann, ben = (line("The left door, it leaks.", (start, 13, "PART"), id="a") for start in (4, 9))
    files = write(Path("ann.jsonl"), ann | own), write(Path("ben.jsonl"), ben | own)
    language = {"tokenizer": "en"} if kind == "spacy-en" else {}
    options = [part for name, value in language.items() for part in (f"--{name}", value)]
    printed = told(*files, "-m", "token", *options, "-o", "result.json", "-t", "alpha")
    found = json.loads(Path("result.json").read_text())
    assert found["units"]["n"] == found["pairs"][0]["metrics"]["token"]["counts"]["tokens"] == TOKENS[kind]
    assert found["tokens"] == {kind: 1} and f"tokens:{kind}|" in found["signature"]
    assert SAID.get(kind, "or more, spans") in printed
    assert agreement({path.stem: load(path) for path in files}, "token", **language) == found
    if own:  # if others have none, or others, they are nobody's
        accepted("agreement", files[0], write(files[1], ben), "-m", "token", "-o", "result.json")
        assert json.loads(Path("result.json").read_text())["tokens"] == {"whitespace": 1}


# Every door says the same

LEAKS = [f"the pump {k} and the left door of car {k} leak oil" for k in range(12)]
TABLES = ["pairs", "differences", "same-words", "labels", "label-spans", "annotators", "documents", "spans"]
TABLES += ["scores", "pair-scores", "per-document", "alpha", "without", "all-scores"]

MORE = "; more: --tables all, --html page.html"

Sides = Mapping[str, Sequence[Any]]


def spans_of(name: str, text: str, k: int, *, nested: bool = False) -> list[tuple[int, int, str]]:
    """Ann and cleo include articles, dan names doors otherwise, ben has slips and blanks at the ends of spans."""
    pump, door, oil = text.index("pump"), text.index("left"), text.index("oil")
    found = [(pump - 4 * (name in "anncleo"), pump + 4 + (name == "ben" and k > 1), "PART")]
    found.append((door, door + 9, "PLACE" if name == "dan" else "PART"))
    found += [(oil, oil + 3, "FLUID")] * ((k + len(name)) % 3 > 0)
    return found + [(door, door + 4, "SIDE"), (door + 5, door + 9, "DOOR")] * (nested and (name != "ann" or k % 2))


def sides(*names: str, nested: bool = False, missing: bool = False) -> Sides:
    return {
        name: [
            line(text, *spans_of(name, text, k, nested=nested), id=f"d{k}")
            for k, text in enumerate(LEAKS)
            if not missing or name == names[0] or (k + place) % 3
        ]
        for place, name in enumerate(names)
    }


def merged() -> Sides:
    """Ann marks one long span where the others mark several."""
    text, several = "the left door leaks oil", [(4, 8, "SIDE"), (9, 13, "PART")]
    return {
        name: [line(f"{text} {k}", *([(4, 13, "PART")] if name == "ann" else several), id=f"d{k}") for k in range(12)]
        for name in ("ann", "ben", "cleo")
    }


CASES = {
    "two": sides("ann", "ben"),
    "four": sides("ann", "ben", "cleo", "dan"),
    "nested": sides("ann", "ben", "dan", nested=True),
    "missing": sides("ann", "ben", "cleo", missing=True),
    "merged": merged(),
    "blanks": {"ann": [line("Ada left", (0, 3, "A"), id=str(k)) for k in range(12)],
               "ben": [line("Ada left", (0, 4, "A"), id=str(k)) for k in range(12)]},
    "equal": {"ann": sides("ann")["ann"], "ben": sides("ann")["ann"]},
}  # fmt: skip


class Doors:
    """What each door gives of the same annotations, with intervals and the metrics strict, fair and slot_error."""

    def __init__(self, folder: Path, given: Sides) -> None:
        for name, rows in given.items():
            write(folder / f"{name}.jsonl", *rows)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            self.printed = self._run(given, "-o", "result.json", "--html", "page.html", "-t", "all")
            self.first_screen = self._run(given)
            self.rows = json.loads(self._run(given, "-t", "all", "-f", "json"))
            self.markdown = self._run(given, "-t", "all", "-f", "markdown")
            self.found = agreement(
                {name: load(f"{name}.jsonl") for name in given},
                ["strict", "fair", "slot_error"],
                confidence=Confidence(),
            )
            self.found.save("saved.md")
            self.saved = Path("saved.md").read_text()
            self.json = json.loads(Path("result.json").read_text())
            self.page = Parsed(Path("page.html").read_text(encoding="utf8"))

    @staticmethod
    def _run(given: Sides, *options: str) -> str:
        files = (f"{name}.jsonl" for name in given)
        return printed("agreement", *files, "-m", "strict,fair,slot_error", "-C", *options)


@pytest.fixture(scope="module", params=mostly_at_night(CASES, by_day=["missing", "merged"]))
def doors(request, tmp_path_factory) -> Doors:
    return Doors(tmp_path_factory.mktemp(request.param), CASES[request.param])


def without_notices(text: str) -> str:
    """A text without what commands write to standard error: notices of the edges of made-up spans."""
    return re.sub(r"⚠ (White space at the edges of|\d+ of \d+ spans of \w+ end one character)[^\n]*\n+", "", text)


def test_the_command_and_python_have_one_result_and_the_same_lines_and_tables(doors):
    assert doors.found == doors.json
    assert without_notices(doors.saved).split("\n\n") == doors.markdown.split("\n\n")
    assert flat(without_notices(str(doors.found))) == flat(doors.first_screen.replace(MORE, ""))


def test_frames_have_the_rows_of_the_tables_and_ratios_from_0_to_1(doors):
    titles = iter(doors.rows.values())
    for name in TABLES:
        frame, rows = doors.found.to_frame(name), next(titles)
        assert len(frame) == len(rows), name
        if rows:
            assert {*frame.columns} <= {*rows[0]}
    assert doors.found.to_frame("labels")["share"].between(0, 1).all()
    pair = doors.json["pairs"][0]
    value = doors.found.to_frame("pairs").set_index("annotator").loc[pair["a"], pair["b"]]
    assert value == pair["metrics"]["strict"]["scores"]["f"]


def test_every_row_and_sentence_of_the_page_is_a_row_or_sentence_of_the_terminal(doors):
    view, printed, sections = doors.found._view(), flat(doors.printed), doors.page.text.casefold()
    known = {tuple(row) for table in view.tables(TABLES) for row in table._replace(most=None).grid()}
    table = {tuple(flat(cell) for cell in row) for row in doors.page.rows}
    heat = {row for row in table if row[0] == "" or row[0][0] in "●■◆▲✚"}
    assert table - heat <= known
    assert all(cell in {"·", "-", *sum(known, ())} for row in heat for cell in row[1:])
    for row in {row for table in view.tables(TABLES) for row in map(tuple, table.grid()[1:])}:
        assert all(flat(cell) in printed for cell in row)
    lines = doors.first_screen.split("\n\n")[0].replace(MORE, "").splitlines()
    for part in (part for each in lines for part in each.rstrip(".").split("; ")):
        assert flat(part).casefold() in sections
    for finding in view.findings():
        assert finding.sentence.casefold() in sections


def test_the_page_lists_the_differences_of_the_result_and_the_headline_is_the_first_clear_one(doors):
    rows = [*doors.json["differences"], *doors.json["same_words"]]
    listed = re.findall(r"(\d+)× ", doors.page.text)
    assert listed == [str(row["number"]) for row in rows]
    table = [
        row["places"]
        for name in ("Differences that repeat", "Differences in the same words")
        for row in doors.rows.get(name, [])
    ]
    assert table == [row["number"] for row in rows]
    groups = doors.page.data["groups"]
    for row, group in zip(rows, groups, strict=True):
        places = [[*place] for place in zip(group["members"][::2], group["members"][1::2])]
        texts = doors.page.data["documents"]
        assert {texts[document]["id"] for document, _ in places} == {place["document"] for place in row["places"]}
        assert row["documents"] == len({place["document"] for place in row["places"]})
    clear = [row for row in doors.json["differences"] if row["clear"]]
    first = flat(doors.first_screen.split("\n\n")[0])
    assert ("the largest systematic difference" in first) == bool(clear)
    if clear:
        assert f"{clear[0]['number']} places" in first or f"{clear[0]['number']} with other words" in first
        assert all(name in first.partition("difference:")[2] for name in clear[0]["one"])
    for row in clear[1:3]:
        assert f"Next: {flat(difference_sentence(row))}." in first


USUAL = {"left": "SIDE", "door": "PART", "car": "CAR", "oil": "FLUID"}


def habits(name: str, place: int) -> list[Row]:
    """Max merges, maria adds 'of', peter has a label of his own."""
    rows = []
    for k in range(24):
        text = f"the left door of car {k} leaks oil"
        spans = [(text.index(word), text.index(word) + len(word), label) for word, label in USUAL.items()]
        if name == "max":
            spans[:2] = [(4, 13, "PART")]
        if name == "maria":
            spans[2] = (14, 20, "CAR")
        if name == "peter":
            spans[3] = (*spans[3][:2], "LIQUID")
        if (k + place) % 6 == 0:  # a slip
            del spans[-1 - k % 2]
        rows.append(line(text, *spans))
    return rows


def test_one_command_on_a_project_names_its_habits_a_rule_for_each_and_the_places_to_discuss():
    Path("project").mkdir()
    for place, name in enumerate(("lisa", "maria", "max", "peter")):
        write(Path("project", f"{name}.jsonl"), *habits(name, place))
    first = flat(printed("agreement", "project", "-o", "result.json", "--html", "page.html"))
    page = Parsed(Path("page.html").read_text(encoding="utf8")).text
    said = [
        "max marks one PART where lisa, maria and peter mark several spans: 'left door' (24 places)",
        "maria includes leading 'of' of CAR where lisa, max and peter do not (20 places)",
        "peter says LIQUID where lisa, maria and max say FLUID: 'oil' (24 places)",
        "as lisa, maria and peter do, mark several spans, not one, for 'left door'.",
        "as lisa, max and peter do, leave leading 'of' out of CAR.",
        "as lisa, maria and max do, mark 'oil' as FLUID, not LIQUID.",
        "Without one annotator, strict F is ",
    ]
    for each in said:
        assert each in first, each
        assert each.rstrip(".") in flat(page), each
    assert "Most disputed documents" in first
    result = json.loads(Path("result.json").read_text())
    folders = {name: Path("project", f"{name}.jsonl") for name in result["annotators"]}
    for given in ("project", Path("project"), folders):
        assert agreement(given) == result
    assert [row["number"] for row in result["differences"][:3]] == [24, 24, 20]


def test_a_folder_of_other_files_is_not_searched_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_nereval.io.formats.MOST_SEARCHED", 2)
    gold = write(tmp_path / "g.jsonl", line("Ada", (0, 3, "PER")))
    for number in range(3):
        (tmp_path / "disk" / f"{number}").mkdir(parents=True)
        (tmp_path / "disk" / f"{number}" / "a.so").write_text("")
    assert "give the folder of the annotation alone" in flat(refused("agreement", tmp_path / "disk", gold))


def test_a_folder_of_annotators_may_have_one_whose_name_is_annotation(tmp_path):
    folder = tmp_path / "people"
    for name in ("annotation", "ben"):
        (folder / name).mkdir(parents=True)
        (folder / name / "d.txt").write_text("Ada")
        (folder / name / "d.ann").write_text("T1\tPER 0 3\tAda\n")
    printed("agreement", folder, "-m", "strict", "-o", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["annotators"] == ["annotation", "ben"]
