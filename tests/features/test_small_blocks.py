"""Blocks of two neighbours that differ in everything give what one block of all gives, through every door."""

import importlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import line, run, write
from docs import doc, example, write_docs
from places import ROOT
from products import mostly_at_night
from spacy.language import Language
from spacy.training import Example

from spacy_nereval import Document, agreement, compare, count, create_all, evaluate, score, thresholds
from spacy_nereval.core.compression import packing_stream
from spacy_nereval.distributed import count_partition
from spacy_nereval.features.parts.partitions import combine
from spacy_nereval.features.report.corrections import gold_digest
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer

LIMITS = {
    *("CROWDED", "START", "SEEN", "LARGEST", "FARTHEST", "LARGEST_SUM", "MOST_UNITS", "FARTHEST_PIECE"),
    *("LONGEST", "HELD", "GOLD_SUMS"),
}
"""Names of numbers that are like sizes, and limit what is accepted or looked at."""


def sizes() -> Iterator[tuple[str, str]]:
    """Every size of a block, page or stretch, how much is in memory at once: its module, and those that import it."""
    package = ROOT / "spacy_nereval"
    for path in package.rglob("*.py"):
        text, module = path.read_text("utf8"), ".".join(path.relative_to(package.parent).with_suffix("").parts)
        assigned = re.findall(r"^([A-Z][A-Z_, ]+) = .*(?:<<|[0-9]_000_000|(?<=TOGETHER = )\d)", text, re.MULTILINE)
        imported = re.findall(r"^from \S+ import .*\b(TOGETHER|CELLS|BLOCK|REMEMBERED)\b", text, re.MULTILINE)
        for name in {name for names in (*assigned, *imported) for name in names.split(", ")} - LIMITS:
            if (module, name) != ("spacy_nereval.evaluation.collapsing", "LARGE"):  # from which it warns
                yield module, name


SIZES = [*sizes()]


