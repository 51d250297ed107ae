"""Pipelines through `evaluate` and all other commands: scores, options that configs store, and `init-config`."""

import difflib
import inspect
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import GOLD, accepted, flat, refused, run, tables_in, write
from docs import doc, write_docs
from places import ROOT
from spacy.cli.debug_config import debug_config
from spacy.cli.init_config import init_config
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus
from thinc.api import Config

from spacy_nereval.cli import nereval
from spacy_nereval.integration.configs import adapt_config
from spacy_nereval.io.count_files import load

pytestmark = pytest.mark.costly  # loads a pipeline, in almost every test

CORPUS = [
    doc("Ada Lovelace met Bob .", (0, 2, "PER"), (3, 4, "PER"), spans={"k": [(0, 1, "A"), (3, 4, "A")]}),
    doc("Rome", (0, 1, "LOC")),
    doc("Ada", annotated=False),
    doc("Ada, Bob", (1, 2, "PER"), missing=[(0, 1)]),
    doc("nothing|_|here"),
]


def finding(name: str, label: str = "PER") -> Language:
    """A pipeline that finds one name."""
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": label, "pattern": name}])
    return nlp


def stored(path: Path, **metrics: dict[str, Any]) -> Path:
    nlp = finding("Ada")
    nlp.add_pipe("nereval", config={"metrics": metrics})
    nlp.to_disk(path)
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    """Two models with options of their own, one without, and a corpus."""
    folder = tmp_path_factory.mktemp("models")
    stored(folder / "one", strict={"beta": 2.0}, fair={"beta": 0.5})
    stored(folder / "two", strict={"beta": 3.0}, fair={"beta": 0.5})
    finding("Rome", "LOC").to_disk(folder / "none")
    write(folder / "g.jsonl", *GOLD)
    write_docs(folder / "gold.spacy", CORPUS)
    rule = 'score = "strict.f"\nat_least = 0.0\nrequired = false\n'
    (folder / "policy.cfg").write_text(f"[gate]\n\n[gate.rules]\n\n[gate.rules.f]\n{rule}")
    return folder


