"""--labels, --only, --depth and --sep on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import spacy
from commands import accepted, flat, line, refused, run, write
from docs import doc, write_docs
from strict_counts import TEXT, accepted_or_warned, strict

GOLD = line(TEXT, (0, 3, "PERSON"), (8, 11, "PERSON"), (15, 23, "GPE"), (30, 34, "ORG"), (30, 34, "FAC"))


PRED = line(TEXT, (0, 3, "PER"), (8, 11, "per"), (15, 23, "LOC"), (30, 34, "ORG"), (40, 43, "MISC"))


pytestmark = pytest.mark.costly


NAMES = {"PER": "PERSON", "per": "PERSON", "LOC": "PLACE", "GPE": "PLACE", "FAC": "ORG"}


LABELS = ",".join(f"{old}={new}" for old, new in NAMES.items())


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    return write(tmp_path / "g.jsonl", GOLD), write(tmp_path / "p.jsonl", PRED)


def test_score_and_count_map_and_select_labels(files, tmp_path):
    (tmp_path / "names.json").write_text(json.dumps(NAMES))
    only = ("--only", "PERSON,PLACE")
    for labels in (LABELS, tmp_path / "names.json", json.dumps(NAMES)):
        assert strict("score", *files, "-m", "strict", "--labels", labels, folder=tmp_path) == (4, 1, 0, 1)
        assert strict("score", *files, "-m", "strict", "--labels", labels, *only, folder=tmp_path)[:3] == (3, 0, 0)
    assert strict("score", *files, "-m", "strict", folder=tmp_path) == (1, 4, 4, None)
    counts = tmp_path / "c.npz"
    assert run("count", *files, "-m", "strict", "--labels", LABELS, "-o", counts).exit_code == 0
    assert strict("score", counts, folder=tmp_path) == (4, 1, 0, 1)
    assert "labels:" in accepted_or_warned("score", counts)


def test_the_other_commands_map_labels_too(files, tmp_path):
    gold, pred = files
    mapped = ("--labels", LABELS, "--only", "PERSON,PLACE,ORG")
    assert "3 gold spans" not in accepted_or_warned("errors", gold, pred)
    assert "no verdicts of this kind" in accepted_or_warned("errors", gold, pred, *mapped)
    compared = accepted_or_warned("compare", gold, pred, gold, "-m", "strict", "--trials", 9, *mapped)
    assert "the outputs differ in 0 documents" in compared and "only:ORG,PERSON,PLACE" in compared
    assert accepted_or_warned("report", gold, pred, "-o", tmp_path / "r.html", *mapped)
    assert "PLACE" in (tmp_path / "r.html").read_text() and "GPE" not in (tmp_path / "r.html").read_text()


def test_workers_map_labels_and_count_again_when_the_mapping_changes(files, tmp_path):
    names, counts = tmp_path / "names.json", tmp_path / "c.npz"
    parts = ("count", *files, "-m", "strict", "--labels", names, "-o", counts, "--parts", tmp_path / "parts")
    names.write_text(json.dumps(NAMES))
    assert run(*parts).exit_code == 0
    assert strict("score", counts, folder=tmp_path) == (4, 1, 0, 1)
    names.write_text(json.dumps({"PER": "PERSON"}))
    done = run(*parts)
    assert "1 replacing other counts" in flat(done.stderr)
    assert strict("score", counts, folder=tmp_path)[0] == 2
    assert "--only X: there is no label 'X'" in run(*parts, "--only", "X").stderr


def test_levels_are_cut(tmp_path):
    gold = write(tmp_path / "g.jsonl", line("ab", (0, 1, "A.B"), (1, 2, "A.C")))
    pred = write(tmp_path / "p.jsonl", line("ab", (0, 1, "A.C"), (1, 2, "A.C.D")))
    cut = ("--depth", 1, "--sep", ".")
    assert strict("score", gold, pred, "-m", "strict", *cut, folder=tmp_path)[:3] == (2, 0, 0)
    assert strict("score", gold, pred, "-m", "strict", "--depth", 2, "--sep", ".", folder=tmp_path)[:3] == (1, 1, 1)


def test_the_mapping_is_an_input_that_no_output_replaces(files, tmp_path):
    names = tmp_path / "names.json"
    names.write_text(json.dumps(NAMES))
    assert "is an input" in refused("score", *files, "--labels", names, "-o", names)
    assert json.loads(names.read_text()) == NAMES


def test_a_label_to_map_that_does_not_occur_is_warned_about(files):
    said = flat(run("score", *files, "--labels", f"{LABELS},XX=Y").stderr)
    assert "⚠ labels: XX to map, but neither side has such a label" in said


def test_count_files_cannot_be_relabelled(files, tmp_path):
    counts = tmp_path / "c.npz"
    run("count", *files, "-m", "strict", "-o", counts)
    for options in (("--labels", "A=B"), ("--only", "A"), ("--depth", 1)):
        assert f"{options[0]} is given, but" in refused("score", counts, *options)
    assert "--labels is given" in refused("compare", files[0], counts, counts, "--labels", "A=B")
    other = tmp_path / "d.npz"
    run("count", *files, "-m", "strict", "-o", other, "--labels", LABELS)
    assert "one has the label rules none, the other labels:" in refused(
        "merge", counts, other, "-o", tmp_path / "e.npz"
    )


def test_the_proposal_comes_before_everything_and_works_when_pasted(tmp_path):
    gold = write(tmp_path / "g.jsonl", line("Ada Bob Ulm Rom", (0, 3, "PERSON"), (8, 11, "GPE"), (12, 15, "GPE")))
    pred = write(tmp_path / "p.jsonl", line("Ada Bob Ulm Rom", (0, 3, "PER"), (8, 11, "LOC"), (12, 15, "LOC")))
    said = flat(run("score", gold, pred).stderr)
    assert said.startswith("⚠ No predicted label is a gold label: gold has GPE, PERSON, predictions have LOC, PER.")
    option = said.partition("add ")[2].split()
    assert option == ["--labels", "LOC=GPE,PER=PERSON"]
    assert strict("score", gold, pred, "-m", "strict", *option, folder=tmp_path)[:3] == (3, 0, 0)


def test_compare_keeps_its_flag_of_the_same_name(files):
    gold, pred = files
    few = ("-m", "strict", "--trials", 9, "-t", "labels")
    for arguments in (
        (gold, pred, gold, "--per-label", *few),
        (gold, pred, gold, *few, "--labels"),
        ("--labels", gold, pred, gold, *few),
        (gold, pred, gold, "--labels", *few),
        (gold, pred, gold, "--labels", "PER=PERSON", "--labels", *few),
    ):
        assert "|labels:yes|" in accepted_or_warned("compare", *arguments)
    assert "labels:yes" not in accepted_or_warned("compare", gold, pred, gold, "--labels", "PER=PERSON", *few)


def test_training_maps_labels_as_gold_does(tmp_path):
    train = write(tmp_path / "t.jsonl", line("Ada in Ulm", (0, 3, "per"), (7, 10, "loc")))
    gold = write(tmp_path / "g.jsonl", line("Ada", (0, 3, "PER")))
    mapped = ("--labels", "per=PER,loc=LOC")
    accepted("training", train, "-o", tmp_path / "t.json", *mapped)
    for lexicon, seen in ((train, None), (tmp_path / "t.json", 1.0)):
        run("score", gold, gold, "-m", "tmr", "--train", lexicon, "-o", tmp_path / "out.json")
        scores = json.loads((tmp_path / "out.json").read_text())["metrics"]["tmr"]["scores"]
        assert scores["seen"] == seen
    done = run("training", train, "-o", tmp_path / "u.json", "--only", "X,per")
    assert done.exit_code == 0 and "⚠ only: X to keep, but neither side has such a label" in done.stderr
    assert "has no annotated spans" in refused("training", train, "-o", tmp_path / "u.json", "--only", "X")
    assert "is a lexicon" in refused("training", tmp_path / "t.json", "-o", tmp_path / "u.json", *mapped)


@pytest.fixture
def model(tmp_path):
    """A model that predicts PER in the first of two documents, and whose config renames and selects labels."""
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.add_pipe("nereval", config={"metrics": {"strict": {}}, "labels": {"PER": "PERSON"}, "only": ["PERSON"]})
    nlp.to_disk(tmp_path / "model")
    write(tmp_path / "g.jsonl", line("Ada slept", (0, 3, "PERSON")), line("in Ulm", (3, 6, "LOC")))
    return tmp_path / "model"


FROM_CONFIG = 'from the config of the model: --labels {"PER": "PERSON"}'


def test_evaluate_takes_the_label_settings_of_the_model(model, tmp_path):
    evaluate = ("evaluate", model, tmp_path / "g.jsonl", "-m", "strict", "-o", tmp_path / "out.json")
    for options, counts, said in (
        ((), (1, 0, 0), f'{FROM_CONFIG} --only ["PERSON"]'),
        (("--only", "LOC,PERSON"), (1, 1, 0), FROM_CONFIG),
        (("--labels", "PER=X,PERSON=X", "--only", "X"), (1, 0, 0), ""),
    ):
        done = run(*evaluate, *options)
        assert done.exit_code == 0, done.output
        found = json.loads((tmp_path / "out.json").read_text())["metrics"]["strict"]["counts"]
        assert tuple(found[name] for name in ("tp", "fn", "fp")) == counts
        lines = [line for line in done.stderr.splitlines() if "config" in line]
        assert [line.replace(str(model), "the model") for line in lines] == ([said] if said else [])


def test_every_command_that_runs_a_model_takes_its_label_settings(model, tmp_path):
    gold, out = tmp_path / "g.jsonl", tmp_path / "out"
    strict = ("-m", "strict")
    done = run("count", model, gold, *strict, "-o", tmp_path / "one.npz")
    for command in (
        ("errors", gold, model),
        ("report", gold, model, "-o", f"{out}.html"),
        ("compare", gold, model, gold, *strict, "--trials", 20),
        ("compare", gold, tmp_path / "one.npz", model, "--trials", 20),
        ("count", model, gold, *strict, "--workers", 1, "--parts", tmp_path / "parts", "-o", f"{out}.npz"),
        ("score", gold, "--system", f"A={model},{tmp_path / 'one.npz'}", *strict),
    ):
        assert done.exit_code == 0, done.output
        assert done.stderr.replace(str(model), "the model").startswith(f'{FROM_CONFIG} --only ["PERSON"]'), done.stderr
        assert "label:" not in done.output
        done = run(*command)
    assert done.exit_code == 0, done.output
    assert "strict F 100.00" in done.stdout
    spacy.blank("en").to_disk(tmp_path / "other")
    said = refused("compare", gold, model, tmp_path / "other", *strict)
    assert "the configs of models differ in label options" in said and f"{tmp_path / 'other'} has none" in said


def test_labels_with_commas_are_kept_if_given_as_json(tmp_path):
    gold = write(tmp_path / "g.jsonl", line("ab", (0, 1, "A,B"), (1, 2, "C")))
    kept = ("--only", json.dumps(["A,B"]))
    assert strict("score", gold, gold, "-m", "strict", *kept, folder=tmp_path)[:3] == (1, 0, 0)
    assert "is not valid JSON" in refused("score", gold, gold, "--only", "[A,B")
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "A,B", "pattern": "Ada"}])
    nlp.add_pipe("nereval", config={"metrics": {"strict": {}}, "only": ["A,B"]})
    nlp.to_disk(tmp_path / "model")
    docs = write_docs(tmp_path / "g.spacy", [doc("Ada slept", (0, 1, "A,B"), (1, 2, "C"))])
    done = run("evaluate", tmp_path / "model", docs, "-m", "strict")
    assert "1 gold span" in done.stdout, done.stderr


def test_hierarchical_is_a_default_only_where_a_label_has_levels(tmp_path):
    gold = write(tmp_path / "g.jsonl", line("ab", (0, 1, "A/B"), (1, 2, "A/C")))
    flat_gold = write(tmp_path / "f.jsonl", line("ab", (0, 1, "A.B"), (1, 2, "/")))
    for arguments, there in (
        ((gold, gold), True),
        ((gold, gold, "--metrics", "strict"), False),
        ((gold, gold, "--depth", 1), False),
        ((gold, gold, "--labels", "A/B=X,A/C=Y"), False),
        ((flat_gold, flat_gold), False),
        ((flat_gold, flat_gold, "--sep", "."), True),
    ):
        done = run("score", *arguments)
        assert ("hierarchical" in done.stdout) is there, arguments
        assert ("hierarchical is added, since the label A" in done.stderr) is there
