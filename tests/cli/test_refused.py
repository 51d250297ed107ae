"""What commands refuse: one line that names the option or the file and the remedy, and nothing is written."""

import json
import os
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import GOLD, PRED, PRED_DOCS, line, refused, run, side, write
from docs import write_docs
from made_up import corpus, second
from scored import rows as scored_rows

from spacy_nereval import load, names
from spacy_nereval.io.paths import files_under

pytestmark = pytest.mark.costly  # a few hundred commands

GOLDEN = Path(__file__).parent / "golden" / "refused.txt"
CASES = re.findall(r"^\$ (.+)\n(✘ .+)$", GOLDEN.read_text("utf8"), re.MULTILINE)
"""Commands, and the whole lines that they say."""
assert len(CASES) == GOLDEN.read_text("utf8").count("\n$ "), "each command has its line"

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


@pytest.mark.parametrize(("command", "whole"), CASES, ids=[command[:80] for command, _ in CASES])
def test_a_mistake_is_one_line_and_leaves_all_files_as_they_were(here, command, whole):
    """An output that is not given is an old file, which stays; but that of a gate, which steps of CI read, says why."""
    name, *arguments = command.split()
    before = contents(here)
    output = ["-o", OUTPUTS[name]] if name in OUTPUTS and "-o" not in arguments else []
    said = refused(name, *arguments, *output)
    if os.environ.get("SPACY_NEREVAL_REGENERATE") and "…" not in whole:
        GOLDEN.write_text(GOLDEN.read_text("utf8").replace(f"$ {command}\n{whole}\n", f"$ {command}\n{said}\n"), "utf8")
    assert fnmatchcase(said, re.sub(r"([*?[])", r"[\1]", whole).replace("…", "*")), f"not {whole}"
    after = contents(here)
    if name == "gate" and after != before:
        why = json.loads(after.pop(here / OUTPUTS[name]))
        assert why["passed"] is False and why["error"] in said
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
    assert any(said in done.stderr for said in ("Invalid value", " needs ")), done.stderr
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
    said = refused("errors", "g.jsonl", "g.jsonl", "--label", "X" * 9999)
    assert len(said) < 500 and "... (9999 characters)" in said


def test_metrics_of_a_set_that_cannot_be_computed_are_left_out_aloud(here, tmp_path):
    done = run("score", "short.jsonl", "wrong.jsonl", "--metrics", "all", "-o", tmp_path / "out.json")
    said = ["tmr is excluded: it needs --train FILE", "token is excluded: the documents have no tokens"]
    assert done.exit_code == 0 and not done.stderr and [*filter(said.__contains__, done.stdout.splitlines())] == said
    assert json.loads((tmp_path / "out.json").read_text())["metrics"].keys() == {*names()} - {"tmr", "token"}