@contextmanager
def small_blocks() -> Iterator[None]:
    """Set every size to 2: blocks of two documents, rows, bytes or files."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in SIZES:
            patch.setattr(importlib.import_module(module), name, 2)
        yield


def test_every_size_of_the_package_is_set():
    """So many there are at least, in so many modules: a size that is written otherwise would be passed over."""
    assert len(SIZES) >= 34 and len({module for module, _ in SIZES}) >= 22


# Documents of which no two neighbours are alike

ADA, BOTH, BOB, ROME = (0, 3, "PER"), (0, 12, "PER"), (17, 20, "PERSON"), (24, 28, "LOC/CITY")
TEXT = "Ada Lovelace met Bob in Rome"


def scored(*spans: tuple[int, int, str, float]) -> list[dict[str, Any]]:
    return [dict(zip(("start", "end", "label", "score"), span)) for span in spans]


def corpus() -> tuple[list[Any], list[Any], list[Any]]:
    """Gold, and two systems: with tokens and without, nested, repeated, rejected, not annotated, in pieces of emoji,
    mapped labels at the ends, metadata of one author here and there."""
    tokens = [{"start": m.start(), "end": m.end()} for m in re.finditer(r"\S+", TEXT)]
    golds = [
        line("😀 is Acme 😀 Ada", (0, 2, "PER"), (5, 9, "ORG")),
        line(TEXT, BOTH, ROME, tokens=tokens),
        line(TEXT, BOTH, ADA, BOB),
        line("nothing here"),
        line("Eve", (0, 3, "PER"), answer="reject"),
        line(TEXT, BOTH, BOTH, ROME, tokens=tokens),
        line("x" * 3000, (0, 9, "ORG"), (2990, 3000, "MISC")),
        line("Oslo, Rome", (0, 4, "LOC"), (6, 10, "LOC/CITY")),
        line(TEXT, ADA, (4, 12, "PER"), BOB),
        line("Max", answer="reject"),
    ]
    preds: list[list[dict[str, Any]]] = [
        scored((0, 2, "MISC", 0.7)),
        scored((*ADA, 0.9), (*ROME, 0.4)),
        scored((*BOTH, 0.2), (*BOB, 0.7), (*ROME, 1)),
        scored((0, 7, "ORG", 0.1)),
        [],
        scored((*BOTH, 0.9), (*BOTH, 0.3)),
        scored((0, 8, "ORG", 0.5)),
        scored((0, 4, "ORG", 0.6), (6, 10, "LOC", 0.8)),
        scored((4, 12, "PER", 0.35), (17, 20, "PER", 0.6)),
        [],
    ]
    common = [{"id": f"d{k}", "meta": {"author": "abcabcdeab"[k]}} for k in range(len(golds))]
    gold = [row | more for row, more in zip(golds, common)]
    pred = [{"text": row["text"], "id": row["id"], "spans": spans} for row, spans in zip(gold, preds)]
    other = [
        row | {"spans": row["spans"][k % 2 :] + scored((0, 1, "MISC", 0.5)) * (k % 3 == 0)}
        for k, row in enumerate(pred)
    ]
    return gold, pred, other


def mentioned(rows: list[Any]) -> list[Any]:
    """Every other row with mentions in place of offsets, one of them invented."""
    found = []
    for k, row in enumerate(rows):
        listed = [{"text": row["text"][s["start"] : s["end"]].upper(), "label": s["label"]} for s in row["spans"]]
        of_mentions = {"text": row["text"], "id": row["id"], "mentions": [*listed, {"text": "Zoe", "label": "PER"}]}
        found.append(row if k % 2 else of_mentions)
    return found


def examples() -> list[Example]:
    """Examples that arrays can hold between others: of other tokens, with gaps, of another language."""
    text, group = "Ada Lovelace met Bob", {"k": [(0, 2, "PER"), (0, 1, "PER")]}
    gold = doc(text, (0, 2, "PER"), (3, 4, "PER"), spans=group, id="a")
    other = spacy.blank("de").vocab
    return [
        example(gold, doc(text, (0, 2, "PER"), spans={"k": [(0, 2, "PER")]})),
        example(doc("in Rome", (1, 2, "LOC")), doc("in R|ome", (1, 3, "LOC"))),
        example(doc("Eve slept", annotated=False), doc("Eve slept", (0, 1, "PER"))),
        example(gold, doc(text, (0, 1, "PER"), (3, 4, "ORG"))),
        example(doc("a b c", (0, 1, "X"), missing=[(1, 2)]), doc("a b c", (1, 2, "X"))),
        example(doc("Bob", (0, 1, "PER"), id="a", vocab=other), doc("Bob", (0, 1, "ORG"), vocab=other)),
        example(doc("Rome", (0, 1, "LOC"), spans={"k": []}), doc("ROME", (0, 1, "LOC"))),
        example(gold, doc("Ada Love|lace met Bob", (0, 2, "PER"), (4, 5, "PER"))),
    ]


POLICY = """[gate]
[gate.rules]
[gate.rules.overall]
at_least = 0
score = "strict_f"
[gate.rules.not_worse]
worse_by_at_most = 99
score = "fair_f"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    found: Path = tmp_path_factory.mktemp("blocks")
    gold, pred, other = corpus()
    rows = {"gold": gold, "pred": pred, "other": other, "mentions": mentioned(pred)}
    rows |= {"apply": gold[::-1], "applied": other[::-1], "half": gold[:5], "rest": gold[5:]}
    rows |= {"half-pred": pred[:5], "rest-pred": pred[5:]}
    for name, own in rows.items():
        path = write(found / f"{name}.jsonl", *own)
        for compression in (".gz", ".zst"):
            target = path.with_name(path.name + compression)
            with target.open("wb") as file, packing_stream(file, target) as stream:
                stream.write(path.read_bytes())
    marks = [
        {"digest": gold_digest(row["id"], row["text"], [(s["start"], s["end"], s["label"]) for s in row["spans"]])}
        | {"gold": row["spans"][0], "mark": "gold wrong", "decided": []}
        for row in gold[::3]
        if row["spans"]
    ]
    write(found / "marks.jsonl", *marks)
    (found / "policy.cfg").write_text(POLICY, encoding="utf8")
    write_docs(found / "gold.spacy", [each.reference for each in examples()])
    nlp = spacy.blank("xx")  # whose files are small: their hash is made of blocks of two bytes
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}, {"label": "LOC", "pattern": "Rome"}])
    nlp.to_disk(found / "model")
    return found


