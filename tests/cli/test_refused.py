"""What commands refuse: one line that names the option or the file and the remedy, and nothing is written."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import GOLD, PRED, PRED_DOCS, line, refused, run, side, write
from docs import write_docs
from made_up import corpus, second
from scored import rows as scored_rows

from spacy_nereval import load, names
from spacy_nereval.core.arguments import MOST_SAMPLES
from spacy_nereval.io.paths import files_under

pytestmark = pytest.mark.costly  # a few hundred commands

MANY = MOST_SAMPLES + 1
CLONE = "run the command in the folder of a clone"
TRAIN = "'python -m spacy train examples/config.cfg --output training/example'"
LABELS = {
    "--depth 0": "--depth 0: expected a whole number of levels from 1 up",
    "--sep=": "--sep '': expected the text between two levels of a label, such as /",
    "--labels X=B,B=X": "--labels X=B,B=X: X -> B -> X is a cycle",
    "--labels PER": "--labels PER: 'PER' is not LABEL=NAME",
    "--only NOWHERE": "--only NOWHERE: there is no label 'NOWHERE' in gold or prediction",
    "--match fuzzy": "--match fuzzy: expected one of exact, normalised, caseless",
    "--occurrences last": "--occurrences last: expected one of listed, first, all",
}
TWO = "--system A=runs/a1.jsonl,runs/a2.jsonl"

REFUSED: dict[str, dict[str, str]] = {
    "score gold.jsonl a.jsonl": {
        "-m fare": "there is no metric 'fare': did you mean 'fair'? There are strict, semeval",
        "-m fair,,wrf": "there is no metric ''",
        "--fare.unit token": "there is no metric 'fare': did you mean 'fair'? There are strict",
        "--fair.units token": "fair has no option 'units': did you mean 'unit'? Its options are unit, weights",
        "--fair.weights.be_s 1": "fair has no option 'weights.be_s'",
        "--fair.unit tokens": "--fair.unit tokens: ",
        '--fair.weights {"be_s":': '--fair.weights {"be_s":: ',
        "--loio.s half": "--loio.s half: ",
        "--strict.beta -1": "--strict.beta -1: input should be greater than or equal to 0",
        "-m strict --fair.unit token": "--fair.unit is given, but fair is not among --metrics strict",
        "--average mean": "--average mean: expected one of micro, macro, weighted, docs",
        "--metricks fair": "there is no option --metricks: did you mean '--metrics'? Options of a metric",
        "--fair": "there is no option --fair",
        "-q": "-q",
        "third.jsonl": "third.jsonl",
        "--fair.unit token third.jsonl": "third.jsonl",
        "--loio.s=0.3 7": "unexpected argument 7",
        "-o out.csv": "--output out.csv: expected a .json file",
        "-o none/out.json": "none/out.json cannot be written: there is no directory none",
        "--per-document new.txt": "--per-document new.txt: expected a .jsonl, .csv, .parquet or .arrow file",
        "--per-document none/new.csv": "no directory none",
        "--format markdwn": "did you mean 'markdown'?",
        "-m tmr --train nope": "--train nope: nope does not exist; expected a training corpus",
        "--tag-names x": "--tag-names x: 'x' is not a tag; expected O, or B-",
        "--labels nowhere.json": "nowhere.json",
        "--only [A,B": "--only [A,B: not valid JSON",
        "--gpu-id 0": "--gpu-id is given without a model",
        "--missing-score 1": "--missing-score 1 is given without --cut",
        "--samples 30": "✘ --samples is given without --confidence: add that, or leave it out",
        "--seed 1": "✘ --seed is given without --confidence: add that, or leave it out",
        "-C --samples 0": "--samples 0: expected at least 1",
        "-C --level 1": "--level 1: expected a number",
        "-C --seed -1": "--seed -1",
        f"{TWO}": "a.jsonl is given in addition to --system",
        **LABELS,
    },
    "errors gold.jsonl a.jsonl": LABELS | {f"--label {'X' * 9999}": "... (9999 characters)"},
    "score": {
        "none.jsonl none.jsonl -m fare": "there is no metric 'fare'",  # before files are read
        f"none.jsonl none.jsonl -C --samples {MANY}": f"--samples {MANY}: expected at most {MOST_SAMPLES}",
        "--fair.unit=token gold.jsonl a.jsonl": "--fair.unit=token is given before the files; options of",
        "--fair.unit token gold.jsonl a.jsonl": "--fair.unit is given before the files; options of",
        "short.jsonl wrong.jsonl --fair.unit token": "short.jsonl: this document has no tokens",
        "gold.jsonl": "predictions to score against gold.jsonl are missing; if the file holds them, name both keys",
        "folder.jsonl a.jsonl": "folder.jsonl is a folder without .ann files, so its format has to be named; known",
        "gold.txt a.jsonl": "cannot infer the format of gold.txt",
        "gold.jsonl bare": "bare from its extension or its content; known are .spacy, .jsonl,",
        "pred.spacy not.spacy": "not.spacy is not a .spacy file; expected a file written by DocBin.to_disk",
        "empty.spacy pred.spacy": "empty.spacy is not a .spacy file",
        "gold.jsonl model": "model is a trained pipeline, not annotation",
        "short.jsonl longer.jsonl": "short.jsonl has 3 documents and longer.jsonl has 4; expected the same number",
        "empty.jsonl empty.jsonl": "there are no documents to score",
        "none.spacy none.spacy": "there are no documents to score",
        "unread.spacy pred.spacy": "none of the 3 gold documents is annotated",
        "unread.spacy unread.spacy": "--spans-key KEY",
        "pred.spacy unread.spacy": "unread.spacy: none of the predictions of 3 documents has entity annotation: save",
        "a.npz --metrics strict": "a.npz is a count file",
        "a.npz b.jsonl": "a.npz is a count file",
        "text.npz": "text.npz does not hold counts",
        "none.npz": "none.npz does not exist",
        "examples/gold.jsonl examples/improved.jsonl": CLONE,
        "corpus/warranty/test.spacy gold.jsonl": "'python -m spacy project run corpus' makes it",
        "gold.jsonl pred.jsonl": "✘ pred.jsonl does not exist or is not a file",
        "gold.jsonl gold.jsonl -m tmr --train deep.json": "deep.json is not a lexicon",
        # Collapsed counts
        "c-a.npz --per-document new.csv": "c-a.npz contains collapsed counts, which have no scores",
        "c-a.npz --tables documents": "c-a.npz contains collapsed counts, which have no scores",
        "c-a.npz --tables groups": "c-a.npz contains collapsed counts, which have no repeated",
        "c-a.npz --by eLen": "c-a.npz is a count file without spans",
        "c-a.npz -C --samples 7": "c-a.npz contains collapsed counts, which keep the half",
        "c-a.npz -C --seed 7": "no documents to draw others from: count the corpus again",
        "gold.jsonl --system A=c-a.npz,c-b.npz": "no means of training runs",
        "a.npz --cut cuts.json": "a.npz is a count file, which has no scores",
        # Training runs
        "gold.jsonl --system A=runs/a1.jsonl": "A has one training run, which does not show how much runs vary; give",
        "gold.jsonl --system A=runs/a1*": "or score it alone: nereval score gold.jsonl runs/a1.jsonl",
        f"gold.jsonl {TWO} --system B=b.jsonl": "--system is given for A and B: score one system, or compare them with",
        "gold.jsonl --system A=b.jsonl,b.jsonl": "the run b.jsonl is given twice",
        "gold.jsonl --system A=b.jsonl,runs/../b.jsonl": "the run runs/../b.jsonl is given twice",
        "gold.jsonl --system A=b.jsonl,fewer.jsonl": "fewer.jsonl lacks 1 document: doc 23",
        "gold.jsonl --system A=b.jsonl,fewer.npz -m strict": "run 2 of A: 1 documents are not in both systems: doc 23",
        f"gold.jsonl {TWO} --unit meta.author": "the document has no 'author' in its metadata",
        f"gold.jsonl {TWO} --by eLen": "--by is given in addition to --system: it shows a single run",
        f"gold.jsonl {TWO} --per-document d.csv": "--per-document is given in addition to --system: it shows a single",
        f"gold.jsonl {TWO} -t pairs": "there is no table 'pairs'; there are headline, scores, runs, labels, label-scor",
        f"gold.jsonl {TWO} -o runs/a2.jsonl": "runs/a2.jsonl is an input",
        f"none.jsonl {TWO} -m strict": "none.jsonl does not exist",
    },
    "errors": {
        "gold.jsonl examples/improved.jsonl": CLONE,
        "c-a.npz": "c-a.npz: a count file has no texts and no spans",
        "gold.jsonl c-a.npz": "c-a.npz: a count file has no texts and no spans",
        "pred.spacy unread.spacy": "unread.spacy: none of the predictions of 3 documents has entity annotation: save",
    },
    "report": {
        "gold.jsonl a.jsonl -o r.txt": "--output r.txt: expected a .html or .htm file",
        "gold.jsonl a.jsonl --format jsonl,markdown": "--format jsonl,markdown: no table is printed",
        "gold.jsonl c-a.npz": "c-a.npz: a count file has no texts and no spans",
        "gold.jsonl a.jsonl --policy against.cfg": "rule not_worse compares with a baseline: give several systems, ",
    },
    "compare gold.jsonl a.jsonl b.jsonl": {
        "-o none/new.json": "there is no directory none",
        "-o out.md": "--output out.md: expected a .json file",
        "--loio.x 1": "no option 'x'",
        "--samples 0": "--samples 0: expected at least 1",
        "--margin 0": "--margin 0: expected a number of points above 0",
        "--margin inf": "--margin inf: expected a number of points above 0",
        "--margin 1 --level 0.5": "equivalence needs a confidence level above 0.5",
        "--secondary strict.f": "--secondary strict.f: this score is the primary score; name each score once",
        "--secondary fair.f,fair.f": "--secondary fair.f: this score is given twice; name each score once",
        TWO: "a.jsonl is given in addition to --system: give all systems as --system NAME=RUN,RUN...",
    },
    "compare": {
        f"none.jsonl a.jsonl b.jsonl --samples {MANY}": f"--samples {MANY}: expected at most {MOST_SAMPLES}",
        "none.jsonl a.jsonl b.jsonl --trials 0": "--trials 0: expected at least 1",
        "none.jsonl a.jsonl b.jsonl --trials 100000000000": "--trials 100000000000: expected at most 1000000",
        "gold.jsonl a.jsonl": "needs a baseline and another system",
        "gold.jsonl a.npz one.npz": "cannot be compared: one has the metrics",
        "gold.jsonl a.npz b.jsonl -m fair": "cannot be compared",
        "gold.jsonl a.jsonl fewer.npz": "in both systems: doc 23",
        "examples/gold.spacy examples/baseline.spacy examples/improved.spacy": CLONE,
        "gold.jsonl a.npz b.jsonl --cut cuts.json": "a.npz is a count file, which has no scores",
        "gold.jsonl c-a.npz a.npz": "one is collapsed, the other has documents",
        "c-a.npz a.npz": "one is collapsed, the other has documents",
        "gold.jsonl c-a.npz b.jsonl": "one is collapsed, the other has documents",
        "c-a.npz b.jsonl": "b.jsonl is not a count file: name the gold annotation first",
        "--system A=c-a.npz --system B=b.jsonl": "b.jsonl is not a count file: name the gold",
        "c-a.npz c-b.npz --trials 9": "collapsed counts keep no documents, so they have no permutation",
        "c-a.npz c-b.npz --seed 9": "--seed 9: c-a.npz contains collapsed counts",
        "c-a.npz c-seed.npz": "30 half-samples with seed 0, the other 30 half-samples with seed 1",
        "c-a.npz c-fewer.npz": "the systems were not counted on the same documents",
        # Training runs
        f"gold.jsonl {TWO}": "a comparison needs a baseline and another system, and A is the only one",
        f"gold.jsonl {TWO} {TWO}": "there is a system A already; list all its runs once, as A=RUN,RUN...",
        f"gold.jsonl {TWO} --system B=a.jsonl,a.jsonl": "--system B: the run a.jsonl is given twice; give each",
        f"gold.jsonl {TWO} --system B=b.jsonl,b.jso*": "the run b.jsonl is given twice",
        f"gold.jsonl {TWO} --system B=none*.jsonl": "--system B=none*.jsonl: no file matches none*.jsonl",
        f"gold.jsonl {TWO} --system a.jsonl": "--system a.jsonl: expected NAME=RUN,RUN..., such as A=a1.jsonl,a2.jsonl",
        f"gold.jsonl {TWO} --system =a.jsonl": "--system =a.jsonl: expected NAME=RUN",
        f"gold.jsonl {TWO} --system B=a.jsonl,": "--system B=a.jsonl,: expected NAME=RUN",
        f"gold.jsonl {TWO} --system B=none.jsonl": "none.jsonl",
        f"gold.jsonl {TWO} --system B=b.jsonl,fewer.npz -m strict": "run 2 of B: 1 documents are not in both systems",
        f"gold.jsonl {TWO} --system B=b.jsonl -o runs/a2.jsonl": "runs/a2.jsonl is an input",
    },
    "count": {
        "one": "there are no files to count: give GOLD... and PRED..., or a list with --files-from",
        "gold.jsonl a.jsonl -o out.txt": "--output out.txt: expected a .npz file",
        "gold.jsonl a.jsonl -o none/new.npz": "there is no directory none",
        "gold.jsonl model": "model is a trained pipeline, not annotation",
        "gold.jsonl a.jsonl --replicates -1": "--replicates -1: expected",
        f"none.jsonl none.jsonl --replicates {MANY}": f"--replicates {MANY}: expected at most {MOST_SAMPLES}",
        "gold.jsonl a.jsonl --seed 1": "✘ --seed is given without --replicates: add that, or leave it out",
        "gold.jsonl a.jsonl -f markdown": "so markdown has no effect here; input formats are bioc, brat",
        "gold.jsonl a.jsonl -f terminal": "so terminal has no effect here",
        "gold.jsonl a.jsonl --append": "--append is for collapsed counts",
        "gold.jsonl a.jsonl --check-repeats": "--check-repeats is for collapsed counts",
        "gold.jsonl a.jsonl --collapse -m mentions --mentions.scope hits": "mentions depends on the corpus",
        "gold.jsonl a.jsonl --parts parts --replicates 9 -m mentions --mentions.scope hits": "mentions depends on the",
        "gold.jsonl a.jsonl --collapse --replicates 0 --seed 1": "--seed",
    },
    "merge": {
        "a.npz one.npz": "a.npz and one.npz cannot be merged",
        "a.npz text.npz": "text.npz does not hold counts",
        "a.jsonl": "a.jsonl does not hold counts",
        "a.npz -o out": "--output out: expected a .npz file",
        "a.npz -o none/new.npz": "there is no directory none",
        "c-a.npz a.npz": "one is collapsed, the other has documents (--collapse makes both",
        "c-a.npz --replicates 3": "give --collapse, too",
        "c-a.npz c-a.npz": "c-a.npz and c-a.npz are the same counts",
        "c-a.npz --check-repeats": "c-a.npz has no hashes of its ids: count it with",
    },
    "agreement a.jsonl b.jsonl": {
        "-o out.txt": "--output out.txt: expected a .json file",
        "--write-consensus x.json": "expected a .jsonl file",
        "--units x.txt": "expected a .csv file",
        "--html none/page.html": "none",
        "-t errors": "there is no table 'errors'",
        "--name x": "--name: 1 given for 2 files",
        "-m f1": "f1",
        "--annotator x,y,z": "--annotator: 3 given for 2 files",
        "--annotator x,y": "names no annotator; leave it out",
        "--level 0.9": "--level is given without --confidence",
        "--only X": "there is no label 'X'",
        "--tokenizer qq": "--tokenizer qq:",
        "--write-consensus x.jsonl -o x.jsonl": "--output and --write-consensus are both x.jsonl: choose two files",
    },
    "agreement": {
        "a.jsonl": "a.jsonl names no annotators: expected a file for each annotator",
        "a.jsonl a.jsonl": "a.jsonl is given twice",
        "a.jsonl ada.jsonl": "a and ada share no document",
        "first.jsonl other-text.jsonl": "document x-1 has one text for first and another for other-text ('E' at 0",
        "gold.jsonl nothing.jsonl": "nothing has annotated none of 24 documents: expected the spans of each text",
        "no.jsonl nor.jsonl --html page.htm": "--html page.htm: expected a .html file",
        "no.jsonl nor.jsonl --disputes tasks.csv": "--disputes tasks.csv: expected a .jsonl or .json file",
    },
    "thresholds gold.jsonl scored.jsonl -m strict": {
        "-o out.html": "--output out.html: expected a .json file",
        "--hit 2": "--hit 2: expected 'strict', or the least IoU",
        "--bins 0": "--bins 0: expected a whole number from 1 to 1000",
        "--bin-kind wide": "--bin-kind wide: expected one of equal, equal_mass",
        "--seed 1": "--seed is given without --apply",
        "--tables pairs": "there is no table 'pairs'",
        "--csv c.txt": "--csv c.txt: expected a .jsonl, .csv, .parquet or .arrow file",
        "--apply gold.jsonl": "--apply gold.jsonl: expected GOLD2 PRED2, once for each system",
        "a.jsonl --cut-file new.json -o other.json": "2 systems have 2 cuts; give a single system",
    },
    "gate": {
        "against.cfg gold.jsonl a.jsonl": "rule not_worse compares with a baseline: give --baseline",
        "against.cfg gold.jsonl a.jsonl --baseline b.jsonl --only X": "there is no label 'X' in gold or prediction",
        "against.cfg gold.jsonl none.jsonl --baseline a.jsonl": "none.jsonl",
        "none.cfg gold.jsonl a.jsonl": "none.cfg",
        "wrong.cfg gold.jsonl a.jsonl": "wrong.cfg: policy error gate -> rules -> not_worse -> worse_by_at_most",
        "gold.jsonl gold.jsonl a.jsonl": "not a config",
        "against.cfg gold.jsonl a.jsonl --junit out.txt": "expected a .xml file",
        "against.cfg gold.jsonl a.jsonl --init": "against.cfg exists",
        "against.cfg gold.jsonl a.jsonl --baseline char.npz": ": the counts have no strict_f, but only char: count",
    },
    "evaluate": {
        "one": "there are no files to count: give DATA, or a list with --files-from",
        "training/example/model-best gold.jsonl": TRAIN,
        "no_such_model pred.spacy -m fare": "there is no metric 'fare'",  # before the model is loaded
        "no_such_model pred.spacy -a mean": "--average mean",
        "no_such_model pred.spacy --collapse --by eLen": "have no breakdown",
        "no_such_model pred.spacy --collapse --per-document new.csv": "keep no documents: remove --collapse",
        "no_such_model pred.spacy --unit block:x": "✘ --unit block:x: expected a whole number of documents",
        "no_such_model pred.spacy": "E050",
        "folder.jsonl pred.spacy": "folder.jsonl is a folder without a config.cfg, so it is not a pipeline; to read",
        "model nowhere.spacy": "nowhere.spacy does not exist or is not a file",
        "model unread.spacy": "none of the 3 gold documents is annotated",
        "model none.spacy": "there are no documents to score",
        "model pred.spacy": "no component sets doc.ents (its components are sentencizer)",
        "model gold.jsonl": "none of the predictions of 24 documents has entity annotation",
    },
    "metrics": {"fare": "there is no metric 'fare': did you mean 'fair'? There are strict"},
    "detach": {"training/example/model-best new": TRAIN, "no_such_model new": "E050"},
    "datasets": {
        "metrics/warranty/comparison.json": "'python -m spacy project run all' makes it",
        "deep.json -o out.tex": "--output out.tex: expected a .json file",
        "deep.json other.json": "deep.json is not JSON",
    },
}
"""The beginning of a command, its end, and what is said."""

CASES = [(f"{command} {end}", said) for command, ends in REFUSED.items() for end, said in ends.items()]
OUTPUTS = dict.fromkeys(("score", "compare", "agreement", "thresholds", "gate", "evaluate"), "new.json")
OUTPUTS |= {"errors": "new.jsonl", "count": "new.npz", "merge": "new.npz", "report": "new.html"}

COUNTED = (
    *(f"gold.jsonl {name}.jsonl -m strict,wrf -o {name}.npz" for name in "ab"),
    "one.jsonl one.jsonl -m strict -o one.npz",
    "gold.jsonl a.jsonl -m char -o char.npz",
    "fewer.jsonl fewer.jsonl -m strict -o fewer.npz",
    *(f"gold.jsonl {name}.jsonl --collapse --replicates 30 -m strict,wrf -o c-{name}.npz" for name in "ab"),
    "gold.jsonl b.jsonl --collapse --replicates 30 -m strict,wrf --seed 1 -o c-seed.npz",
    "fewer.jsonl fewer.jsonl --collapse --replicates 30 -m strict,wrf -o c-fewer.npz",
)
POLICY = '[gate]\n\n[gate.rules]\n\n[gate.rules.not_worse]\nscore = "strict_f"\nworse_by_at_most = '


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A corpus, systems, training runs, counts and a model; what only looks like these; and old outputs."""
    found: Path = tmp_path_factory.mktemp("refused")
    documents = corpus(24)
    gold, a, b = side(documents, "gold"), side(documents, "pred"), side(second(documents), "pred")
    for name in ("runs", "folder.jsonl"):
        (found / name).mkdir()
    lines: dict[str, list[Any]] = {"gold": gold, "a": a, "b": b, "runs/a1": a, "runs/a2": b, "empty": []}
    lines |= {"one": gold[:1], "fewer": gold[:-1], "nothing": [{**row, "answer": "reject"} for row in gold]}
    lines |= {"short": GOLD, "wrong": PRED, "longer": [*PRED, line("x")], "scored": scored_rows(1, 24, "doc ")[1]}
    lines |= {"first": [GOLD[0] | {"id": "x-1"}], "ada": [line("Ada")], "other-text": [line("Eve", id="x-1")]}
    for name, rows in lines.items():
        write(found / f"{name}.jsonl", *rows)
    unread = [made.copy() for made in PRED_DOCS]
    for made in unread:
        made.set_ents([], default="missing")
    for name, docs in (("pred", PRED_DOCS), ("none", []), ("unread", unread)):
        write_docs(found / f"{name}.spacy", docs)
    texts = {"text.npz": "hello", "gold.txt": "hello", "bare": "{}", "not.spacy": '{"text": "a"}'}
    texts |= {"empty.spacy": "", "cuts.json": '{"default": 0.5}', "deep.json": "[" * 30_000}
    texts |= {"against.cfg": f"{POLICY}10\n", "wrong.cfg": f'{POLICY}"x"\n'}
    for name, text in (
        texts.items() | dict.fromkeys(map("new{}".format, (".json", ".jsonl", ".npz", ".html")), "old").items()
    ):
        (found / name).write_text(text)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(found / "model")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(found)
        for counted in COUNTED:
            assert run("count", *counted.split()).exit_code == 0
    return found


