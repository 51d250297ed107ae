"""`nereval init-config`: what it changes in a config, what it keeps, and that spaCy accepts the result."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from commands import accepted, refused
from places import ROOT
from spacy.cli.debug_config import debug_config
from spacy.cli.init_config import init_config
from thinc.api import Config

from spacy_nereval.integration.configs import changed_config

pytestmark = pytest.mark.costly

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
    changed = changed_config(PARTIAL, "wrf").text
    config = Config().from_str(changed)
    assert config["components"]["ner"] == {"factory": "ner", "scorer": {"@scorers": "spacy-nereval.ner_scorer.v1"}}
    assert config["training"]["score_weights"] == {"ents_f": 0.0, "ents_wrf": 1.0}
    assert config["training"]["logger"]["@loggers"] == "spacy-nereval.logger.v1"
    assert config["initialize"] == {"vectors": None}
    assert "# The only component\n[components.ner]\nfactory" in changed
    assert changed_config(changed, "wrf").text == changed
    short = PARTIAL + '[training]\nscore_weights = {"ents_f": 0.5, "tag_acc": 0.5}\n'
    weights = Config().from_str(changed_config(short).text)["training"]["score_weights"]
    assert weights == {"ents_f": 0.0, "tag_acc": 0.5, "ents_fair_f": 0.5}
    without_scorer = PARTIAL.replace('scorer = {"@scorers":\n  "spacy.ner_scorer.v1"}\n', "")
    assert Config().from_str(changed_config(without_scorer).text) == config | {
        "training": {**config["training"], "score_weights": {"ents_f": 0.0, "ents_fair_f": 1.0}}
    }


def test_what_is_not_spacys_stays():
    mine = PARTIAL.replace("spacy.ner_scorer.v1", "mine.v1") + (
        '[components.spancat]\nfactory = "spancat"\nspans_key = "x"\n\n'
        '[training]\n\n[training.logger]\n@loggers = "spacy.WandbLogger.v3"\nproject_name = "p"\n'
    )
    changed, notes = changed_config(mine)
    config = Config().from_str(changed)
    assert config["components"]["ner"]["scorer"] == {"@scorers": "mine.v1"}
    assert config["components"]["spancat"]["scorer"] == {"@scorers": "spacy-nereval.spans_scorer.v1"}
    assert config["training"]["score_weights"] == {"spans_x_f": 0.0, "spans_x_fair_f": 1.0}
    assert config["training"]["logger"] == {"@loggers": "spacy.WandbLogger.v3", "project_name": "p"}
    assert "[training.logger] stays: spacy.WandbLogger.v3" in notes
    to_file = '[training]\n\n[training.logger]\n@loggers = "spacy.ConsoleLogger.v2"\noutput_file = "log.jsonl"\n'
    assert Config().from_str(changed_config(PARTIAL + to_file).text)["training"]["logger"]["output_file"] == "log.jsonl"


def test_the_projects_configs_are_as_the_command_would_leave_them():
    for path in (ROOT / "configs").glob("*.cfg"):
        text = path.read_text(encoding="utf8")
        assert changed_config(text).text == text


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
    assert f"{path}: components.ner has the scorer mine.v1, which is not spaCy's: --replace-scorer puts" in said
    assert "add the component 'nereval', which scores beside it" in said
    assert "is spacy-nereval.ner_scorer.v1 instead of mine.v1" in accepted("init-config", path, "--replace-scorer")
    both = PARTIAL.replace("spacy.ner_scorer.v1", "mine.v1") + '[components.spancat]\nfactory = "spancat"\n'
    assert "[components.ner.scorer] stays: mine.v1; replace_scorer=True replaces it" in changed_config(both).notes


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_the_mark_of_byte_order_stay(tmp_path, mark, end):
    path = tmp_path / "c.cfg"
    path.write_bytes((mark + PARTIAL.replace("\n", end)).encode())
    accepted("init-config", path)
    text = path.read_bytes().decode()
    plain = changed_config(PARTIAL).text
    assert text == mark + plain.replace("\n", end)
    accepted("init-config", path)
    assert path.read_bytes().decode() == text
