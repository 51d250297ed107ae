"""One corpus scores the same from every format; what a format does not allow is named with file, line and reason."""

import os
import re
import tracemalloc
from importlib.metadata import distribution, entry_points
from pathlib import Path
from tempfile import TemporaryDirectory

import commands
import pytest
import writers
from asking import refusal
from hypothesis import given
from hypothesis import strategies as st
from places import RECORDED
from products import mostly_at_night
from profiles import tries
from reading import error, file_of, read, refused, result_of
from writers import Side, sides, write_lines

import spacy_nereval.io.formats
from spacy_nereval import score
from spacy_nereval.core.arguments import Reading
from spacy_nereval.io.formats import ENDINGS, Format, name_of, read_any, records
from spacy_nereval.io.formats.settings import side_formats as formats_of
from spacy_nereval.io.read import read_files

ALL = ("strict", "semeval", "slot_error", "loio", "fair", "wrf")


# One corpus, every format


def both(write, ending: str, directory: str, corpus, key: str | None = None, **settings):
    golds, preds = (write(Path(directory, f"{k}{ending}"), [pair[k] for pair in corpus]) for k in (0, 1))
    return read_files(golds, preds, key, formats=(Format(**settings), Format(**settings)))


FLAT = {
    "ours": (writers.jsonl(writers.ours), ".jsonl", {}),
    "prodigy": (writers.jsonl(writers.prodigy), ".jsonl", {}),
    "doccano": (writers.jsonl(writers.doccano), ".jsonl", {"offsets": "codepoint"}),
    "old doccano": (writers.jsonl(writers.triples("labels")), ".ndjson", {"offsets": "codepoint"}),
    "doccano 1": (writers.jsonl(writers.triples("label")), ".jsonl", {"offsets": "codepoint"}),
    "spacy 2": (writers.jsonl(writers.triples("entities")), ".jsonl", {}),
    "brat": (writers.brat, "", {}),
    "spacy": (writers.write_spacy, ".spacy", {}),
    **{scheme: (writers.conll(scheme), ".iob", {"column": 3}) for scheme in writers.SCHEMES},
    "spaces": (writers.conll(between="  "), ".conll", {"column": 3}),
    "last": (writers.conll("BILUO"), ".tsv", {}),
}


NESTED = ["ours", "prodigy", "doccano", "old doccano", "brat"]


@pytest.mark.parametrize(("name", "nested"), [*((name, False) for name in FLAT), *((name, True) for name in NESTED)])
@tries(12)
@given(data=st.data())
def test_spans_score_the_same_from_every_format_that_has_them(name, nested, data):
    write, ending, how = FLAT[name]
    corpus = data.draw(st.lists(sides(nested=nested), min_size=1, max_size=3))
    with TemporaryDirectory() as directory:
        wanted = score(both(writers.write_spacy, ".spacy", directory, corpus, "sc" if nested else None), ALL)
        assert score(both(write, ending, directory, corpus, **how), ALL) == wanted
    assert nested or wanted["gold"] == sum(len(gold.spans) for gold, _ in corpus)
    assert wanted["repaired"] == 0


@pytest.mark.parametrize("scheme", writers.SCHEMES)
@tries(12)
@given(st.lists(sides(sentences=1), min_size=1, max_size=3))
def test_tokens_score_the_same_with_and_without_words(scheme, corpus):
    """FairEval's files have token numbers alone, and not even how many there are."""
    metrics = {"strict": {}, "fair": {"unit": "token"}}
    with TemporaryDirectory() as directory:
        wanted = score(both(writers.write_spacy, ".spacy", directory, corpus), metrics)
        assert score(both(writers.faireval, ".csv", directory, corpus), metrics) == wanted
        assert score(both(writers.conll(scheme, marked=False), ".bio", directory, corpus), metrics) == wanted


@tries(12)
@given(st.lists(sides(), min_size=1, max_size=3), st.tuples(*[st.sampled_from(sorted(FLAT))] * 2))
def test_gold_and_predictions_may_have_different_formats(corpus, names):
    with TemporaryDirectory() as directory:
        wanted = score(both(writers.write_spacy, ".spacy", directory, corpus), ALL)
        paths, formats = [], []
        for k, name in enumerate(names):
            write, ending, how = FLAT[name]
            paths.append(write(Path(directory, f"{k}-other{ending}"), [pair[k] for pair in corpus]))
            formats.append(Format(**how))
        found = score(read_files(*paths, formats=tuple(formats)), ALL)
    assert found["metrics"].pop("wrf").keys() == wanted["metrics"].pop("wrf").keys()
    assert found["metrics"] == wanted["metrics"]