@pytest.fixture
def here(folder, monkeypatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in files_under(folder)}


@pytest.mark.parametrize(("command", "said"), CASES, ids=[command[:80] for command, _ in CASES])
def test_a_mistake_is_one_line_and_leaves_all_files_as_they_were(here, command, said):
    """An output that is not given is an old file, which stays; but that of a gate, which steps of CI read, says why."""
    name, *arguments = command.split()
    before = contents(here)
    output = ["-o", OUTPUTS[name]] if name in OUTPUTS and "-o" not in arguments else []
    said_in_full = refused(name, *arguments, *output)
    assert said in said_in_full
    after = contents(here)
    if name == "gate" and after != before:
        why = json.loads(after.pop(here / OUTPUTS[name]))
        assert why["passed"] is False and why["error"] in said_in_full
        del before[here / OUTPUTS[name]]
        (here / OUTPUTS[name]).write_bytes(b"old")
    assert after == before


USAGE = {
    "score gold.jsonl a.jsonl": ("--digits 11", "--digits -1", "--digits two", "--output folder.jsonl"),
    "score gold.jsonl a.jsonl -C": ("--samples many",),
    "evaluate": ("model gold.jsonl --gpu-id -7",),
    "datasets": ("",),
    "count": ("gold.jsonl a.jsonl",),
    "compare": ("one", "-o new.json"),
    "merge": ("-o new.npz",),
    "detach": ("one",),
    "doctor": ("--gpu-id -7",),
}