@pytest.fixture
def here(models, tmp_path, monkeypatch) -> Path:
    shutil.copytree(models, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def evaluated(model: Path | str, *options: Any, data: str = "gold.spacy") -> tuple[dict[str, Any], str]:
    """What `evaluate` writes, and what it says beside the tables."""
    done = run("evaluate", model, data, *options, "-o", "out.json")
    assert done.exit_code == 0, done.output
    return json.loads(Path("out.json").read_text(encoding="utf8")), done.stderr


def by_spacy(model: Path, key: str = "ents", data: str = "gold.spacy") -> dict[str, Any]:
    """What `spacy evaluate` would say."""
    nlp = spacy.load(model)
    return nlp.evaluate(list(Corpus(data)(nlp)))[f"{key}_nereval"]


def test_evaluate_says_what_the_pipeline_says_of_itself(here, model):
    printed = accepted("evaluate", model, "gold.spacy", "-t", "scores")
    written, _ = evaluated(model)
    assert written == by_spacy(model)
    assert (written["documents"], written["skipped"], written["ignored"]) == (4, 1, 1)
    assert "4 documents, 4 gold spans, 3 predicted spans, 1 document without annotation skipped" in flat(printed)
    f = 100 * written["metrics"]["strict"]["scores"]["f"]
    assert tables_in(printed)["Scores (micro)"][0][-1] == f"{f:.2f}"


def test_evaluate_scores_span_groups_too(here, model):
    written, _ = evaluated(model, "-sk", "k")
    assert written == by_spacy(model, "spans_k")
    assert written["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1}


def test_evaluate_takes_the_options_of_score(here, model):
    printed = accepted("evaluate", model, "gold.spacy", "-m", "fair", "--fair.unit", "token", "-a", "macro", "-d", "1")
    assert re.match(r"4 documents, .* skipped, 1 prediction ignored .*: fair F \(macro\) \d+\.\d \[", flat(printed))
    assert [title.split(" (")[0] for title in tables_in(printed)] == ["Labels", "Verdicts"], "no error is repeated"
    assert "fair:unit=token" in printed


def test_evaluate_keeps_the_tokens_of_a_corpus_whose_spaces_are_unknown(here, model):
    """As `spacy evaluate` does; what `spacy convert` makes of IOB and CoNLL files is of this kind."""
    gold = Doc(spacy.blank("en").vocab, words=["Eve,", "Bob"], ents=["B-PER", "O"])
    assert gold.has_unknown_spaces
    write_docs(here / "unknown.spacy", [gold])
    wanted = by_spacy(model, data="unknown.spacy")["metrics"]["strict"]["counts"]
    assert wanted == {"tp": 1, "fp": 1, "fn": 0}
    assert evaluated(model, data="unknown.spacy")[0]["metrics"]["strict"]["counts"] == wanted


def test_evaluate_imports_code_that_the_pipeline_needs(here):
    name = "first_is_person_for_the_test"
    (here / "own.py").write_text(
        "from spacy.language import Language\n"
        f"@Language.component('{name}')\n"
        "def find(doc):\n"
        "    doc.ents = [doc.char_span(0, len(doc[0]), 'PER')]\n"
        "    return doc\n"
    )
    nlp = spacy.blank("en")
    nlp.add_pipe("merge_entities", name=name)
    nlp.to_disk("model")
    config = here / "model" / "config.cfg"
    config.write_text(config.read_text(encoding="utf8").replace('"merge_entities"', f'"{name}"'), encoding="utf8")
    data = write_docs(here / "ada.spacy", [doc("Ada", (0, 1, "PER"))])
    assert name in refused("evaluate", "model", data)
    printed = accepted("evaluate", "model", data, "--code", "own.py")
    assert "fair F 100.00 [" in printed and "; no errors\n" in printed and "Also: strict 100.00" in printed


def test_one_prediction_without_annotation_among_others_is_skipped_and_told(here):
    bob = doc("Bob", (0, 1, "PER"))
    gold = write_docs(here / "few.spacy", [doc("Ada", (0, 1, "PER")), bob, doc("it")])
    pred = write_docs(here / "pred.spacy", [doc("Ada", annotated=False), bob, doc("it")])
    printed = flat(accepted("score", gold, pred))
    assert "2 documents, 1 gold span, 1 predicted span, 1 document without annotation skipped" in printed
    said = refused("compare", gold, pred, gold)
    assert "1 document is not in both systems: 2" in said and "predictions without annotation are skipped" in said


# Options that configs store

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
    "leaderboard": ("leaderboard", "g.jsonl", "one", "g.jsonl", "-m", "strict", "--trials", "20", "-o", "out.json"),
}


def beta_of(command: tuple[str, ...], printed: str) -> str:
    """The option in what the command wrote, or what it printed."""
    if command[0] == "count":
        return str(load(Path("out.npz")).metrics[0].settings["beta"])
    written = next((name for name in ("out.json", "out.html") if name in command), None)
    text = Path(written).read_text("utf8") if written else printed
    return text.split("strict:beta=")[1].split("|")[0]


def test_every_command_that_loads_models_is_tried():
    loading = {c.name for c in nereval.registered_commands if "gpu_id" in inspect.signature(c.callback).parameters}
    assert loading - {"doctor"} == {command[0] for command in COMMANDS.values()}


@pytest.mark.parametrize("name", COMMANDS)
def test_options_of_the_model_are_used_and_told_unless_the_command_line_overrides_them(name, here):
    for given, used in (((), "2.0"), (("--strict.beta", "1.5"), "1.5")):
        done = run(*COMMANDS[name], *given)
        assert done.exit_code == 0, done.output
        assert ("from the config of one: --strict.beta 2.0" in flat(done.stderr)) is (not given)
        assert not given or "--strict" not in done.stderr
        assert name == "errors" or beta_of(COMMANDS[name], done.stdout) == used
        if name == "report":  # which marks spans with those of fair
            assert "from the config of one: --fair.beta 0.5" in flat(done.stderr)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("evaluate in parts", "gate", "plan")])
