"""The files of examples/ and assets/agreement: formats, scores, configs, gates, the container, and annotators."""

import json
import math
import re
import shutil
from configparser import ConfigParser
from pathlib import Path
from shutil import copy

import pytest
import srsly
from commands import accepted, run
from places import ROOT, script
from processes import python
from thinc.api import Config

from spacy_nereval.features.gate.gate_view import HARD_WORLD
from spacy_nereval.features.gate.policy import read_policy
from spacy_nereval.integration.configs import adapt_config, new_config
from spacy_nereval.integration.spacy_files import read_docs
from spacy_nereval.io.read import read_files

EXAMPLES = ROOT / "examples"
NAMES = ("gold", "baseline", "improved")
FORMATS = ("jsonl", "spacy", "conll")
BY_HAND = (
    *("container", "gate", "README.md", "config.cfg", "marks.jsonl", "news.jsonl", "news-answers.jsonl"),
    *("notebook.ipynb", "plugin", "tasks.json", "spancat-dev.jsonl", "spancat-test.jsonl", "training_loop"),
)
"""What the script does not write: scripts/scored.py writes the last two."""


def words_of_spans(name: str, format: str) -> list[list[tuple[list[str], str]]]:
    """The words and the label of each span, for each document."""
    path = EXAMPLES / f"{name}.{format}"
    documents = [document for document in read_files(path, path) if document]
    return [[(document.text[a:b].split(), label) for a, b, label in document.gold] for document in documents]


@pytest.mark.parametrize("name", NAMES)
def test_a_corpus_has_the_same_spans_in_each_format(name):
    first, *others = (words_of_spans(name, format) for format in FORMATS)
    assert len(first) == 75 and sum(map(len, first)) > 200
    assert others == [first, first]


def result(tmp_path: Path, gold: str, pred: str) -> dict:
    output = tmp_path / "scores.json"
    accepted("score", EXAMPLES / gold, EXAMPLES / pred, "--output", output, "--metrics", METRICS)
    return json.loads(output.read_text(encoding="utf8"))


METRICS = "strict,semeval,slot_error,loio,fair,wrf,char,relaxed,overlap,plagdet,ace"


def test_every_format_gives_the_same_numbers(tmp_path):
    for system in NAMES[1:]:
        first, *others = (result(tmp_path, f"gold.{format}", f"{system}.{format}") for format in FORMATS)
        assert 0.2 < first["metrics"]["strict"]["scores"]["f"] < 0.8
        for other in others:
            assert (other["metrics"], other["documents"]) == (first["metrics"], first["documents"])


def test_the_better_system_is_the_one_of_that_name(tmp_path):
    files = [EXAMPLES / f"{name}.jsonl" for name in NAMES]
    accepted("compare", *files, "--output", tmp_path / "comparison.json", "--metrics", "fair", "--trials", "1000")
    found = json.loads((tmp_path / "comparison.json").read_text(encoding="utf8"))
    (row,) = [row for row in found["comparisons"] if row["score"] == "f"]
    assert row["difference"] > 0.05 and row["p"] < 0.05


def test_the_gold_annotation_is_that_of_the_corpus():
    """But for spans that cut a token, which are extended to the whole token."""
    lines = (ROOT / "assets" / "warranty" / "test.jsonl").read_text(encoding="utf8").splitlines()
    texts = {entry["id"]: entry["text"] for entry in map(json.loads, lines)}
    entries = [json.loads(line) for line in (EXAMPLES / "gold.jsonl").read_text(encoding="utf8").splitlines()]
    assert [entry["text"] for entry in entries] == [texts[entry["id"]] for entry in entries]


@pytest.mark.slow
def test_the_script_writes_the_files_again(tmp_path, monkeypatch):
    """From the examples themselves, by pipelines that find what is in them."""
    corpus, models = tmp_path / "corpus", tmp_path / "models"
    corpus.mkdir()
    for split, file in (("train", "train"), ("dev", "dev"), ("test", "gold")):
        shutil.copy(EXAMPLES / f"{file}.spacy", corpus / f"{split}.spacy")
    for name in NAMES[1:]:
        (models / name / "model-best").mkdir(parents=True)
    made = script("examples")

    monkeypatch.setattr(made, "predicted", lambda model, _: read_docs(EXAMPLES / f"{model.parent.name}.spacy"))
    made.main(models, corpus, tmp_path / "examples")
    written = {path.name for path in (tmp_path / "examples").iterdir()}
    assert written == {path.name for path in EXAMPLES.iterdir()} - {*BY_HAND}
    for name in written:
        new, old = tmp_path / "examples" / name, EXAMPLES / name
        if new.suffix == ".spacy":
            assert [doc.to_json() for doc in read_docs(new)] == [doc.to_json() for doc in read_docs(old)]
        else:
            assert new.read_bytes() == old.read_bytes()


def test_the_script_names_what_is_missing(tmp_path, capsys):
    with pytest.raises(SystemExit):
        script("examples").main(tmp_path, tmp_path, tmp_path)
    assert capsys.readouterr().err == f"✘ {tmp_path / 'test.spacy'} is not there: python scripts/corpus.py warranty\n"