@pytest.mark.parametrize("command", [f"{command} {end}" for command, ends in USAGE.items() for end in ends])
def test_what_a_command_cannot_take_is_bad_usage_as_by_every_command_of_spacy(here, command):
    before = contents(here)
    done = run(*command.split())
    assert (done.exit_code, done.stdout, type(done.exception)) == (2, "", SystemExit)
    assert any(said in done.stderr for said in ("Invalid value", "Missing argument", "Missing option")), done.stderr
    assert "Traceback" not in done.output and contents(here) == before


SPANS = {
    "span 1, Span(0, 4, 'A') ends after the text, which has 3 characters": [[(0, 1, "A"), (0, 4, "A")]],
    "span 0, Span(-1, 2, 'A') starts before the text": [[(-1, 2, "A")]],
    "span 0, Span(2, 1, 'A') ends before it starts": [[(2, 1, "A")]],
    "is not (start, end, label) with whole-number offsets": [
        *([(start, 1, "A")] for start in (0.0, "0", None)),
        *([(0, end, "A")] for end in (1.5, True)),
    ],
    "has no label: expected a non-empty string": [[(0, 1, label)] for label in ("", 7, None)],
}
TOKENS = [{"start": start, "end": 3} for start in (None, [0], "x", 0.5, -1, False)]
LINES: dict[str, list[Any]] = {
    "": ['{"text": "abc", "spans": [', "nonsense"],
    'expected an object with a "text"': ["[]", "null", '"text"', {"spans": []}, {"text": 3, "spans": []}],
    'there is no list of "spans"; write an empty list for a text without spans': [{"text": "abc"}],
    'there is no list of "spans"': [{"text": "abc"} | own for own in ({"spans": None}, {"spans": {}}, {"marks": []})],
    "span 0 has no 'start', 'end', 'label'": [{"text": "abc", "spans": ["abc"]}],
    "span 0 has no 'end'": [{"text": "abc", "spans": [{"start": 0, "label": "A"}]}],
    "span 0 has no 'label'": [{"text": "abc", "spans": [{"start": 0, "end": 1}]}],
    **{said: [line("abc", *spans) for spans in some] for said, some in SPANS.items()},
    '"tokens" is not a list of {"start", "end"}': [line("abc", tokens=own) for own in (7, ["abc"], [{"start": 0}])],
    "token": [line("abc", tokens=[own]) for own in (*TOKENS, {"start": 0, "end": 99}, {"start": 3, "end": 0})],
    "; expected a text and its label": [
        {"text": "Ada", "mentions": [own]} for own in ("Ada", ["Ada"], ["Ada", 1], {"text": "Ada"}, None)
    ],
    "mention 0, 'Ada', has no label: expected a non-empty string": [{"text": "Ada", "mentions": [["Ada", ""]]}],
    "utf-8": [b'{"text": "ab\xff", "spans": []}', '{"text": "abc", "spans": []}'.encode("utf-16")],
    **{
        f"not valid JSON (the key '{key}' occurs twice)": [
            f'{{"{key}": {own}, "text": "ab", "id": "7", "meta": {{}}, "tokens": [], "content": "ab", '
            '"spans": [{"start": 0, "end": 1, "label": "A"}]}'
        ]
        for key, own in {
            "text": '"a"',
            "spans": "[]",
            "id": '"8"',
            "meta": "{}",
            "tokens": "[]",
            "content": '"a"',
        }.items()
    },
    **{
        f"not valid JSON (the key '{key}' occurs twice)": [
            f'{{"text": "a", "spans": [{{"{key}": {own}, "start": 0, "end": 1, "label": "A", "score": 0.5}}]}}'
        ]
        for key, own in {"start": "0", "end": "1", "label": '"B"', "score": "0.25"}.items()
    },
}
"""What is said of a line, and lines."""


