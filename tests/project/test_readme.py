"""What the README says is what the code does."""

import re
import runpy

import catalogue
from places import ROOT
from spacy.lang.en import English
from thinc.api import Config
from typer.main import get_command

from spacy_nereval import Document, names, registry, score
from spacy_nereval.cli import nereval

README = (ROOT / "README.md").read_text(encoding="utf8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.S)


def test_what_repeats_the_code_is_current():
    script = runpy.run_path(str(ROOT / "scripts" / "docs.py"))
    for path, text in script["documents"]().items():
        assert path.read_text(encoding="utf8") == text, f"{path.name} is not current: run python scripts/docs.py"


def test_every_metric_is_in_the_choosing_table_and_has_a_section():
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf8")
    for name in names():
        assert f"[**{name}**](docs/metrics.md#{name})" in README
        assert f"\n## {name}\n" in page


def test_every_command_and_option_is_documented():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf8")
    for name, command in get_command(nereval).commands.items():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name} has no help"
            said = parameter.opts if parameter.param_type_name == "option" else [parameter.help]
            assert all(text.replace("|", r"\|") in section for text in said), (name, parameter.name)


def test_the_config_block_is_a_config_that_spacy_accepts():
    block = next(block for block in blocks("ini") if "ner_scorer" in block)
    config = Config().from_str(f"[components]\n[components.ner]\n[training]\n{block}")  # the block is an excerpt
    nlp = English()
    ner = nlp.add_pipe("ner", config={"scorer": config["components"]["ner"]["scorer"]})
    assert [metric.name for metric in ner.scorer.metrics] == ["strict", "fair"]
    assert ner.scorer.metrics[1].settings["weights"] == "fine"
    assert config["training"]["score_weights"] == {"ents_fair_f": 1.0, "ents_f": 0.0}


def test_the_example_without_spacy_objects_runs_and_says_what_comes_out():
    block = next(block for block in blocks("python") if "Document(gold=" in block)
    found: dict = {}
    exec(block.rsplit("\n", 2)[0], found)
    counts = score([found["doc"]])["metrics"]["fair"]["counts"]
    assert (counts["tp"], counts["be_s"], sum(counts.values())) == (1, 1, 2)


def test_the_own_metric_of_the_readme_works(monkeypatch):
    block = next(block for block in blocks("python") if "def found" in block)
    written: dict = {}
    exec(block, written)
    monkeypatch.setitem(catalogue.REGISTRY, (*registry.namespace, "found"), written["found"])
    document = Document(gold=[(0, 3, "A"), (5, 9, "A")], pred=[(0, 2, "B")])
    result = score([document], ["found"])["metrics"]["found"]
    assert (result["counts"], result["scores"]) == ({"hit": 1, "miss": 1}, {"share": 0.5})


def test_ci_runs_the_test_command_that_the_readme_gives():
    pattern = re.search(r"grep -m 1 -E '(.*?)'", (ROOT / ".ci" / "run").read_text())[1]
    assert [line for line in README.splitlines() if re.search(pattern, line)] == [
        "python -m pip install -e '.[test]' -r requirements.txt && python -m pytest -n 2"
    ]


def test_every_link_of_the_documentation_leads_somewhere():
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf8")
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", text):
            linked = (page.parent / target).resolve() if target else page
            assert linked.exists(), f"{page.name} links to {target}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf8"), flags=re.M)
                assert anchor in [heading.lower().replace(" ", "-") for heading in headings], f"{page.name}: #{anchor}"
