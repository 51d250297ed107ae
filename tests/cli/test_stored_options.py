"""Every command that scores a model honours the options of metrics that its config gives."""

from __future__ import annotations

import inspect
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import GOLD, flat, refused, run, write

from spacy_nereval.cli import nereval
from spacy_nereval.io.count_files import load

pytestmark = pytest.mark.costly  # loads pipelines


def stored(path: Path, **metrics: dict[str, Any]) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.add_pipe("nereval", config={"metrics": metrics})
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    """Two models with options of their own, one without, and a corpus."""
    folder = tmp_path_factory.mktemp("models")
    stored(folder / "one", strict={"beta": 2.0}, fair={"beta": 0.5})
    stored(folder / "two", strict={"beta": 3.0}, fair={"beta": 0.5})
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "LOC", "pattern": "Rome"}])
    nlp.to_disk(folder / "none")
    write(folder / "g.jsonl", *GOLD)
    rule = 'score = "strict.f"\nat_least = 0.0\nrequired = false\n'
    (folder / "policy.cfg").write_text(f"[gate]\n\n[gate.rules]\n\n[gate.rules.f]\n{rule}")
    return folder


@pytest.fixture
def here(models, tmp_path, monkeypatch) -> Path:
    shutil.copytree(models, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", "one", "g.jsonl", "-m", "strict", "-o", "out.json"),
    "evaluate in parts": ("evaluate", "one", "g.jsonl", "-m", "strict", "-o", "out.json", "--parts", "parts"),
    "count": ("count", "one", "g.jsonl", "-m", "strict", "-o", "out.npz"),
    "errors": ("errors", "g.jsonl", "one", "-m", "strict"),
    "report": ("report", "g.jsonl", "one", "g.jsonl", "-m", "strict", "-o", "out.html"),
    "compare": ("compare", "g.jsonl", "g.jsonl", "one", "-m", "strict", "--trials", "20", "-o", "out.json"),
    "score": ("score", "g.jsonl", "--system", "A=one,none", "-m", "strict", "-o", "out.json"),
    "thresholds": ("thresholds", "g.jsonl", "one", "-m", "strict", "--missing-score", "1", "-o", "out.json"),
    "gate": ("gate", "policy.cfg", "g.jsonl", "one", "-o", "out.json"),
    "plan": ("plan", "g.jsonl", "one", "--policy", "policy.cfg", "-o", "out.json"),
}


def test_every_command_that_loads_models_is_tried():
    loading = {c.name for c in nereval.registered_commands if "gpu_id" in inspect.signature(c.callback).parameters}
    assert loading - {"doctor"} == {command[0] for command in COMMANDS.values()}
    assert loading - {"doctor", "gate", "plan"} == {*LEXICON}  # a rule of a gate cannot name tmr, which needs a lexicon


def beta_of(command: tuple[str, ...], printed: str) -> str:
    """The option in what the command wrote, or what it printed."""
    if command[0] == "count":
        return str(load(Path("out.npz")).metrics[0].settings["beta"])
    if "out.json" in command:
        return json.loads(Path("out.json").read_text("utf8"))["signature"].split("strict:beta=")[1].split("|")[0]
    if command[0] == "report":
        return Path("out.html").read_text("utf8").split("strict:beta=")[1].split("|")[0]
    return printed


@pytest.mark.parametrize("name", COMMANDS)
def test_options_of_the_model_are_used_and_told(name, here):
    done = run(*COMMANDS[name])
    assert done.exit_code == 0, done.output
    assert "from the config of one: --strict.beta 2.0" in flat(done.stderr)
    assert name == "errors" or beta_of(COMMANDS[name], done.stdout) == "2.0"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_line_overrides_them(name, here):
    done = run(*COMMANDS[name], "--strict.beta", "1.5")
    assert done.exit_code == 0, done.output
    assert "--strict" not in done.stderr
    assert name == "errors" or beta_of(COMMANDS[name], done.stdout) == "1.5"


def test_options_may_follow_a_single_file_that_holds_both_sides(here):
    Path("both.conll").write_text("Ada B-PER B-PER\n\n")
    assert "strict:beta=1.5" in run("score", "both.conll", "-m", "strict", "--strict.beta", "1.5").stdout
    done = run("errors", "both.conll", "-m", "strict", "--strict.beta", "1.5")
    assert (done.exit_code, "no verdicts" in done.stdout) == (0, True), done.output