@pytest.mark.parametrize(("said", "row"), [(said, row) for said, rows in LINES.items() for row in rows])
def test_a_line_that_cannot_be_read_is_named(here, tmp_path, said, row):
    bad = write(tmp_path / "gold.jsonl", GOLD[0], row, GOLD[2])
    for sides in ((bad, "wrong.jsonl"), ("short.jsonl", bad)):
        told = refused("score", *sides, "-o", tmp_path / "out.json")
        assert f"✘ {bad}, line 2: " in told and said in told
    assert [*tmp_path.iterdir()] == [bad]


@pytest.mark.parametrize("name", ["short.jsonl", "pred.spacy"])
def test_a_file_that_may_not_be_read_is_named(here, monkeypatch, name):
    def denied(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", denied)
    said = refused("score", name, name, "-o", "new.json")
    assert name in said and "Permission denied" in said


def test_long_texts_are_shortened_in_what_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("p.jsonl"), line("Bob", id="y"))
    for rows in (
        [line("Ada", id="x" * 5000), line("Bob", id="y")],
        [line("Ada", (0, 9, "L" * 5000))],
        [line("Ada", answer="L" * 5000)],
    ):
        write(Path("g.jsonl"), *rows)
        assert len(refused("score", "g.jsonl", "p.jsonl")) < 400
        with pytest.raises(ValueError) as raised:
            load("g.jsonl", unit="meta.x")
        assert len(str(raised.value)) < 400
    write(Path("g.jsonl"), line("Ada", (0, 3, "L" * 9999)))
    assert len(refused("errors", "g.jsonl", "g.jsonl", "--label", "X" * 9999)) < 500


def test_metrics_of_a_set_that_cannot_be_computed_are_left_out_aloud(here, tmp_path):
    done = run("score", "short.jsonl", "wrong.jsonl", "--metrics", "all", "-o", tmp_path / "out.json")
    said = ["tmr is excluded: it needs --train FILE", "token is excluded: the documents have no tokens"]
    assert done.exit_code == 0 and not done.stderr and [*filter(said.__contains__, done.stdout.splitlines())] == said
    assert json.loads((tmp_path / "out.json").read_text())["metrics"].keys() == {*names()} - {"tmr", "token"}
