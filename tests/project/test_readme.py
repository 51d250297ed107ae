"""What the README says is what the code does."""

import re
import runpy
import shutil

import catalogue
from commands import run
from places import ROOT
from spacy import util
from spacy.cli._util import app as spacy_app
from spacy.cli.init_config import init_config
from spacy.lang.en import English
from thinc.api import Config
from typer.main import get_command
from typer.testing import CliRunner

from spacy_nereval import Document, create_all, names, registry, score
from spacy_nereval.cli import nereval
from spacy_nereval.integration.configs import changed_config

README = (ROOT / "README.md").read_text(encoding="utf8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.S)


def test_what_repeats_the_code_is_current():
    script = runpy.run_path(str(ROOT / "scripts" / "docs.py"))
    for path, text in script["documents"]().items():
        assert path.read_text(encoding="utf8") == text, f"{path.name} is not current: run python scripts/docs.py"


def test_every_metric_is_in_the_choosing_table_and_has_a_section():
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf8")
    for name in names():
        assert f"[**{name}**](docs/reference/metrics.md#{name})" in README
        assert f"\n## {name}\n" in page


def test_every_command_and_option_is_documented():
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf8")
    for name, command in get_command(nereval).commands.items():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name} has no help"
            said = parameter.opts if parameter.param_type_name == "option" else [parameter.help]
            assert all(text.replace("|", r"\|") in section for text in said), (name, parameter.name)


def test_the_config_blocks_replace_those_of_spacy_init_config():
    """By hand they lead to what `nereval init-config` makes."""
    replacing, adding = (block for block in blocks("ini") if "ner.scorer" in block)
    spacys = init_config(pipeline=["ner"]).to_str()
    text = spacys
    for section in re.findall(r"^\[.*?(?=^\[|\Z)", replacing, flags=re.M | re.S):
        header = section.splitlines()[0]
        text, number = re.subn(rf"^{re.escape(header)}\n.*?(?=^\[|\Z)", f"{section}\n", text, flags=re.M | re.S)
        assert number == 1, header
    by_hand = Config().from_str(text, interpolate=False)
    assert by_hand == Config().from_str(changed_config(spacys).text, interpolate=False)
    ner = English().add_pipe("ner", config={"scorer": by_hand["components"]["ner"]["scorer"]})
    assert [metric.name for metric in ner.scorer.metrics] == [metric.name for metric in create_all()]
    more = Config().from_str(f"{text}\n{adding}", interpolate=False)["components"]["ner"]["scorer"]
    chosen = English().add_pipe("ner", config={"scorer": more}).scorer.metrics
    assert [metric.name for metric in chosen] == ["strict", "fair"]
    assert chosen[1].settings["weights"] == "fine"


def test_the_plateau_replaces_the_line_that_the_page_names():
    page = (ROOT / "docs" / "how-to" / "train.md").read_text(encoding="utf8")
    (block,) = [block for block in re.findall(r"```ini\n(.*?)```", page, flags=re.S) if "plateau" in block]
    text = changed_config(init_config(pipeline=["ner"]).to_str()).text
    assert text.count("\nlearn_rate = 0.001\n") == 1
    assert "`learn_rate = 0.001` of `[training.optimizer]`" in " ".join(page.split())
    rate, logger = re.findall(r"^\[.*?(?=^\[|\Z)", block, flags=re.M | re.S)
    logged = (Config().from_str(each)["training"]["logger"] for each in (f"[training]\n{logger}", text))
    assert next(logged) == next(logged)
    merged = Config().from_str(text.replace("\nlearn_rate = 0.001\n", "\n") + f"\n{rate}")
    resolved = util.registry.resolve({"rate": merged["training"]["optimizer"]["learn_rate"]})
    assert next(iter(resolved["rate"])) == 0.0001


def test_the_first_commands_run_as_they_are_printed(tmp_path, monkeypatch):
    """On the files that are shipped, from the folder of the repository."""
    part = README.split("\n## Score files\n")[1].split("\n## ")[0]
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf8").split("\n## ")[0]
    commands = [
        line for block in re.findall(r"```bash\n(.*?)```", part + page, flags=re.S) for line in block.splitlines()
    ]
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for command in dict.fromkeys(commands):
        program, *arguments = command.removeprefix("python -m ").split()
        if program == "spacy":
            assert arguments[0] == "train"
            arguments += ["--training.max_steps", "2", "--training.eval_frequency", "2"]
            result = CliRunner().invoke(spacy_app, arguments)
            assert result.exit_code == 0, result.output
        else:
            assert program == "nereval"
            result = run(*arguments)
            assert result.exit_code == 0, result.output
    assert (tmp_path / "scores.json").is_file() and len(commands) > 6


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
        'python -m pip install -e ".[test]" -r requirements.txt && python -m pytest -n 2'
    ]


def test_every_link_of_the_documentation_leads_somewhere():
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf8")
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", text):
            linked = (page.parent / target).resolve() if target else page
            assert linked.exists(), f"{page.name} links to {target}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf8"), flags=re.M)
                assert anchor in [heading.lower().replace(" ", "-") for heading in headings], f"{page.name}: #{anchor}"