def written(*command: Any) -> list[bytes]:
    """What commands of one line, divided by `then`, write into files whose names begin with `out`, and say."""
    said = []
    for path in Path().glob("out*"):
        path.unlink()
    for parts in ("nereval-parts", "parts"):
        shutil.rmtree(parts, ignore_errors=True)
    for one in " ".join(map(str, command)).split(" then "):
        done = run(*one.split())
        assert done.exit_code == 0, (one, done.output)
        said.append(done.output.encode())
    paths = sorted(Path().glob("out*"))
    return [*said, *(parquet_rows(path) if path.suffix == ".parquet" else path.read_bytes() for path in paths)]


def parquet_rows(path: Path) -> bytes:
    """What a table holds, in however many groups."""
    return repr(pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()).encode()


COMMANDS = [
    "score gold.jsonl pred.jsonl -m all -C -o out.json --per-document out.csv",
    "score gold.jsonl pred.jsonl -m strict,fair --labels PERSON=PER,MISC= -C --unit meta.author -o out.json --by eLen",
    "score gold.jsonl pred.jsonl --depth 1 --only PER,LOC,ORG -m strict,mentions,wrf -o out.json",
    "score gold.jsonl mentions.jsonl -m strict,fair,mentions -o out.json",
    "score gold.jsonl pred.jsonl --cut cuts.json -m strict -C -o out.json",
    "score gold.jsonl --system A=pred.jsonl,other.jsonl -m strict,wrf -o out.json",
    "errors gold.jsonl mentions.jsonl -e all -o out.jsonl",
    "compare gold.jsonl pred.jsonl other.jsonl gold.jsonl --per-label -m strict,wrf,slot_error --trials 99 -o out.json",
    "compare gold.jsonl --system A=pred.jsonl,other.jsonl --system B=gold.jsonl,other.jsonl -m strict -o out.json",
    "agreement gold.jsonl pred.jsonl other.jsonl -m strict,char -C -o out.json --disputes out.jsonl",
    "thresholds gold.jsonl pred.jsonl --apply apply.jsonl applied.jsonl -m strict,wrf --per-label micro -o out.json",
    "thresholds gold.jsonl pred.jsonl other.jsonl -m strict,fair --per-label own --hit 0.5 -o out.json --csv out.csv",
    "thresholds gold.jsonl pred.jsonl -m strict,wrf --wrf.average micro -o out.json",
    "report gold.jsonl pred.jsonl other.jsonl -m strict,fair -C --trials 99 -o out.html",
    "count half.jsonl rest.jsonl half-pred.jsonl rest-pred.jsonl -m strict,wrf --collapse --replicates 9 "
    "--check-repeats --labels PERSON=PER,MISC= -o all.npz then score all.npz -C -o out.json",
    "count gold.jsonl mentions.jsonl -m strict,wrf,loio --replicates 9 -o a.npz then score a.npz -C -o out.json",
    "convert gold.jsonl out.conll --drop",
    "evaluate model gold.spacy -m all -C -o out.json --per-document out.csv",
    "evaluate model gold.spacy -m strict,wrf --collapse --parts parts -C -o out.json",
    "score gold.spacy gold.spacy -m all -o out.json",
    "training gold.jsonl -o out.json",
    "convert gold.jsonl out.parquet --drop then score out.parquet pred.jsonl.gz -m strict,wrf -C -o out.json",
    "score gold.jsonl.gz pred.jsonl.zst -m strict,fair --per-document out.parquet -o out.json",
    "errors gold.jsonl pred.jsonl -e all -o out.parquet",
    "gate policy.cfg gold.jsonl pred.jsonl --baseline other.jsonl -o out.json",
    "plan gold.jsonl pred.jsonl --baseline other.jsonl --difference 5 --score fair_f -o out.json",
    "apply gold.jsonl marks.jsonl -o out.jsonl",
    "compare gold.jsonl pred.jsonl other.jsonl -m strict --trials 99 --name A --name B -o out-a.json then "
    "compare apply.jsonl applied.jsonl gold.jsonl -m strict --trials 99 --name A --name B -o out-b.json then "
    "datasets out-a.json out-b.json -o out.json",
]