def test_the_report_marks_spans_with_the_options_of_the_model(here):
    done = run(*COMMANDS["report"])
    assert "from the config of one: --fair.beta 0.5" in flat(done.stderr)


def test_models_that_store_different_options_are_refused_unless_one_is_given(here):
    systems = ("compare", "g.jsonl", "one", "two", "-m", "strict", "--trials", "20")
    assert refused(*systems) == (
        "✘ the configs of one and two differ in strict.beta (2.0 and 3.0), and systems are scored alike: "
        "give one value with --strict.beta"
    )
    assert run(*systems, "--strict.beta", "1").exit_code == 0
    assert run("compare", "g.jsonl", "one", "two", "-m", "fair", "--trials", "20").exit_code == 0  # these agree
    stored(here / "three", strict={})
    said = refused("compare", "g.jsonl", "three", "one", "-m", "strict", "--trials", "20")
    assert "differ in strict.beta (the default and 2.0)" in said


def test_a_model_without_a_scorer_of_this_package_leaves_the_options_of_others(here):
    done = run("compare", "g.jsonl", "none", "one", "-m", "strict", "--trials", "20")
    assert "from the config of one: --strict.beta 2.0" in flat(done.stderr) and "strict:beta=2.0" in done.stdout


def test_a_component_that_is_disabled_stores_no_options(here):
    config = here / "one" / "config.cfg"
    config.write_text(config.read_text("utf8").replace("disabled = []", 'disabled = ["nereval"]'), encoding="utf8")
    done = run(*COMMANDS["evaluate"])
    assert "from the config" not in done.stderr and beta_of(COMMANDS["evaluate"], done.stdout) == "1.0"


def test_a_stored_option_that_cannot_be_used_names_the_model(here):
    config = here / "one" / "config.cfg"
    config.write_text(config.read_text("utf8").replace("beta = 2.0", "beta = -2"), encoding="utf8")
    for name, command in COMMANDS.items():
        assert "the config of one cannot be used: strict.beta = -2" in refused(*command), name


def test_a_folder_of_files_is_not_taken_for_a_model(here):
    (here / "gold").mkdir()
    write(here / "gold" / "g.jsonl", *GOLD)
    for command in (("count", "gold", "gold", "-o", "x.npz"), ("evaluate", "gold", "g.jsonl")):
        said = flat(refused(*command))
        assert "gold is a folder without a config.cfg, so it is not a pipeline; to read the files in it, name" in said
        assert said.endswith(str(Path("gold", "*.jsonl")))


LEXICON = {
    "evaluate": ("evaluate", "one", "g.jsonl", "-m", "tmr", "-o", "t.json"),
    "count": ("count", "one", "g.jsonl", "-m", "tmr", "-o", "t.npz"),
    "errors": ("errors", "g.jsonl", "one", "-m", "tmr", "-o", "t.jsonl"),
    "report": ("report", "g.jsonl", "one", "-m", "tmr", "-o", "t.html"),
    "compare": ("compare", "g.jsonl", "g.jsonl", "one", "-m", "tmr", "-o", "t.json"),
    "score": ("score", "g.jsonl", "--system", "A=one,none", "-m", "tmr", "-o", "t.json"),
    "thresholds": ("thresholds", "g.jsonl", "one", "-m", "tmr", "-o", "t.json"),
}


@pytest.mark.parametrize("name", LEXICON)
def test_a_lexicon_that_the_config_names_is_no_output(name, here):
    write(here / "t.jsonl", *GOLD)
    for ending in ("html", "json", "npz"):
        (here / f"t.{ending}").hardlink_to(here / "t.jsonl")
    stored(here / "one", tmr={"train": "t.jsonl"})
    before = (here / "t.jsonl").read_bytes()
    done = run(*LEXICON[name])
    assert (done.exit_code, "so it cannot be the output" in done.stderr) == (2, True), done.output
    assert (here / "t.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("[nlp]", "is not the config of a pipeline: it has no 'pipeline'; save the pipeline again"),
        ('[nlp]\npipeline=["x"]\n[components]\nx=3', "is not the config of a pipeline; save the pipeline again"),
        ("[nlp]\npipeline=3", "is not the config of a pipeline; save the pipeline again"),
    ],
)
def test_a_config_without_a_pipeline_is_one_line(config, said, here):
    (here / "none" / "config.cfg").write_text(config)
    for command in (("evaluate", "none", "g.jsonl"), ("errors", "g.jsonl", "none")):
        assert refused(*command) == f"✘ none/config.cfg {said}"
