"""How files are read, on the command line: --labels, --only, --depth and --sep, mentions without offsets, --unit."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import Row, accepted, flat, line, printed, refused, run, write
from docs import doc, write_docs

from spacy_nereval.io.count_files import load

pytestmark = pytest.mark.costly

TEXT = "Ada met Bob in New York at MIT . 1234567890"
ADA, BOB = (0, 3, "PERSON"), (8, 11, "PERSON")
GOLD = line(TEXT, ADA, BOB, (15, 23, "GPE"), (30, 34, "ORG"), (30, 34, "FAC"))
PRED = line(TEXT, (0, 3, "PER"), (8, 11, "per"), (15, 23, "LOC"), (30, 34, "ORG"), (40, 43, "MISC"))
NAMES = {"PER": "PERSON", "per": "PERSON", "LOC": "PLACE", "GPE": "PLACE", "FAC": "ORG"}
LABELS = ",".join(f"{old}={new}" for old, new in NAMES.items())
FILES = ("g.jsonl", "p.jsonl")
SCORE = ("score", *FILES, "-m", "strict")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    files([GOLD], [PRED])


def files(gold: list[Row], pred: list[Row]) -> None:
    for name, rows in zip(FILES, (gold, pred)):
        write(Path(name), *rows)


def strict(*arguments: Any) -> tuple[int, ...]:
    """tp, fp and fn of strict."""
    return counted(*arguments)[:3]


def counted(*arguments: Any) -> tuple[int, ...]:
    """The same, and how many spans were merged."""
    printed(*arguments, "-o", "out.json")
    result = json.loads(Path("out.json").read_text())
    counts = result["metrics"]["strict"]["counts"]
    return counts["tp"], counts["fp"], counts["fn"], result.get("merged")


def told(*arguments: Any) -> str:
    """What a command printed that may warn."""
    return flat(printed(*arguments))


# Labels


def test_score_and_count_map_and_select_labels():
    Path("names.json").write_text(json.dumps(NAMES))
    for labels in (LABELS, "names.json", json.dumps(NAMES)):
        assert counted(*SCORE, "--labels", labels) == (4, 1, 0, 1)
        assert strict(*SCORE, "--labels", labels, "--only", "PERSON,PLACE") == (3, 0, 0)
    assert "is an input" in refused(*SCORE, "--labels", "names.json", "-o", "names.json")
    assert json.loads(Path("names.json").read_text()) == NAMES
    assert counted(*SCORE) == (1, 4, 4, None)
    told("count", *FILES, "-m", "strict", "--labels", LABELS, "-o", "c.npz")
    assert counted("score", "c.npz") == (4, 1, 0, 1)
    assert "labels:" in told("score", "c.npz")


def test_the_other_commands_map_labels_too():
    mapped = ("--labels", LABELS, "--only", "PERSON,PLACE,ORG")
    assert "3 gold spans" not in told("errors", *FILES)
    assert "no verdicts of this kind" in told("errors", *FILES, *mapped)
    compared = told("compare", *FILES, FILES[0], "-m", "strict", "--trials", 9, *mapped)
    assert "the outputs differ in 0 documents" in compared and "only:ORG,PERSON,PLACE" in compared
    assert told("report", *FILES, "-o", "r.html", *mapped)
    assert "PLACE" in Path("r.html").read_text() and "GPE" not in Path("r.html").read_text()


def test_workers_map_labels_and_count_again_when_the_mapping_changes():
    names = Path("names.json")
    parts = ("count", *FILES, "-m", "strict", "--labels", names, "-o", "c.npz", "--parts", "parts")
    names.write_text(json.dumps(NAMES))
    told(*parts)
    assert counted("score", "c.npz") == (4, 1, 0, 1)
    names.write_text(json.dumps({"PER": "PERSON"}))
    assert "1 replacing other counts" in flat(run(*parts).stderr)
    assert strict("score", "c.npz")[0] == 2
    assert "--only X: there is no label 'X'" in run(*parts, "--only", "X").stderr


def test_count_files_cannot_be_relabelled():
    told("count", *FILES, "-m", "strict", "-o", "c.npz")
    for options in (("--labels", "A=B"), ("--only", "A"), ("--depth", 1)):
        assert f"{options[0]} is given, but" in refused("score", "c.npz", *options)
    assert "--labels is given" in refused("compare", "g.jsonl", "c.npz", "c.npz", "--labels", "A=B")
    told("count", *FILES, "-m", "strict", "-o", "d.npz", "--labels", LABELS)
    said = refused("merge", "c.npz", "d.npz", "-o", "e.npz")
    assert "one has the label rules none, the other labels:" in said


def test_the_proposal_comes_before_everything_and_works_when_pasted():
    places = [(0, 3), (8, 11), (12, 15)]
    files(
        *(
            [line("Ada Bob Ulm Rom", *((*place, label) for place, label in zip(places, labels)))]
            for labels in (("PERSON", "GPE", "GPE"), ("PER", "LOC", "LOC"))
        )
    )
    said = flat(run("score", *FILES).stderr)
    assert said.startswith(
        "⚠ No predicted label is a gold label: the gold labels are GPE, PERSON, the predicted labels LOC, PER."
    )
    option = said.partition("add ")[2].split()
    assert option == ["--labels", "LOC=GPE,PER=PERSON"] and strict(*SCORE, *option) == (3, 0, 0)
    said = flat(run("score", *FILES, "--labels", "LOC=GPE,PER=PERSON,XX=Y").stderr)
    assert "⚠ labels: XX to map, but neither side has such a label" in said


def test_compare_keeps_its_flag_of_the_same_name():
    three = (*FILES, FILES[0])
    few = ("-m", "strict", "--trials", 9, "-t", "labels")
    for arguments in (
        (*three, "--per-label", *few),
        (*three, *few, "--labels"),
        ("--labels", *three, *few),
        (*three, "--labels", *few),
        (*three, "--labels", "PER=PERSON", "--labels", *few),
    ):
        assert "|labels:yes|" in told("compare", *arguments)
    assert "labels:yes" not in told("compare", *three, "--labels", "PER=PERSON", *few)


def test_training_maps_labels_as_gold_does():
    write(Path("t.jsonl"), line("Ada in Ulm", (0, 3, "per"), (7, 10, "loc")))
    write(Path("g.jsonl"), line("Ada", (0, 3, "PER")))
    mapped = ("--labels", "per=PER,loc=LOC")
    accepted("training", "t.jsonl", "-o", "t.json", *mapped)
    for lexicon, seen in (("t.jsonl", None), ("t.json", 1.0)):
        run("score", "g.jsonl", "g.jsonl", "-m", "tmr", "--train", lexicon, "-o", "out.json")
        assert json.loads(Path("out.json").read_text())["metrics"]["tmr"]["scores"]["seen"] == seen
    done = run("training", "t.jsonl", "-o", "u.json", "--only", "X,per")
    assert done.exit_code == 0 and "⚠ only: X to keep, but neither side has such a label" in done.stderr
    assert "has no annotated spans" in refused("training", "t.jsonl", "-o", "u.json", "--only", "X")
    assert "is a lexicon" in refused("training", "t.json", "-o", "u.json", *mapped)


def model(name: str, pattern: str = "PER", **labels: Any) -> None:
    """A pipeline that finds Ada, and whose config has label settings."""
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": pattern, "pattern": "Ada"}])
    nlp.add_pipe("nereval", config={"metrics": {"strict": {}}, **labels})
    nlp.to_disk(name)


FROM_CONFIG = 'from the config of model: --labels {"PER": "PERSON"}'


@pytest.fixture
def with_labels(here) -> None:
    """A model that renames and selects labels, and predicts PER in the first of two documents."""
    model("model", labels={"PER": "PERSON"}, only=["PERSON"])
    write(Path("g.jsonl"), line("Ada slept", ADA), line("in Ulm", (3, 6, "LOC")))


def test_evaluate_takes_the_label_settings_of_the_model(with_labels):
    for options, counts, said in (
        ((), (1, 0, 0), [f'{FROM_CONFIG} --only ["PERSON"]']),
        (("--only", "LOC,PERSON"), (1, 0, 1), [FROM_CONFIG]),
        (("--labels", "PER=X,PERSON=X", "--only", "X"), (1, 0, 0), []),
    ):
        evaluate = ("evaluate", "model", "g.jsonl", "-m", "strict", *options)
        assert strict(*evaluate) == counts
        assert [line for line in run(*evaluate).stderr.splitlines() if "config" in line] == said


def test_every_command_that_runs_a_model_takes_its_label_settings(with_labels):
    metric = ("-m", "strict")
    for command in (
        ("count", "model", "g.jsonl", *metric, "-o", "one.npz"),
        ("errors", "g.jsonl", "model"),
        ("report", "g.jsonl", "model", "-o", "out.html"),
        ("compare", "g.jsonl", "model", "g.jsonl", *metric, "--trials", 20),
        ("compare", "g.jsonl", "one.npz", "model", "--trials", 20),
        ("count", "model", "g.jsonl", *metric, "--workers", 1, "--parts", "parts", "-o", "out.npz"),
        ("score", "g.jsonl", "--system", "A=model,one.npz", *metric),
    ):
        done = run(*command)
        assert done.exit_code == 0, done.output
        assert done.stderr.startswith(f'{FROM_CONFIG} --only ["PERSON"]'), done.stderr
        assert "label:" not in done.output
    assert "strict F 100.00" in done.stdout
    spacy.blank("en").to_disk("other")
    said = refused("compare", "g.jsonl", "model", "other", *metric)
    assert "the configs of models differ in label options" in said and "other has none" in said


def test_labels_with_commas_are_kept_if_given_as_json():
    files([row := line("ab", (0, 1, "A,B"), (1, 2, "C"))], [row])
    assert strict(*SCORE, "--only", '["A,B"]') == (1, 0, 0)
    model("model", "A,B", only=["A,B"])
    docs = write_docs(Path("g.spacy"), [doc("Ada slept", (0, 1, "A,B"), (1, 2, "C"))])
    done = run("evaluate", "model", docs, "-m", "strict")
    assert "1 gold span" in done.stdout, done.stderr


# Mentions

FOUND = {"text": "Bob", "label": "PERSON", "score": 0.5}  # scores of mentions are not read
MENTIONS = {"text": TEXT, "mentions": [["ada", "PERSON"], FOUND, ["Zoe", "PERSON"]]}


def test_mentions_are_read_and_their_numbers_are_told():
    files([line(TEXT, ADA, BOB)], [MENTIONS])
    assert strict(*SCORE) == (2, 1, 0)
    assert "3 mentions without offsets: 1 exact, 1 caseless, 1 not in the text (33.3 %)" in told(*SCORE)
    assert "|mentions:listed,caseless|" in told(*SCORE)
    assert strict(*SCORE, "--match", "exact") == (1, 2, 1)
    files([both := line("Ada", (0, 3, "PER"), mentions=[["Bob", "PER"]])], [both])
    assert strict(*SCORE) == (1, 0, 0), "a list of spans counts before one of mentions"


def test_invented_mentions_are_shown_as_not_in_the_text():
    files([line(TEXT, ADA)], [MENTIONS])
    assert "{Zoe} (not in the text)" in told("errors", *FILES)
    accepted("errors", *FILES, "-o", "e.jsonl")
    rows = [json.loads(row) for row in Path("e.jsonl").read_text().splitlines()]
    shown = [("Bob", True, "Ada met "), ("Zoe", False, None)]
    assert [(row["pred_text"], row["in_text"], row["left"]) for row in rows] == shown
    compared = told("compare", *FILES, FILES[0], "-m", "strict", "--trials", 9)
    assert "p: 3 mentions without offsets" in compared and "|mentions:listed,caseless|" in compared


# Units: what is resampled as a whole

NOTE = "ℹ No -DOCSTART- lines say where documents begin, so blocks of consecutive sentences are resampled"


@pytest.fixture
def texts(here) -> None:
    """24 texts of 8 articles of 4 sources; every fourth is not found."""
    ids = [{"id": f"a{k // 3}-{k}", "meta": {"source": f"s{k // 6}"}} for k in range(24)]
    gold = [line(f"Ada {k}", (0, 3, "PER"), **own) for k, own in enumerate(ids)]
    files(gold, [{**row, "spans": row["spans"] if k % 4 else []} for k, row in enumerate(gold)])


SENTENCES = ("g.conll", "p.conll")


@pytest.fixture
def sentences(here) -> None:
    """100 sentences without -DOCSTART- lines."""
    for name, every in zip(SENTENCES, (1, 3)):
        tags = ("B-PER" if k % every == 0 else "O" for k in range(100))
        Path(name).write_text("".join(f"Ada {tag}\nis O\nin{k} O\n\n" for k, tag in enumerate(tags)))


def units(*command: Any) -> tuple[str, int]:
    """What is resampled, and how many there are."""
    accepted(*command, "-C", "-m", "strict", "-o", "out.json")
    found = json.loads(Path("out.json").read_text(encoding="utf8"))["confidence"]
    return found["unit"], found["units"]


UNITS = {"id": 24, "document": 24, "meta.source": 4, r"prefix:(\w+)-": 8, "block:5": 5}


def test_score_and_evaluate_resample_what_the_option_says(texts, model):
    assert units("score", *FILES) == ("id", 24)
    for unit, number in UNITS.items():
        assert units("score", *FILES, "--unit", unit) == (unit, number)
    assert units("evaluate", model, "g.jsonl", "--unit", "meta.source") == ("meta.source", 4)
    few = accepted("score", *FILES, "-C", "-m", "strict", "--unit", "meta.source")
    assert "⚠ Only 4 units: with fewer than 20" in flat(few)
    assert "⚠" not in accepted("score", *FILES, "-C", "-m", "strict", "--unit", "document")


@pytest.mark.parametrize("command", ["score", "compare", "report", "count"])
@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("article", "✘ --unit article: there is no such unit; expected id, meta.FIELD, prefix:REGEX, document or"),
        (r"prefix:\w+", r"✘ --unit prefix:\w+: the regular expression has no group; put the name of the unit in"),
        ("meta.author", "document 0 (a0-0): --unit meta.author: the document has no 'author' in its metadata"),
        ("block:25", "g.jsonl has 24 documents; expected blocks no larger than the file"),
    ],
)
def test_units_that_do_not_exist_are_refused_on_one_line(texts, command, unit, said):
    out = {"count": "x.npz", "report": "x.html"}.get(command, "x.json")
    more = FILES[1:] if command == "compare" else ()
    assert said in refused(command, *FILES, *more, "-o", out, "--unit", unit, "-m", "strict")
    assert not Path(out).exists()


def test_blocks_of_sentences_are_said_wherever_intervals_are(sentences):
    score = ("score", *SENTENCES, "-m", "strict")
    assert units(*score[:3]) == ("block:auto", 20)
    assert NOTE in accepted(*score, "-C")
    assert NOTE in accepted(*score), "the main score has an interval always"
    assert NOTE not in accepted(*score, "-C", "--unit", "id")
    accepted("report", *SENTENCES, "-C", "-m", "strict", "-o", "x.html")
    assert NOTE in Path("x.html").read_text(encoding="utf8")


def test_count_files_say_what_is_resampled(sentences):
    accepted("count", *SENTENCES, "-m", "strict", "-o", "auto.npz")
    accepted("count", *SENTENCES, "-m", "strict", "-o", "ten.npz", "--unit", "block:10")
    assert [load(Path(f"{name}.npz")).unit for name in ("auto", "ten")] == ["block:auto", "block:10"]
    assert NOTE in accepted("score", "auto.npz", "-C")
    assert "⚠ Only 10 blocks: with fewer than 20" in flat(accepted("score", "ten.npz", "-C"))
    said = refused("score", "ten.npz", "--unit", "block:10")
    assert said.endswith("ten.npz already has its units; give --unit to 'nereval count' instead")
    said = refused("merge", "auto.npz", "ten.npz", "-o", "x.npz")
    assert "cannot be merged: one resamples by block:auto, the other by block:10" in said


@pytest.mark.parametrize("unit", [None, *(unit for unit in UNITS if unit != "document")])
def test_files_are_compared_with_count_files_by_the_units_of_these(texts, unit):
    gold, pred = FILES
    given = ("--unit", unit) if unit else ()
    accepted("count", gold, gold, "-m", "strict", "-o", "a.npz", *given)
    for more in ((), given):
        accepted("compare", gold, "a.npz", pred, "-o", "out.json", *more)
    assert json.loads(Path("out.json").read_text(encoding="utf8"))["units"] == UNITS[unit or "id"]
    said = refused("compare", gold, "a.npz", pred, "--unit", "block:7")
    assert f"one resamples by {unit or 'id'}, the other by block:7" in said
    assert "a.npz already has its units" in refused("compare", gold, "a.npz", "a.npz", "--unit", "block:7")


def test_workers_resample_by_the_same_units_and_count_again_for_others(texts):
    rows = Path("g.jsonl").read_text().splitlines()
    halves = [write(Path(f"{name}.jsonl"), *rows[a : a + 12]) for name, a in (("one", 0), ("two", 12))]
    for unit, number in (("meta.source", 4), ("block:4", 6), ("id", 24)):
        told("count", *halves, *halves, "-m", "strict", "-o", "x.npz", "--parts", "parts", "--unit", unit)
        found = load(Path("x.npz"))
        assert (found.unit, len({*found.units})) == (unit, number)