QUICKLY = [line for line in COMMANDS if not re.match("report|evaluate .* (-m all|--parts)", line)]
"""The commands that run by day: workers read the files of a pipeline two bytes at a time, which takes longest."""


def scorers() -> list[Any]:
    """The scorers of spaCy's configs, with units, label rules and intervals, and the component."""
    made: list[Callable[..., Any]] = [
        make_ner_scorer(["strict", "fair", "wrf", "token"], confidence={}),
        make_ner_scorer(["strict", "loio"], confidence={"unit": "block:2"}, labels={"ORG": "PER"}),
        make_spans_scorer(["strict", "fair"], "k", confidence={}),
    ]
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": name} for name in ("Ada", "Bob", "Eve")])
    nlp.add_pipe("nereval", config={"metrics": ["strict", "fair"]})
    return [*(scorer(examples()) for scorer in made), evaluated(nlp)]


def evaluated(nlp: Language) -> dict[str, Any]:
    """What a pipeline with the component scores; its speed is of the clock."""
    return {name: value for name, value in nlp.evaluate(examples()[:5]).items() if name != "speed"}


@pytest.mark.slow
@pytest.mark.parametrize("command", mostly_at_night(COMMANDS, by_day=QUICKLY))
def test_commands_write_the_same(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    Path("cuts.json").write_text('{"default": 0.3, "labels": {"ORG": 0.55}}')
    whole = written(command)
    with small_blocks():
        assert written(command) == whole
    assert len(whole) > 1 and all(whole[1:])


def in_python() -> list[Any]:
    """What Python's functions make of items, which are no files."""
    gold, pred, other = ([row["spans"] for row in rows] for rows in corpus())
    text = [row["text"] for row in corpus()[0]]
    return [
        score(gold, pred, ["strict", "fair", "wrf"], True, text=text),
        compare({"a": pred, "b": other}, gold, ["strict", "wrf"], trials=99, text=text),
        agreement({"a": gold, "b": pred, "c": other}, ["strict", "char"], confidence=True, text=text),
        thresholds(gold, pred, ["strict", "fair"], text=text),
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("made", [scorers, lambda: [each.to_json() for each in in_python()]], ids=["spaCy", "Python"])
def test_scorers_and_functions_return_the_same(made):
    whole = json.dumps(made())
    with small_blocks():
        assert json.dumps(made()) == whole


def test_unlike_partitions_add_up():
    def found() -> bytes:
        gold, pred, _ = corpus()
        rows = [{"text": a["text"], "id": a["id"], "gold": a["spans"], "pred": b["spans"]} for a, b in zip(gold, pred)]
        parts = (rows[:1], rows[1:6], [], rows[6:9], rows[9:])
        return combine(count_partition(some, "strict,fair", samples=9) for some in parts)

    whole = found()
    with small_blocks():
        assert found() == whole


def test_documents_of_different_units_cuts_and_notes_add_up():
    def documents() -> Iterator[Document | None]:
        for k, rule in enumerate(("id", "author", "id", "block", "author")):
            document = Document([(0, 3, "A")], [(0, 3, "AB"[k % 2])], "Ada", id=str(k))
            document.unit, document.unit_rule, document.mapped = f"u{k % 3}", rule, frozenset({f"m{k}"})
            document.repaired, document.ignored, document.duplicates = k, 2 * k, 3 * k
            yield document
            yield None

    def found() -> Any:
        counts = count(documents(), create_all(["strict"]))
        return counts.unit, counts.units, counts.mapped, counts.on_reading, counts.skipped, evaluate(counts)

    whole = found()
    with small_blocks():
        assert found() == whole
    assert whole[0] == "author and block and id" and whole[2] == {"m0", "m1", "m2", "m3", "m4"}
    assert (whole[3]["repaired"], whole[3]["ignored"], whole[3]["duplicates"], whole[4]) == (10, 20, 30, 5)
