"""No command destroys what it reads, whatever links lead there."""

import inspect
from pathlib import Path
from urllib.error import URLError

import pytest
from commands import GOLD, PRED, accepted, refused, run, write
from refusals import refused_with

from spacy_nereval.cli import guards, nereval
from spacy_nereval.cli.guards import check_files
from spacy_nereval.core.features import features
from spacy_nereval.features.parts.parts_command import Workers
from spacy_nereval.io.paths import files_under

pytestmark = pytest.mark.costly

READERS = {
    "score": ("score g.jsonl p.jsonl -m tmr --train t.jsonl", "g.jsonl p.jsonl t.jsonl"),
    "score with lexicon in an option": ("score g.jsonl p.jsonl -m tmr --tmr.train t.jsonl", "g.jsonl p.jsonl t.jsonl"),
    "evaluate": (
        "evaluate model g.jsonl -m tmr --train=t.jsonl -c code.py",
        "g.jsonl t.jsonl code.py model/config.cfg model/meta.json",
    ),
    "evaluate several": ("evaluate model g.jsonl p.jsonl -m strict", "p.jsonl"),
    "compare": ("compare g.jsonl p.jsonl one.npz --trials 20 --samples 20", "g.jsonl p.jsonl one.npz"),
    "compare runs": ("compare g.jsonl --system A=p.jsonl,one.npz --system B=t.js*", "g.jsonl p.jsonl one.npz t.jsonl"),
    "errors": ("errors g.jsonl p.jsonl", "g.jsonl p.jsonl"),
    "report": ("report g.jsonl p.jsonl t.jsonl", "g.jsonl p.jsonl t.jsonl"),
    "report with policy": ("report g.jsonl p.jsonl --policy a.json", "a.json"),
    "report with cuts": ("report g.jsonl p.jsonl --cut a.json", "a.json"),
    "thresholds": ("thresholds g.jsonl p.jsonl --apply t.jsonl brat", "g.jsonl p.jsonl t.jsonl brat/a.ann"),
    "gate": ("gate a.json g.jsonl p.jsonl,t.jsonl --baseline one.npz", "a.json g.jsonl p.jsonl t.jsonl one.npz"),
    "plan": ("plan g.jsonl p.jsonl --baseline one.npz --policy a.json", "a.json g.jsonl p.jsonl one.npz"),
    "count": ("count g.jsonl p.jsonl -m tmr --train t.jsonl", "g.jsonl p.jsonl t.jsonl"),
    "count several": ("count g.jsonl t.jsonl p.jsonl p.jsonl", "g.jsonl t.jsonl p.jsonl"),
    "merge": ("merge one.npz two.npz", "one.npz two.npz"),
    "training": ("training t.jsonl", "t.jsonl"),
    "datasets": ("datasets a.json b.json", "a.json b.json"),
    "leaderboard": ("leaderboard g.jsonl p.jsonl B=t.jsonl,one.npz", "g.jsonl p.jsonl t.jsonl one.npz"),
    "leaderboard of a table": ("leaderboard a.csv", "a.csv g.jsonl p.jsonl"),
    "leaderboard of a folder": ("leaderboard sets", "sets/news/gold.jsonl sets/news/a.jsonl"),
    "agreement": ("agreement g.jsonl p.jsonl -m tmr --train t.jsonl", "g.jsonl p.jsonl t.jsonl"),
    "score brat": ("score brat g.jsonl", "g.jsonl brat/a.ann brat/deep/b.txt"),
    "convert": ("convert g.jsonl", "g.jsonl"),
    "score counts": ("score one.npz", "one.npz"),
    "apply": ("apply g.jsonl p.jsonl t.jsonl", "g.jsonl p.jsonl t.jsonl"),
}
"""Every command that writes a file with every kind of file that it reads, and which of these are tried as outputs."""

CASES = [(command, name) for command, (_, names) in READERS.items() for name in names.split()]