def test_the_config_is_one_that_the_command_would_make():
    text = (EXAMPLES / "config.cfg").read_text(encoding="utf8")
    assert adapt_config(text).text == text
    config, new = (Config().from_str(each, interpolate=False) for each in (text, new_config("en", ["ner"]).text))
    assert {**config["training"], **dict.fromkeys(("max_steps", "eval_frequency"))} == {
        **new["training"], **dict.fromkeys(("max_steps", "eval_frequency"))
    }  # fmt: skip
    assert {**config, "training": 0, "paths": 0} == {**new, "training": 0, "paths": 0}
    assert all((ROOT / config["paths"][split]).is_file() for split in ("train", "dev"))


# The files for CI systems judge a candidate, and the policy beside them can be used


GATE = ROOT / "examples" / "gate"


@pytest.mark.costly
@pytest.mark.parametrize("candidate", ["improved", "baseline"])
@pytest.mark.parametrize("name", ["github-actions.yml", "gitlab-ci.yml", "pre-commit.yaml", "dvc.yaml"])
def test_each_file_judges_the_candidate_beside_it(name, candidate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for source in ("gold.jsonl", "gate/policy.cfg"):
        copy(ROOT / "examples" / source, tmp_path)
    copy(ROOT / "examples" / f"{candidate}.jsonl", "candidate.jsonl")
    run("count", "gold.jsonl", ROOT / "examples" / "improved.jsonl", "-m", "strict", "-o", "released.npz")
    steps = srsly.read_yaml(GATE / name)
    line = re.findall('nereval gate [^">]*', json.dumps(steps))[0]
    done = run(*line.split()[1:])
    assert done.exit_code == (0 if candidate == "improved" else 1), done.output
    for written in ("gate.xml", "gate.json"):
        assert Path(written).is_file() == (written in line)
    others = {each for each in line.split() if each.endswith((".jsonl", ".cfg", ".npz"))}
    if name == "dvc.yaml":
        assert {*steps["stages"]["gate"]["deps"]} == others
    elif name == "pre-commit.yaml":
        (hook,) = steps["repos"][0]["hooks"]
        assert {each for each in others if re.search(hook["files"], each)} == others


def test_the_rates_of_the_page_are_those_of_the_simulation():
    """None is above 5 per cent by more than two standard errors."""
    found = json.loads((ROOT / "benchmarks" / "gates.json").read_text("utf8"))["corpora"]
    page = (ROOT / "docs" / "explanation" / "intervals.md").read_text("utf8")
    assert [row["replications"] for row in found] == [1000, 1000]
    for rule in ("at_least", "worse_by_at_most", "rate_between"):
        met = [row["rules"][rule]["met"] for row in found]
        assert f"| `{rule}` | {met[0] / 10} % | {met[1] / 10} % |" in page
        assert max(met) <= 50 + 2 * math.sqrt(1000 * 0.05 * 0.95)
        assert all(row["gates_with_one_false_rule_met"][rule] <= row["rules"][rule]["met"] for row in found)
    whole = [row["gates_with_three_false_rules_met"] for row in found]
    assert f"| gate of all three | {whole[0] / 10} % | {whole[1] / 10} % |" in page


def test_page_and_gate_say_how_often_it_is_wrong_where_a_few_documents_have_most_of_the_errors():
    found = json.loads((ROOT / "benchmarks" / "gates.json").read_text("utf8"))["hard"]
    page = " ".join((ROOT / "docs" / "explanation" / "intervals.md").read_text("utf8").split())
    fifty, more = (row["at_least"]["met"] / row["replications"] for row in found)
    assert fifty > more > 0.05
    assert f"met in {fifty:.1%}".replace("%", " %") + " of the corpora of 50 documents" in page
    assert f"in {more:.1%}".replace("%", " %") + " of those of 200" in page
    told = f"in {fifty:.0%} of simulated corpora of 50 documents, and in {more:.0%} of those of 200".replace("%", " %")
    assert told in HARD_WORLD


def test_page_says_how_often_a_gate_is_wrong_where_few_documents_have_few_hits():
    """All that are wrong carry a flag where there are few documents: no effective number is 20 there."""
    found = json.loads((ROOT / "benchmarks" / "gates.json").read_text("utf8"))["near_zero"]
    page = " ".join((ROOT / "docs" / "explanation" / "intervals.md").read_text("utf8").split())
    (f_20, p_20), (f_50, p_50) = (
        [
            f"{row['rules'][rule]['met'] / row['replications']:.1%}".replace("%", " %")
            for rule in ("strict_f", "strict_p")
        ]
        for row in found
    )
    assert f"met in {f_20} of the corpora of 20 documents (precision: {p_20}), and in {f_50} of those of 50" in page
    assert f"({p_50}). Below 20 effective documents the gate warns." in page
    assert all(rule["flagged"] == rule["met"] <= 0.08 * found[0]["replications"] for rule in found[0]["rules"].values())


def test_plans_are_those_of_gates_that_judged_documents_drawn_again():
    found = json.loads((ROOT / "benchmarks" / "gates.json").read_text("utf8"))["plans"]
    page = (ROOT / "docs" / "explanation" / "intervals.md").read_text("utf8")
    for name in found[0]["planned"]:
        told = []
        for row in found:
            decided, planned = row["decided"][name] / row["replications"], row["planned"][name]
            assert abs(decided - planned) < 0.05
            told.append(f"{100 * planned:.0f} % ({100 * decided:.0f} %)")
        assert f"| {' | '.join(told)} |" in page, told


def test_the_policies_of_the_how_to_page_and_of_the_project_can_be_used():
    (command,) = (each for each in srsly.read_yaml(ROOT / "project.yml")["commands"] if each["name"] == "gate")
    policy = "configs/policies/gate.cfg"
    assert policy in command["deps"] and policy in command["script"][0].split()
    assert read_policy(ROOT / policy).needs_baseline
    assert len(read_policy(GATE / "policy.cfg").rules) == 4


# The recipe of the container: what it copies is enough to install the package, and its user is not root


@pytest.fixture(scope="module")
def steps() -> list[tuple[str, str]]:
    """The instructions, each with what follows it."""
    lines = (ROOT / "examples/container/Dockerfile").read_text("utf8").replace("\\\n", " ").splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def declared() -> ConfigParser:
    found = ConfigParser()
    found.read(ROOT / "setup.cfg", "utf8")
    return found


def test_what_the_recipe_names_is_declared_its_command_is_nereval_and_its_user_is_not_root(steps, declared):
    (image,) = [rest for what, rest in steps if what == "FROM"]
    (version,) = re.findall(r"^python:(3\.\d+)-slim$", image)
    assert f"Programming Language :: Python :: {version}" in declared["metadata"]["classifiers"]
    arguments = dict(rest.split("=") for what, rest in steps if what == "ARG")
    assert {*arguments["EXTRAS"].split(",")} <= {*declared["options.extras_require"]} and arguments["PACKAGES"] == '""'
    (run,) = [rest for what, rest in steps if what == "RUN"]
    assert run == 'python -m pip install --no-cache-dir ".[${EXTRAS}]" ${PACKAGES}'
    last, order = dict(steps), [what for what, _ in steps]
    assert json.loads(last["ENTRYPOINT"]) == ["nereval"]
    assert "nereval =" in declared["options.entry_points"]["console_scripts"]
    assert last["USER"] == "nobody" and last["WORKDIR"] == "/data"
    assert order.index("USER") > order.index("RUN")


def test_a_wheel_is_built_of_what_is_copied(steps, tmp_path):
    """With every file of the package."""
    for what, rest in steps:
        *sources, target = rest.split()
        for source in sources if what == "COPY" else ():
            path = ROOT / source
            assert path.exists(), source
            if path.is_dir():
                shutil.copytree(path, tmp_path / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, tmp_path / target)
    build = "import sys; from setuptools import setup; setup(script_args=['--quiet', 'build'])"
    done = python("-c", build, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    package = ROOT / "spacy_nereval"
    ends = (".py", ".html", ".css", ".js")
    wanted = {file.relative_to(package) for file in package.rglob("*") if file.suffix in ends}
    built = tmp_path / "build" / "lib" / "spacy_nereval"
    assert wanted - {file.relative_to(built) for file in built.rglob("*")} == set()


# The three annotations in assets/agreement are what the script makes of the warranty corpus, as their page says


AGREEMENT = ROOT / "assets" / "agreement"
PAGE = (AGREEMENT / "README.md").read_text(encoding="utf8")
ANNOTATORS = ("ann", "ben", "cleo")
annotators = script("annotators")


def test_the_script_writes_the_same_files_again(tmp_path):
    annotators.main(tmp_path)
    assert {path.name for path in AGREEMENT.iterdir()} == {"README.md", *(f"{name}.jsonl" for name in ANNOTATORS)}
    for name in ANNOTATORS:
        assert (tmp_path / f"{name}.jsonl").read_bytes() == (AGREEMENT / f"{name}.jsonl").read_bytes()


@pytest.mark.parametrize(("name", "texts"), [("ann", 60), ("ben", 60), ("cleo", 40)])
def test_every_annotator_has_the_texts_that_the_page_says_and_no_overlapping_spans(name, texts):
    rows = [json.loads(line) for line in (AGREEMENT / f"{name}.jsonl").read_text(encoding="utf8").splitlines()]
    assert len(rows) == texts
    assert f"| `{name}.jsonl` | {texts} |" in PAGE
    gold = {entry["id"]: entry["text"] for entry in annotators.entries("test")}
    for row in rows:
        assert row["text"] == gold[row["id"]]
        own = sorted((span["start"], span["end"]) for span in row["spans"])
        assert all(end <= start for (_, end), (start, _) in zip(own, own[1:]))


def test_the_page_gives_the_rates_of_the_slips():
    rates = [float(rate) / 100 for rate in re.findall(r"\| ([\d.]+) % of", PAGE)]
    assert rates == [annotators.SLIPS[kind] for kind in ("missed", "longer", "shorter", "label", "extra")]