@pytest.mark.costly
def test_the_files_of_faireval_have_the_numbers_of_the_paper(tmp_path):
    golds, preds = (RECORDED / "faireval_ner" / f"{name}.csv" for name in ("target", "system"))
    fair = score(read_files(golds, preds), {"fair": {"unit": "token"}})
    counts = fair["metrics"]["fair"]["counts"]
    boundary = [counts.pop(name) for name in ("be_s", "be_l", "be_o")]
    assert counts == {"tp": 5159, "fp": 253, "fn": 462, "le": 252, "lbe": 155}
    assert (boundary, fair["documents"], fair["gold"], fair["pred"]) == ([71, 106, 3], 5100, 6178, 5953)


# Which format it is


NAMED = {"spacy": ".spacy", "jsonl": ".jsonl .ndjson .JSONL", "conll": ".conll .iob .bio .tsv", "faireval": ".csv"}


@pytest.mark.parametrize("ending, format", [(ending, format) for format in NAMED for ending in NAMED[format].split()])
def test_the_ending_tells_the_format(ending, format):
    assert name_of(Path(f"a{ending}")) == format
    assert name_of(Path(f"a{ending}"), Format("brat")) == "brat"


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a", "jsonl"])
def test_another_ending_needs_a_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(name_of, Path(name)).startswith(f"{name} does not exist or is not a file")
    Path(name).write_text("something")
    said = refusal(name_of, Path(name))
    assert f"cannot infer the format of {name} from its extension" in said
    assert all(word in said for word in (".jsonl", ".conll", ".csv", ".ann", "format=", "faireval"))
    assert name_of(Path(name), Format("conll")) == "conll"