@pytest.fixture
def inputs(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, rows in (("g.jsonl", GOLD), ("p.jsonl", PRED), ("t.jsonl", PRED)):
        write(tmp_path / name, *rows)
    for name in ("one.npz", "two.npz", "code.py", "a.json", "b.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "model").mkdir()
    for name in ("config.cfg", "meta.json"):
        (tmp_path / "model" / name).write_text("[nlp]")
    (tmp_path / "a.csv").write_text("data set,gold,system,predictions\nnews,g.jsonl,a,p.jsonl\n")
    (tmp_path / "sets" / "news").mkdir(parents=True)
    for name in ("gold", "a"):
        write(tmp_path / "sets" / "news" / f"{name}.jsonl", *GOLD)
    (tmp_path / "brat" / "deep").mkdir(parents=True)
    for name in ("a", "deep/b"):
        (tmp_path / "brat" / f"{name}.txt").write_text("Ada")
        (tmp_path / "brat" / f"{name}.ann").write_text("T1\tPER 0 3\tAda\n")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in files_under(folder)}


def ways(folder: Path, name: str) -> dict[str, Path]:
    """The file itself, by a longer path, by a link, by a linked folder, and by a second name."""
    found = {"itself": Path(name), "by a longer path": Path("model") / ".." / name, "absolute": folder / name}
    found["linked"] = Path("linked")
    found["linked"].symlink_to(folder / name)
    Path("home").symlink_to(folder)
    found["through a linked folder"] = Path("home") / name
    found["hard"] = Path("hard")
    found["hard"].hardlink_to(name)
    return found


OUTPUTS = {
    "score": ("-o", "--per-document"),
    "evaluate": ("-o", "--per-document"),
    "agreement": ("-o", "--write-consensus", "--units", "--disputes", "--html"),
    "thresholds": ("-o", "--csv", "--cut-file", "--html"),
    "gate": ("-o", "--junit"),
    "convert": ("--",),  # its output is an argument
}
"""The options for outputs of commands that have others than -o."""


@pytest.mark.parametrize(("command", "name"), CASES, ids=[f"{command}, {name}" for command, name in CASES])
def test_no_output_is_a_file_that_is_read(command, name, inputs):
    """Nothing is read before: most of these files cannot be."""
    found = ways(inputs, name)
    before = contents(inputs)
    for option in OUTPUTS.get(command.split()[0], ("-o",)):
        for path in found.values():
            said = refused(*READERS[command][0].split(), option, path)
            assert "an input, so it cannot be the output: choose" in said, said
    assert contents(inputs) == before


def test_every_input_of_every_command_is_tried():
    writing = {
        command.name
        for command in nereval.registered_commands
        if "output" in inspect.signature(command.callback).parameters
    }
    # init-config changes the file that it reads, and detach writes a folder.
    assert writing == {command.split()[0] for command in READERS} | {"detach", "init-config"}


def test_an_input_that_is_a_link_is_followed(inputs):
    Path("gold.jsonl").symlink_to("g.jsonl")
    assert "is an input" in refused("score", "gold.jsonl", "p.jsonl", "-o", "g.jsonl")
    (inputs / "brat" / "c.ann").symlink_to(inputs / "other.ann")
    (inputs / "other.ann").write_text("")
    assert "is an input" in refused("score", "brat", "brat", "-o", "other.ann")
    (inputs / "elsewhere").mkdir()
    (inputs / "elsewhere" / "d.ann").write_text("")
    (inputs / "brat" / "there").symlink_to(inputs / "elsewhere")
    assert "is an input" in refused("score", "brat", "brat", "-o", "elsewhere/d.ann")


def test_a_training_corpus_that_a_count_file_names_is_no_output(inputs):
    tmr = ("-m", "tmr", "--train", "t.jsonl")
    for name in ("one.npz", "two.npz"):
        accepted("count", "g.jsonl", "p.jsonl", "-o", name, *tmr)
    for ending in ("json", "jsonl"):
        Path(f"linked.{ending}").symlink_to("t.jsonl")
        Path(f"same.{ending}").hardlink_to("t.jsonl")
    before = Path("t.jsonl").read_bytes()
    for command in (
        ("score", "one.npz", "-o"),
        ("score", "one.npz", "--per-document"),
        ("score", "g.jsonl", "--system", "A=one.npz,two.npz", "-o"),
        ("compare", "g.jsonl", "one.npz", "two.npz", "--trials", "20", "-o"),
    ):
        for output in ("linked", "same"):
            path = f"{output}.json" if command[-1] == "-o" else f"{output}.jsonl"
            assert "is an input, so it cannot be the output" in run(*command, path).stderr, command
    assert Path("t.jsonl").read_bytes() == before


def test_nothing_is_written_into_a_folder_that_is_read(inputs):
    said = refused("score", "brat", "g.jsonl", "-o", "brat/new.ann")
    assert said == (
        "✘ brat/new.ann is in brat, which is an input, so it cannot be the output: choose a file outside of it"
    )
    assert "is in model" in refused("evaluate", "model", "g.jsonl", "-o", "model/new.json")
    assert "is an input" in refused("detach", "model", "model")


def test_a_package_of_a_model_is_a_folder_that_is_read(inputs, monkeypatch):
    package = inputs / "packages" / "xx_tiny"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(inputs / "packages")
    for command in ("evaluate xx_tiny g.jsonl", "errors g.jsonl xx_tiny", "count xx_tiny g.jsonl"):
        for name in ("__init__.py", "new.json"):
            assert "is in" in refused(*command.split(), "-o", package / name)


def test_parts_are_no_outputs_and_no_inputs(inputs):
    (inputs / "parts").mkdir()
    several = ("count", "g.jsonl", "t.jsonl", "p.jsonl", "p.jsonl", "--parts", "parts")
    assert "has the name of a part" in refused(*several, "-o", "parts/counts-g.jsonl.npz")
    (inputs / "parts" / "counts-g.jsonl.npz").hardlink_to("g.jsonl")
    assert "counts-g.jsonl.npz and g.jsonl are the same file" in refused(*several, "-o", "out.npz")


def test_parts_are_not_written_into_a_folder_that_is_read(inputs):
    before = contents(inputs)
    for folder, where in (("brat", "is an input"), ("brat/deep/parts", "is in brat, which is an input")):
        said = refused("count", "brat", "brat", "-o", "out.npz", "--parts", folder)
        assert said == f"✘ --parts {folder} {where}, so no parts can be written there: choose another folder"
    Path("home").symlink_to(inputs / "model")
    assert "--parts home/parts is in model" in refused("evaluate", "model", "g.jsonl", "--parts", "home/parts")
    assert contents(inputs) == before | {str(inputs / "home" / name): b"[nlp]" for name in ("config.cfg", "meta.json")}
    # Beside the files that are read they may be.
    accepted("count", "g.jsonl", "p.jsonl", "-m", "strict", "-o", "out.npz")


def test_each_input_is_looked_up_once_whatever_parts_there_are_and_however_many_outputs(inputs, monkeypatch):
    names = [f"{number}.jsonl" for number in range(6)]
    Path("parts").mkdir()
    for name in names:
        Path(name).write_text("")
        Path("parts", f"counts-{name}.npz").write_text("")
    looked_up: list[str] = []
    place = guards._place
    monkeypatch.setattr(guards, "_place", lambda name: looked_up.append(name) or place(name))
    given = {"first": names[0], "others": names[1:], "output": Path("out.npz"), "parts": "parts"}
    check_files(given, [Workers.check_files])
    assert looked_up == names
    Path("parts", "counts-5.jsonl.npz").unlink()
    Path("parts", "counts-5.jsonl.npz").hardlink_to("5.jsonl")
    with refused_with(
        ValueError,
        "parts/counts-5.jsonl.npz and 5.jsonl are the same file, which is an input, so it cannot be "
        "the output: choose another file",
    ):
        check_files(given, [Workers.check_files])


def test_two_outputs_are_two_files(inputs):
    Path("same.jsonl").symlink_to("out.jsonl")
    same = ("-o", "out.jsonl", "--per-document", "same.jsonl")
    assert "choose two files" in refused("score", "g.jsonl", "p.jsonl", *same)


def test_devices_may_be_outputs_and_inputs_may_repeat(inputs):
    for _ in range(2):
        accepted("score", "g.jsonl", "g.jsonl", "-o", "/dev/null", "--per-document", "rows.csv")


OTHERS = """align allow_repeats annotator append average best bin_kind bins both by check_repeats check_text
collapse column confidence config conflicts consensus context corpus ctx debug depth difference digits
discontinuous drop end engine errors format gpu_id half_width help_all hit independent init join json keep_counts keys
label label_from labels lang level limit link_column log_format margin match match_text max_expansion metric metrics
missing_score missing_tokens name occurrences offsets only outside parts per_label pipeline primary repair
replace_scorer replicates rule samples scheme score secondary seed sep shared_ids short sort spans_key tables title
tokenizer topic transformer trials trim unit wait word_column workers"""
"""Parameters that are no files, and `config`, which is changed in place."""


def test_every_parameter_is_known_to_be_a_file_or_not():
    """A new parameter has to be put on one of these lists."""
    found = {name for command in nereval.registered_commands for name in inspect.signature(command.callback).parameters}
    outputs = {*guards.WRITTEN, *(name for feature in features() for name in feature.outputs)}
    assert not found - {*OTHERS.split(), *guards.input_parameters(), *outputs}


@pytest.mark.parametrize(
    "command",
    [
        "score s3://bucket/g.jsonl p.jsonl",
        "score g.jsonl p.jsonl -o s3://bucket/out.json",
        "compare g.jsonl p.jsonl s3://bucket/q.jsonl",
        "compare g.jsonl --system A=s3://bucket/q.jsonl --system B=p.jsonl",
        "errors g.jsonl gs://bucket/p.jsonl",
        "merge https://host/one.npz two.npz -o x.npz",
        "training s3://bucket/t.jsonl -o out.json",
        "datasets s3://bucket/a.json b.json",
        "evaluate s3://bucket/model g.jsonl",
        "init-config s3://bucket/config.cfg",
    ],
)
def test_cloud_storage_where_only_local_files_work_is_refused(command, inputs):
    said = refused(*command.split())
    assert "://" in said and "only local files can be given here" in said


class NoSuchBucket(Exception):
    """An error of botocore, which need not be installed."""


NoSuchBucket.__module__ = "botocore.errorfactory"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NoSuchBucket("The specified bucket\ndoes not exist"), "NoSuchBucket: The specified bucket does not exist"),
        (URLError(OSError(111, "Connection refused")), "URLError: <urlopen error [Errno 111] Connection refused>"),
    ],
)
def test_what_a_cloud_library_says_is_one_line(error, said, inputs, monkeypatch):
    def missing(name: str, home: str = "") -> Path:
        if "://" in name:
            raise error
        return Path(name)

    monkeypatch.setattr("spacy_nereval.features.parts.shards.location", missing)
    given = ("count", "g.jsonl", "p.jsonl", "-o", "out.npz", "--parts", "s3://missing/parts", "-m", "strict")
    assert refused(*given) == f"✘ s3://missing/parts: cloud storage cannot be used: {said}"
    assert not Path("out.npz").exists()


def test_patterns_are_expanded_where_the_shell_left_them(inputs, tmp_path):
    """As on Windows, whose shells leave them to the programs."""
    (inputs / "one.npz").unlink(), (inputs / "two.npz").unlink()
    for name in ("g", "p"):
        write(inputs / f"{name}.jsonl", *({**row, "id": f"{name}{k}"} for k, row in enumerate(GOLD)))
        accepted("count", f"{name}.jsonl", f"{name}.jsonl", "-o", f"{name}.npz", "-m", "strict")
    assert "counts of 6 documents" in accepted("merge", "*.npz", "-o", inputs / "brat" / "all.npz")
    assert "is an input" in refused("merge", "?.npz", "-o", "g.npz")
    (inputs / "[g].npz").write_bytes((inputs / "p.npz").read_bytes())
    assert "counts of 3 documents" in accepted("merge", "[g].npz", "-o", "x.npz"), "the name of a file is no pattern"
    assert "none*.npz does not exist" in refused("merge", "none*.npz", "-o", "x.npz")
