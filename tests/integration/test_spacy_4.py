"""spaCy 4, of which there are pre-releases only: what works with it, and what does not."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT, script
from processes import ended

lowest = script("lowest")

PACKAGES = ("spacy==4.0.0.dev3", "numpy<2", "scipy")
"""The pre-release asks for numpy of any version, but its thinc was built for numpy 1."""

COMPONENT = """
import json, spacy
from spacy.training import Example

nlp = spacy.blank("en")
nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}, {"label": "LOC", "pattern": "Bob"}])
nlp.add_pipe("nereval", config={"confidence": {}})
gold = {"entities": [(0, 3, "PER"), (8, 11, "PER")]}
examples = [Example.from_dict(nlp.make_doc("Ada met Bob"), gold) for _ in range(3)]
print(json.dumps(nlp.evaluate(examples)))
"""

SCORER = """
import json, spacy
from spacy.training import Example

nlp = spacy.blank("en")
nlp.add_pipe("ner", config={"scorer": {"@scorers": "spacy-nereval.ner_scorer.v1"}})
gold = {"entities": [(0, 3, "PER"), (8, 11, "PER")]}
nlp.initialize(lambda: [Example.from_dict(nlp.make_doc("Ada met Bob"), gold)])
predicted = nlp.make_doc("Ada met Bob")
predicted.ents = [predicted.char_span(0, 3, "PER"), predicted.char_span(8, 11, "LOC")]
print(json.dumps(nlp.get_pipe("ner").score([Example.from_dict(predicted, gold)])))
"""

SCORE = """
import json, spacy, spacy_nereval
from spacy.training import Example

nlp = spacy.blank("en")
predicted = nlp.make_doc("Ada met Bob")
predicted.ents = [predicted.char_span(0, 3, "PER"), predicted.char_span(8, 11, "LOC")]
example = Example.from_dict(predicted, {"entities": [(0, 3, "PER"), (8, 11, "PER")]})
print(json.dumps(spacy_nereval.score([example]).to_dict()))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """Python with the pre-release and this package, whose own requirements exclude it."""
    folder, source = (tmp_path_factory.mktemp(name) for name in ("spacy4", "source"))
    shutil.copytree(ROOT / "spacy_nereval", source / "spacy_nereval")
    for name in lowest.BUILT_FROM:
        shutil.copy(ROOT / name, source)
    uv = shutil.which("uv")
    subprocess.run([sys.executable, "-m", "venv", *["--without-pip"] * bool(uv), folder], check=True)
    program = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [uv, "pip", "install", "--python", program] if uv else [program, "-m", "pip", "install"]
    done = ended([*install, "-q", "--only-binary", ":all:", *PACKAGES], seconds=280)  # no compiler is asked for
    if done.returncode:
        pytest.skip(f"spaCy 4 cannot be installed: {' '.join(done.stderr.split())[-400:]}")
    done = ended([*install, "-q", "--no-deps", source])
    assert done.returncode == 0, done.stderr
    return program


def result(program: str | Path, code: str, folder: Path) -> dict:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = ended([program, "-c", code], cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(re.sub(r"spacy:[\w.]+", "spacy", done.stdout))  # the signature names its version


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("code", "key"), [(COMPONENT, "ents_fair_f"), (SCORER, "ents_fair_f"), (SCORE, "metrics")])
def test_component_scorer_and_score_give_the_same_with_spacy_4(program, tmp_path, code, key):
    found = result(program, "import spacy; assert spacy.__version__[0] == '4'\n" + code, tmp_path)
    expected = result(sys.executable, code, tmp_path)
    scores = {name: value for name, value in found.items() if name != "speed"}
    assert key in scores and scores == {name: value for name, value in expected.items() if name != "speed"}


@pytest.mark.nightly
@pytest.mark.slow
def test_the_commands_do_not_load_because_spacy_4_takes_an_older_typer(program, tmp_path):
    """The pre-release takes typer<0.10, and the commands need 0.12.4. If this fails, they may work by now."""
    done = ended([program, "-m", "spacy", "nereval", "--version"], cwd=tmp_path)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "the commands of spacy-nereval cannot be loaded" in said and "Traceback" not in said
    code = "from importlib.metadata import version; print(version('typer'))"
    assert ended([program, "-c", code]).stdout.startswith("0.9.")