def test_a_folder_is_brats_if_it_has_annotation(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("deep/a.txt", "deep/._a.ann"):
        (tmp_path / name).write_text("")
    with pytest.raises(ValueError, match=r"deep is a folder without \.ann files.*format="):
        name_of(tmp_path / "deep")
    (tmp_path / "deep" / "er" / "a.ann").write_text("")
    assert name_of(tmp_path / "deep") == "brat"


@pytest.mark.parametrize("command", ["score F G", "compare G G F", "compare F G G", "show F"])
def test_a_folder_of_other_files_is_not_searched_to_its_end(command, tmp_path, monkeypatch):
    monkeypatch.setattr(spacy_nereval.io.formats, "MOST_SEARCHED", 3)
    gold = commands.write(tmp_path / "g.jsonl", commands.line("Ada", (0, 3, "PER")))
    folder = tmp_path / "disk"
    for number in range(4):
        (folder / f"{number}").mkdir(parents=True)
        (folder / f"{number}" / "a.so").write_text("")
    arguments = [{"F": folder, "G": gold}.get(word, word) for word in command.split()]
    said = f"{folder} is a folder of which the first 3 files are no annotation: give the folder of the annotation alone"
    assert said in commands.flat(commands.run(*arguments).output)
    monkeypatch.setattr(spacy_nereval.io.formats, "MOST_SEARCHED", 5)
    (folder / "a.ann").write_text("")
    assert name_of(folder) == "brat"


def test_a_command_looks_into_a_file_once_to_infer_its_format(tmp_path, monkeypatch):
    looks = []
    monkeypatch.setitem(spacy_nereval.io.formats.DETECTORS, ".jsonl", lambda path: looks.append(path))
    ada = commands.line("Ada", (0, 3, "PER"))
    gold, pred = (commands.write(tmp_path / f"{name}.jsonl", ada) for name in ("gold", "pred"))
    commands.accepted("score", gold, pred)
    assert looks == [gold, pred]
    commands.write(gold, commands.line("Ada", (0, 3, "PER"), id="changed"))
    commands.accepted("convert", gold, tmp_path / "new.jsonl")
    assert looks == [gold, pred, gold]


@pytest.mark.parametrize("format", ["spacy", "jsonl", "conll", "brat", "faireval"])
def test_what_is_not_there_is_an_error_in_every_format(tmp_path, format):
    for path in (tmp_path / "none", write_lines(tmp_path / "file", []) if format == "brat" else tmp_path):
        missing = "is a folder without files of the format" if path == tmp_path else "does not exist or is not a file"
        wanted = {"brat": "is not a folder"}.get(format, missing)
        assert error(path, name=format).startswith(f"{path} {wanted}")


@pytest.mark.parametrize("format", ["jsonl", "conll", "faireval"])
@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\r\n\r\n"])
def test_an_empty_file_has_no_documents(tmp_path, format, data):
    (tmp_path / "a").write_bytes(data)
    assert read(tmp_path / "a", name=format) == []
    assert "there are no documents to score" in refused("score", *[tmp_path / "a"] * 2, "--format", format)


# All of them


OPTIONS = [
    (Reading(), False, (Format(), Format())),
    (Reading(format="conll", column="3"), False, (Format("conll", 3), Format("conll", 3))),
    (Reading(format="brat,conll", column="3,last"), False, (Format("brat", 3), Format("conll", -1))),
    (Reading(), True, (Format(None, -2, True), Format(None, -1, True))),
    (Reading(repair="conll", discontinuous="hull"), False, (Format(None, 0, False, "conll", "hull"),) * 2),
]


@pytest.mark.parametrize("reading, both, wanted", OPTIONS)
def test_options_as_people_write_them(reading, both, wanted):
    assert formats_of(reading, both=both) == wanted


@pytest.mark.parametrize("names", ["conll", "conll,jsonl"])
def test_formats_are_named_on_the_command_line(tmp_path, names):
    gold = file_of(tmp_path / "gold.txt", "B-A O", "O B-B")
    pred = file_of(tmp_path / "pred.txt", "B-A O", "O B-A")
    if names != "conll":
        commands.write(pred, *(commands.line("w0 w1", span) for span in ((0, 2, "A"), (3, 5, "A"))))
    found = result_of(tmp_path, gold, pred, "--format", names)["metrics"]["fair"]["counts"]
    assert {name: number for name, number in found.items() if number} == {"tp": 1, "le": 1}
    if names == "conll":
        assert result_of(tmp_path, gold, pred)["metrics"]["fair"]["counts"] == found
    else:
        assert "cannot infer the format of" in refused("score", gold, pred)


@pytest.mark.slow
@pytest.mark.parametrize("file", mostly_at_night(["a.jsonl", "a.iob", "a.csv"], by_day=["a.jsonl"]))
def test_files_are_not_held_in_memory(tmp_path, file):
    """The largest part of what is read stays far below the size of the file.

    Python keeps up to 2,000 freed tuples of a size, 0.4 MB of records, so that the file of records has to be larger.
    """
    side = Side((("word",) * 6,), frozenset({(0, 2, "A"), (3, 4, "B")}))
    written, number, column = {
        "a.jsonl": (writers.jsonl(writers.prodigy), 4000, -1),
        "a.iob": (writers.conll(marked=False), 5400, 3),
        "a.csv": (writers.faireval, 6000, -1),
    }[file]
    path = written(tmp_path / file, [side] * number)
    size = os.path.getsize(path)
    assert size > 90_000
    next(records(path, format=Format(column=column)))  # whatever is cached
    tracemalloc.start()
    found = sum(1 for _ in records(path, format=Format(column=column)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == number
    assert peak < size / 4


# Where formats are named


def test_an_unknown_format_is_refused_wherever_it_is_named(tmp_path):
    path = write_lines(tmp_path / "a.txt", ["something"])
    names = sorted({e.name for e in entry_points(group="spacy_nereval_readers")} - {"auto"})
    said = rf"a\.txt: there is no format 'xml'; expected one of {', '.join(names[:5])},"
    with pytest.raises(ValueError, match=said):
        records(path, format=Format("xml"))
    with pytest.raises(ValueError, match=r"cannot infer the format of .*a\.txt"):
        read_any(path, Format("auto"))


def test_the_package_registers_a_reader_for_each_of_its_formats():
    own = {e.name: e.value for e in distribution("spacy-nereval").entry_points if e.group == "spacy_nereval_readers"}
    assert own.pop("auto") == "spacy_nereval.io.formats:read_any"
    assert own.pop("spacy") == "spacy_nereval.integration.spacy_files:read"
    assert own == {name: f"spacy_nereval.io.formats.{name}:read" for name in own}
    files = Path(spacy_nereval.io.formats.__file__).parent.glob("[!_]*.py")
    assert {path.stem for path in files if "\ndef read(path: Path" in path.read_text(encoding="utf8")} == own.keys()
    assert {*ENDINGS.values()} <= {"spacy", *own}


def test_the_recipe_for_a_format_names_what_exists():
    root = Path(__file__).parents[2]
    recipe = re.split(r"^## ", (root / "CONTRIBUTING.md").read_text(encoding="utf8"), flags=re.M)
    (steps,) = (part for part in recipe if part.startswith("Add an input format"))
    files = set(re.findall(r"`([\w/]*\.(?:py|cfg|md))`", steps)) - {"spacy_nereval/io/formats/NAME.py"}
    known = [path for folder in ("spacy_nereval", "tests", "docs") for path in (root / folder).rglob("*.*")]
    places = {name: [path for path in [root / name, *known] if path.match(name) and path.exists()] for name in files}
    assert all(places.values()), places
    text = "".join(path.read_text(encoding="utf8") for paths in places.values() for path in paths)
    names = set(re.findall(r"`([A-Za-z_]{3,})(?:\(.*?\))?`", steps)) - {"Record"}
    assert [name for name in names if not re.search(rf"^(def |class |)\b{name}\b", text, flags=re.M)] == []