def test_a_lexicon_that_the_config_names_is_no_output(name, here):
    """A rule of a gate cannot name tmr, which needs a lexicon."""
    write(here / "t.jsonl", *GOLD)
    for ending in ("html", "json", "npz"):
        (here / f"t.{ending}").hardlink_to(here / "t.jsonl")
    stored(here / "one", tmr={"train": "t.jsonl"})
    before = (here / "t.jsonl").read_bytes()
    words = [word.replace("strict", "tmr").replace("out.", "t.") for word in COMMANDS[name]]
    done = run(*words, *(("-o", "t.jsonl") if name == "errors" else ()))
    assert (done.exit_code, "so it cannot be the output" in done.stderr) == (2, True), done.output
    assert (here / "t.jsonl").read_bytes() == before


def test_options_may_follow_a_single_file_that_holds_both_sides(here):
    Path("both.conll").write_text("Ada B-PER B-PER\n\n")
    assert "strict:beta=1.5" in accepted("score", "both.conll", "-m", "strict", "--strict.beta", "1.5")
    assert "no verdicts" in accepted("errors", "both.conll", "-m", "strict", "--strict.beta", "1.5")


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
    done = run("compare", "g.jsonl", "none", "one", "-m", "strict", "--trials", "20")  # none has no scorer of ours
    assert "from the config of one: --strict.beta 2.0" in flat(done.stderr) and "strict:beta=2.0" in done.stdout


def test_options_are_those_of_the_last_component_that_scores_the_same_spans(here):
    nlp = finding("Ada")
    nlp.add_pipe("span_ruler", config={"spans_key": "k"}).add_patterns([{"label": "A", "pattern": "Ada"}])
    own = {"metrics": {"fair": {"unit": "token", "beta": 2.0}, "muc": {}, "loio": {"s": 0.0}}}
    more = {"metrics": {"fair": {"beta": 0.5}}, "ents": False}
    for name, config in {"own": own, "groups": more | {"spans_keys": ["k"]}, "other": more}.items():
        nlp.add_pipe("nereval", name=name, config=config)
    nlp.to_disk("stored")
    assert evaluated("stored")[0]["metrics"]["fair"]["settings"]["beta"] == 2.0
    found = evaluated("stored", "-sk", "k")[0]["metrics"]
    assert (found["fair"]["settings"]["unit"], found["fair"]["settings"]["beta"]) == ("char", 0.5)
    assert found["loio"]["settings"]["s"] == 0.75


def test_options_of_a_scorer_are_taken_as_those_of_the_component_are(here):
    nlp = spacy.blank("en")
    scorer = {"@scorers": "spacy-nereval.ner_scorer.v1", "metrics": {"fair": {"unit": "token"}}}
    nlp.add_pipe("entity_ruler", config={"scorer": scorer}).add_patterns([{"label": "PER", "pattern": "Ada"}])
    spans = {"@scorers": "spacy-nereval.spans_scorer.v1", "metrics": {"fair": {"beta": 2.0}}}
    ruler = nlp.add_pipe("span_ruler", config={"spans_key": "k", "scorer": spans | {"spans_key": "k"}})
    ruler.add_patterns([{"label": "A", "pattern": "Ada"}])
    nlp.to_disk("stored")
    assert evaluated("stored")[1] == 'from the config of stored: --fair.unit "token"\n'
    assert evaluated("stored", "-sk", "k")[1] == "from the config of stored: --fair.beta 2.0\n"


