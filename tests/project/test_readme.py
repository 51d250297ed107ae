"""What the README says is what the code does."""

import re

import pytest
from places import ROOT, script
from spacy import util
from spacy.cli.init_config import init_config
from spacy.lang.en import English
from thinc.api import Config
from typer.main import get_command

from spacy_nereval import create_all, names
from spacy_nereval.cli import nereval
from spacy_nereval.integration.configs import changed_config

README = (ROOT / "README.md").read_text(encoding="utf8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf8"), flags=re.S)


def test_what_repeats_the_code_is_current():
    for path, text in script("docs").documents().items():
        assert path.read_text(encoding="utf8") == text, f"{path.name} is not current: run python scripts/docs.py"


def test_every_metric_is_in_the_choosing_table_and_has_a_section():
    choosing = (ROOT / "docs" / "explanation" / "choosing.md").read_text(encoding="utf8")
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf8")
    for name in names():
        assert f"[**{name}**](../reference/metrics.md#{name})" in choosing
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
    replacing, adding = (block for block in blocks("reference/config.md", "ini") if "[components.ner.scorer" in block)
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
    page = (ROOT / "docs" / "reference" / "config.md").read_text(encoding="utf8")
    (block,) = [block for block in blocks("reference/config.md", "ini") if "plateau" in block]
    text = changed_config(init_config(pipeline=["ner"]).to_str()).text
    assert text.count("\nlearn_rate = 0.001\n") == 1
    assert "`learn_rate = 0.001` of `[training.optimizer]`" in " ".join(page.split())
    rate, logger = re.findall(r"^\[.*?(?=^\[|\Z)", block, flags=re.M | re.S)
    logged = (Config().from_str(each)["training"]["logger"] for each in (f"[training]\n{logger}", text))
    assert next(logged) == next(logged)
    merged = Config().from_str(text.replace("\nlearn_rate = 0.001\n", "\n") + f"\n{rate}")
    resolved = util.registry.resolve({"rate": merged["training"]["optimizer"]["learn_rate"]})
    assert next(iter(resolved["rate"])) == 0.0001


def test_ci_runs_the_test_command_that_the_readme_gives():
    pattern = re.search(r"grep -m 1 -E '(.*?)'", (ROOT / ".ci" / "run").read_text())[1]
    assert [line for line in README.splitlines() if re.search(pattern, line)] == [
        'python -m pip install -e ".[test]" -r requirements.txt && python -m pytest -n 2'
    ]


PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *script("doc_pages").written_pages()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf8"), flags=re.S)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", text):
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf8"), flags=re.M)
            # As GitHub and MkDocs make them of headings.
            anchors = [re.sub(r"[^\w -]", "", each.lower()).strip().replace(" ", "-") for each in headings]
            assert anchor in anchors, f"{page.name}: #{anchor}"


def test_the_index_has_every_page_under_the_heading_of_its_kind():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf8")
    kinds = {part.split("](")[1].split("/")[0]: part for part in index.split("\n### ")[1:]}
    headings = [part.split("\n")[0].split(":")[0] for part in kinds.values()]
    assert headings == ["Learn", "Do something", "Look something up", "Understand"]
    for page in (ROOT / "docs").rglob("*.md"):
        if page.name != "index.md":
            title = page.read_text(encoding="utf8").split("\n")[0].removeprefix("# ")
            assert f"- [{title}]({page.parent.name}/{page.name})" in kinds[page.parent.name]


def test_the_first_screen_of_the_readme_has_40_lines_and_shows_everything():
    first = README.split("\n## ")[0]
    assert len(first.splitlines()) <= 40
    for needed in ("pip install", "```python", "nereval score examples/", "](docs/report.png)", "nervaluate"):
        assert needed in first
    assert first.count("\n- **") == 5 and "I want to:" in first


def test_every_test_that_the_page_of_evidence_names_exists():
    page = (ROOT / "docs" / "explanation" / "evidence.md").read_text(encoding="utf8")
    named = re.findall(r"`(test_\w+\.py)::(\w+)`", page)
    assert len(named) > 20
    for file, test in named:
        (path,) = (ROOT / "tests").rglob(file)
        assert f"\ndef {test}(" in path.read_text(encoding="utf8"), test