def changed(config: Path, old: str, new: str) -> None:
    config.write_text(config.read_text("utf8").replace(old, new), encoding="utf8")


def test_a_component_that_is_disabled_stores_no_options(here):
    changed(here / "one" / "config.cfg", "disabled = []", 'disabled = ["nereval"]')
    done = run(*COMMANDS["evaluate"])
    assert "from the config" not in done.stderr and beta_of(COMMANDS["evaluate"], done.stdout) == "1.0"


def test_a_stored_option_that_cannot_be_used_names_the_model(here):
    changed(here / "one" / "config.cfg", "beta = 2.0", "beta = -2")
    for name, command in COMMANDS.items():
        assert "the config of one cannot be used: --strict.beta -2" in refused(*command), name


def test_a_folder_of_files_is_not_taken_for_a_model(here):
    (here / "gold").mkdir()
    write(here / "gold" / "g.jsonl", *GOLD)
    for command in (("count", "gold", "gold", "-o", "x.npz"), ("evaluate", "gold", "g.jsonl")):
        said = flat(refused(*command))
        assert "gold is a folder without a config.cfg, so it is not a pipeline; to read the files in it, name" in said
        assert said.endswith(str(Path("gold", "*.jsonl")))


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "content"),
    [("ner/model", b"\xff" * 50), ("vocab/strings.json", b"{"), ("meta.json", b"["), ("tokenizer", b"\x00\x01")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_damaged_model_is_named_with_its_file(file, content, here):
    nlp = spacy.blank("en")
    nlp.add_pipe("ner").add_label("PER")
    nlp.initialize()
    nlp.to_disk("tiny")
    Path("tiny", file).write_bytes(content)
    for command in (
        ("evaluate", "tiny", "gold.spacy"),
        ("errors", "gold.spacy", "tiny"),
        ("detach", "tiny", "out"),
        ("evaluate", "tiny", "gold.spacy", "--workers", 1, "--parts", "parts"),
    ):
        done = run(*command)
        assert (done.exit_code, type(done.exception)) == (2, SystemExit), done.exception
        assert "tiny" in done.stderr and Path(file).name in done.stderr and "Traceback" not in done.stderr


# `init-config`

DATA = {f"paths.{split}": str(ROOT / "assets") for split in ("train", "dev")}


@pytest.fixture
def made(tmp_path) -> Path:
    """A config of `spacy init config` with comments of its own."""
    path = tmp_path / "config.cfg"
    text = init_config(pipeline=["tagger", "ner", "spancat"]).to_str()
    for section in ("[training.batcher]", "[components.ner]", "[components.ner.scorer]", "[training.score_weights]"):
        assert section in text
        text = text.replace(f"{section}\n", f"# Above {section}\n{section}\n# In {section}\n")
    path.write_text(text, encoding="utf8")
    return path


def test_a_config_of_spacy_is_changed_where_it_has_to_be_and_nowhere_else(made):
    before = made.read_text(encoding="utf8")
    said = accepted("init-config", made).splitlines()
    assert said == [
        "[components.ner.scorer] is spacy-nereval.ner_scorer.v1 instead of spacy.ner_scorer.v1",
        "[training.score_weights] is ents_f = 0.0, ents_fair_f = 0.33",
        "[components.spancat.scorer] is spacy-nereval.spans_scorer.v1 instead of spacy.spancat_scorer.v1",
        "[training.score_weights] is spans_sc_f = 0.0, spans_sc_fair_f = 0.33",
        "[training.logger] is spacy-nereval.logger.v1 instead of spacy.ConsoleLogger.v1",
        f"✔ {made}",
    ]
    after = made.read_text(encoding="utf8")
    changes = [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]
    assert sorted(line for line in changes if line[2:3] != "#") == sorted(
        [
            *('- @loggers = "spacy.ConsoleLogger.v1"', "- progress_bar = false"),
            *('+ @loggers = "spacy-nereval.logger.v1"', "+ progress_bar = null"),
            *("- ents_f = 0.33", "+ ents_f = 0.0", "+ ents_fair_f = 0.33"),
            *("- spans_sc_f = 0.33", "+ spans_sc_f = 0.0", "+ spans_sc_fair_f = 0.33"),
            *('- @scorers = "spacy.ner_scorer.v1"', '+ @scorers = "spacy-nereval.ner_scorer.v1"'),
            *('- @scorers = "spacy.spancat_scorer.v1"', '+ @scorers = "spacy-nereval.spans_scorer.v1"'),
        ]
    )
    # The only comment that is lost is one within a section that was replaced.
    assert [line for line in changes if line.startswith("- #")] == ["- # In [components.ner.scorer]"]
    assert sum(line.startswith("+ #") for line in changes) == 6
    again = accepted("init-config", made)
    assert again.endswith(f"✔ {made}: there was nothing to change\n") and " is " not in again
    assert made.read_text(encoding="utf8") == after


def test_spacy_accepts_the_changed_config_and_a_new_one(made, tmp_path, capsys):
    accepted("init-config", made)
    new = tmp_path / "new.cfg"
    accepted("init-config", "-o", new)
    for path in (made, new):
        debug_config(path, overrides=DATA)
        assert "Config is valid" in capsys.readouterr().out


def test_a_new_config_is_that_of_spacy_but_for_the_changes():
    printed = Config().from_str(accepted("init-config", "--lang", "de", "--pipeline", "ner"), interpolate=False)
    spacys = init_config(lang="de", pipeline=["ner"])
    spacys["components"]["ner"]["scorer"] = {"@scorers": "spacy-nereval.ner_scorer.v1"}
    spacys["training"]["logger"] = {"@loggers": "spacy-nereval.logger.v1", "progress_bar": None}
    weights = {"ents_f": 0.0, "ents_p": 0.0, "ents_r": 0.0, "ents_per_type": None, "ents_fair_f": 1.0}
    spacys["training"]["score_weights"] = weights
    assert printed == spacys


PARTIAL = """
[nlp]
lang = "en"
pipeline = ["ner"]

[components]

# The only component
[components.ner]
factory = "ner"
scorer = {"@scorers":
  "spacy.ner_scorer.v1"}

[initialize]
vectors = null
"""


def test_short_forms_and_missing_sections_become_sections():
    changed = adapt_config(PARTIAL, "wrf").text
    config = Config().from_str(changed)
    assert config["components"]["ner"] == {"factory": "ner", "scorer": {"@scorers": "spacy-nereval.ner_scorer.v1"}}
    assert config["training"]["score_weights"] == {"ents_f": 0.0, "ents_wrf": 1.0}
    assert config["training"]["logger"]["@loggers"] == "spacy-nereval.logger.v1"
    assert config["initialize"] == {"vectors": None}
    assert "# The only component\n[components.ner]\nfactory" in changed
    assert adapt_config(changed, "wrf").text == changed
    short = PARTIAL + '[training]\nscore_weights = {"ents_f": 0.5, "tag_acc": 0.5}\n'
    weights = Config().from_str(adapt_config(short).text)["training"]["score_weights"]
    assert weights == {"ents_f": 0.0, "tag_acc": 0.5, "ents_fair_f": 0.5}
    without_scorer = PARTIAL.replace('scorer = {"@scorers":\n  "spacy.ner_scorer.v1"}\n', "")
    assert Config().from_str(adapt_config(without_scorer).text) == config | {
        "training": {**config["training"], "score_weights": {"ents_f": 0.0, "ents_fair_f": 1.0}}
    }


def test_what_is_not_spacys_stays():
    mine = PARTIAL.replace("spacy.ner_scorer.v1", "mine.v1") + (
        '[components.spancat]\nfactory = "spancat"\nspans_key = "x"\n\n'
        '[training]\n\n[training.logger]\n@loggers = "spacy.WandbLogger.v3"\nproject_name = "p"\n'
    )
    changed, notes = adapt_config(mine)
    config = Config().from_str(changed)
    assert config["components"]["ner"]["scorer"] == {"@scorers": "mine.v1"}
    assert config["components"]["spancat"]["scorer"] == {"@scorers": "spacy-nereval.spans_scorer.v1"}
    assert config["training"]["score_weights"] == {"spans_x_f": 0.0, "spans_x_fair_f": 1.0}
    assert config["training"]["logger"] == {"@loggers": "spacy.WandbLogger.v3", "project_name": "p"}
    assert "[training.logger] stays: spacy.WandbLogger.v3" in notes
    to_file = '[training]\n\n[training.logger]\n@loggers = "spacy.ConsoleLogger.v2"\noutput_file = "log.jsonl"\n'
    assert Config().from_str(adapt_config(PARTIAL + to_file).text)["training"]["logger"]["output_file"] == "log.jsonl"


def test_the_projects_configs_are_as_the_command_would_leave_them():
    for path in (ROOT / "configs").glob("*.cfg"):
        text = path.read_text(encoding="utf8")
        assert adapt_config(text).text == text


REFUSED = {
    "config.cfg --score f": "there is no score 'f'; expected one such as strict_f",
    "config.cfg --score ser": "for 'ser' lower is better",
    "config.cfg --lang en": "--lang en is for a new config",
    "config.cfg -o nowhere/a.cfg": "there is no directory",
    "-o config.cfg": "config.cfg exists: choose another file",
    "--lang qq": "spaCy has no such language",
    "--pipeline nre": "spaCy has no component 'nre'",
    "--pipeline tagger": "no component predicts entities",
    "none.cfg": "does not exist",
}
SHAPES = ("[components]\nner = 3\n", "[training]\nlogger = 3\n", '[training.score_weights]\nents_f = "x"\n')


def test_mistakes_are_said_in_a_line_and_change_nothing(made, monkeypatch):
    monkeypatch.chdir(made.parent)
    before = made.read_bytes()
    for arguments, said in REFUSED.items():
        assert said in refused("init-config", *arguments.split())
    for text in ("no config", "[a]\nx = 1\n[a]\nx = 2\n", "", "\udcff", *SHAPES):
        Path("other.cfg").write_bytes(data := text.encode("utf8", "surrogateescape"))
        assert "other.cfg" in refused("init-config", "other.cfg")
        assert Path("other.cfg").read_bytes() == data
    assert made.read_bytes() == before


def test_a_scorer_of_its_own_is_named_and_replaced_only_if_wished(tmp_path):
    path = tmp_path / "c.cfg"
    path.write_text(PARTIAL.replace("spacy.ner_scorer.v1", "mine.v1"), encoding="utf8")
    said = refused("init-config", path)
    assert f"{path}: components.ner has the scorer mine.v1, which is not spaCy's: --replace-scorer replaces it" in said
    assert "add the component 'nereval', which adds scores" in said
    assert "is spacy-nereval.ner_scorer.v1 instead of mine.v1" in accepted("init-config", path, "--replace-scorer")
    both = PARTIAL.replace("spacy.ner_scorer.v1", "mine.v1") + '[components.spancat]\nfactory = "spancat"\n'
    assert "[components.ner.scorer] stays: mine.v1; replace_scorer=True replaces it" in adapt_config(both).notes


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_the_mark_of_byte_order_stay(tmp_path, mark, end):
    path = tmp_path / "c.cfg"
    path.write_bytes((mark + PARTIAL.replace("\n", end)).encode())
    accepted("init-config", path)
    text = path.read_bytes().decode()
    plain = adapt_config(PARTIAL).text
    assert text == mark + plain.replace("\n", end)
    accepted("init-config", path)
    assert path.read_bytes().decode() == text
