"""What the README, the pages, docstrings and public files say is what the code does."""

import inspect
import re
import sys
from pathlib import Path
from types import FrameType, SimpleNamespace

import pytest
import spacy
import srsly
from click.testing import CliRunner
from places import ROOT, TESTS, script
from spacy import util
from spacy.cli.init_config import init_config
from spacy.lang.en import English
from spacy.training import Example
from thinc.api import Config
from typer.main import get_command

import spacy_nereval
from spacy_nereval import authoring, create_all, distributed, names, testing
from spacy_nereval.api.shown import Shown
from spacy_nereval.cli import nereval
from spacy_nereval.cli.app import option_group
from spacy_nereval.integration.configs import adapt_config
from spacy_nereval.integration.scorer import make_ner_scorer

README = (ROOT / "README.md").read_text(encoding="utf8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf8"), flags=re.S)


def test_what_repeats_the_code_is_current():
    for path, text in script("docs").documents().items():
        assert path.read_text(encoding="utf8") == text, f"{path.name} is not current: run python scripts/docs.py"


def test_every_metric_is_in_the_choosing_table_and_has_a_section():
    choosing = (ROOT / "docs" / "how-to" / "choose-metric.md").read_text(encoding="utf8")
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
            if parameter.param_type_name == "argument":
                assert parameter.help in section, (name, parameter.name)
                continue
            flag = f"`{parameter.opts[0]}`"
            group = option_group(parameter) or "common"
            ours, taken = (
                page.split(f"\n### {group}\n")[1:2],
                re.search(rf"\[{group}\]\(#{group}\)( \(.*?\))?", section),
            )
            if f"\n- {flag}" not in section:
                assert ours and f"\n- {flag}" in ours[0].split("\n### ")[0], (name, flag)
                part = (taken[1] or "") if taken else None
                named = part is not None and (flag in part) is ("(not " not in part)
                assert group == "running" or part == "" or named, (name, flag)


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
    assert by_hand == Config().from_str(adapt_config(spacys).text, interpolate=False)
    ner = English().add_pipe("ner", config={"scorer": by_hand["components"]["ner"]["scorer"]})
    assert [metric.name for metric in ner.scorer.metrics] == [metric.name for metric in create_all()]
    more = Config().from_str(f"{text}\n{adding}", interpolate=False)["components"]["ner"]["scorer"]
    chosen = English().add_pipe("ner", config={"scorer": more}).scorer.metrics
    assert [metric.name for metric in chosen] == ["strict", "fair"]
    assert chosen[1].settings["weights"] == "fine"


def test_the_plateau_replaces_the_line_that_the_page_names():
    page = (ROOT / "docs" / "reference" / "config.md").read_text(encoding="utf8")
    (block,) = [block for block in blocks("reference/config.md", "ini") if "plateau" in block]
    text = adapt_config(init_config(pipeline=["ner"]).to_str()).text
    assert text.count("\nlearn_rate = 0.001\n") == 1
    assert "`learn_rate = 0.001` of `[training.optimizer]`" in " ".join(page.split())
    rate, logger = re.findall(r"^\[.*?(?=^\[|\Z)", block, flags=re.M | re.S)
    logged = (Config().from_str(each)["training"]["logger"] for each in (f"[training]\n{logger}", text))
    assert next(logged) == next(logged)
    merged = Config().from_str(text.replace("\nlearn_rate = 0.001\n", "\n") + f"\n{rate}")
    resolved = util.registry.resolve({"rate": merged["training"]["optimizer"]["learn_rate"]})
    assert next(iter(resolved["rate"])) == 0.0001


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_ci_runs_the_test_command_that_both_pages_give(page):
    pattern = re.search(r"grep -m 1 -E '(.*?)'", (ROOT / ".ci" / "run").read_text())[1]
    lines = (ROOT / page).read_text(encoding="utf8").splitlines()
    assert [line for line in lines if re.search(pattern, line)] == [
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
            assert anchor in anchors_of(linked.read_text(encoding="utf8")), f"{page.name}: #{anchor}"


def test_the_navigation_has_every_page_once():
    navigation = [page for pages in script("doc_pages").navigation().values() for page in pages]
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert sorted([*navigation, "index.md"]) == sorted(pages)


def test_an_address_that_moved_leads_to_a_page_that_is_there_and_the_old_one_is_gone():
    for old, new in script("doc_pages").MOVED.items():
        page, _, anchor = new.partition("/#")
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf8")
        assert not (ROOT / "docs" / f"{old}.md").exists()
        assert not anchor or anchor in anchors_of(text), new


def anchors_of(text: str) -> list[str]:
    """The anchors of the headings of a page, as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return [re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings]


def test_the_front_pages_have_at_most_60_lines_and_the_readme_shows_what_it_is():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf8")
    assert max(len(page.splitlines()) for page in (README, index)) <= 60
    for needed in ("pip install", "```python", "nereval score examples/", "](docs/report.png)", "nervaluate"):
        assert needed in README
    for word in (
        "confidence interval",
        "significan",
        "error analysis",
        "annotator agreement",
        "named-entity recognition",
    ):
        assert word in index, word


def test_the_documentation_has_at_most_46000_words():
    """As `wc -w` counts them: a longer one is read by nobody."""
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG"))]
    words = {page.name: len(page.read_text(encoding="utf8").split()) for page in pages}
    assert sum(words.values()) <= 46_000, sorted(words.items(), key=lambda item: -item[1])
    assert words["commands.md"] <= 4_600


def test_outputs_fit_into_the_column_of_the_site():
    """It shows 84 characters of a line of code. Python prints some lines that no width changes."""
    wide = {}
    for page in script("doc_pages").written_pages():
        printed = [block for block in script("blocks").blocks(page.read_text(encoding="utf8")) if block.printed]
        if page.is_relative_to(ROOT / "docs"):
            lines = [line for block in printed for line in block.code.splitlines() if len(line) > 84]
            wide |= {page.name: lines} if lines else {}
    assert wide == {}


def test_the_list_of_validations_has_every_table_of_the_five_papers():
    page = (ROOT / "benchmarks" / "validation.md").read_text(encoding="utf8")
    named: dict[str, set[str]] = {}
    current = ""
    for row in page.split("## Every table of the five papers")[1].split("\n## ")[0].splitlines():
        if row.startswith("| ") and not row.startswith(("| paper", "| ---")):
            paper, table, reproduced, why = (cell.strip() for cell in row.strip("|").split("|"))
            current = paper.partition(" ")[0] or current
            named.setdefault(current, set()).update(re.findall(r"\d+", table.partition(":")[0]))
            is_tested = reproduced.startswith(("yes", "shown", "not from"))
            assert reproduced and why and ("::test_" in why or "files" in why or not is_tested), row
    assert named == {
        "WRF": {str(k) for k in range(1, 15)},
        "LOIO": set(),
        "SER": {"1", "2"},
        "SemEval-2013": set(),
        "FairEval": {"1", "2", "5"},
    }


def test_the_page_of_evidence_names_every_table_that_has_a_number():
    page = (ROOT / "docs" / "explanation" / "evidence.md").read_text(encoding="utf8")
    rows = dict(row.strip("| ").split(" | ", 1) for row in page.splitlines() if row.startswith("| ") and " | " in row)
    numbers = [int(number) for part in re.findall(r"[\d–]+", rows["WRF paper"]) for number in part.split("–")]
    spans = [(1, 5), (7, 9)]  # written with a dash
    assert {*numbers, *(k for low, high in spans for k in range(low, high))} == {*range(1, 15)}
    assert {"1", "2"} <= {*re.findall(r"\d", rows["slot error rate (Makhoul et al.)"])}
    assert {"1", "2", "5"} <= {*re.findall(r"\d", rows["FairEval paper"])}
    assert rows["LOIO paper"] and rows["SemEval-2013"] and "308" in "".join(rows)


def test_every_test_that_the_list_of_validations_names_exists():
    page = (ROOT / "benchmarks" / "validation.md").read_text(encoding="utf8")
    named = re.findall(r"`(test_\w+\.py)::(\w+)`", page)
    assert len(named) > 20
    for file, test in named:
        (path,) = (ROOT / "tests").rglob(file)
        assert f"\ndef {test}(" in path.read_text(encoding="utf8"), test


# The walk of an Example in docs/explanation/architecture.md passes the files that it names, and no others


PACKAGE = Path(spacy_nereval.__file__).parent
PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "architecture.md"
SECTION = PAGE.read_text(encoding="utf8").split("## An Example, step by step")[1].split("\n## ")[0]
STEPS = re.findall(r"^\d+\. `([a-z_]+/[a-z_]+\.py)`", SECTION, flags=re.MULTILINE)


def test_the_walk_names_every_file_that_an_example_passes():
    """The files of the package whose functions run while an Example with a boundary error is scored."""
    nlp = spacy.blank("en")
    example = Example.from_dict(nlp("Ada Lovelace met Bob"), {"entities": [(0, 12, "PER")]})
    example.predicted.set_ents([example.predicted.char_span(0, 3, "PER")])
    score = make_ner_scorer({"fair": {}})
    score([example])  # what is imported at first use is imported now
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(PACKAGE):
            files.add(file.relative_to(PACKAGE).as_posix())

    sys.setprofile(note)
    try:
        found = score([example])
    finally:
        sys.setprofile(None)
    assert found["ents_nereval"]["metrics"]["fair"]["counts"]["be_s"] == 1
    assert files == set(re.findall(r"`([a-z_]+/[a-z_]+\.py)`", SECTION))


def test_the_walk_has_at_most_nine_steps_each_in_a_file_of_its_own():
    assert 0 < len(STEPS) == len(set(STEPS)) <= 9


def test_every_file_and_folder_that_the_page_names_exists():
    named = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", PAGE.read_text(encoding="utf8"))) - {"spacy_nereval/__init__.py"}
    assert len(named) > 60
    found = [f"/{path.relative_to(PACKAGE).as_posix()}{'/' * path.is_dir()}" for path in PACKAGE.rglob("*")]
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in found)] == []


def test_the_page_lists_the_rooms_from_top_to_bottom():
    contract = (PAGE.parents[2] / ".importlinter").read_text(encoding="utf8")
    layers = contract.split("layers =\n")[1].split("exhaustive")[0]
    rooms = [line.strip().split(" | ") for line in layers.splitlines() if line.strip()]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE.read_text(encoding="utf8"), flags=re.M)
    assert [re.findall(r"\w+", row) for row in rows][: len(rooms)] == rooms


@pytest.mark.parametrize("folder", [PACKAGE, TESTS], ids=["package", "tests"])
def test_every_module_has_a_name_of_its_own(folder):
    """So that a name in a message or a search leads to one file, and pytest can collect all tests in one process."""
    places: dict[str, list[str]] = {}
    for path in folder.rglob("*.py"):
        places.setdefault(path.stem, []).append(path.relative_to(folder).as_posix())
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert shared.keys() <= {"__init__", "conftest"}, shared


# Docstrings of the public Python API have what a reader looks for: arguments, value, errors and an example


pages = script("reference_pages")

MODULES = (spacy_nereval, authoring, distributed, testing)
"""The modules whose `__all__` is public."""


def documented():
    """The functions and classes that docs/reference/python.md lists or that are public, and the methods of results."""
    paths = [f"{module}.{name}" for module, names in pages.API.values() for name in names]
    paths += [f"{module.__name__}.{name}" for module in MODULES for name in module.__all__]
    for path in paths:
        found = pages.found_at(path)
        if not inspect.isfunction(found) and not (inspect.isclass(found) and found.__module__.startswith("spacy_")):
            continue  # a number, a text, a type annotation, or the registry
        yield path, found
        if inspect.isclass(found) and issubclass(found, Shown):
            methods = (pair for cls in (found, Shown) for pair in vars(cls).items())
            yield from ((f"{path}.{key}", of) for key, of in methods if is_method(key, of))


def is_method(name: str, value: object) -> bool:
    return inspect.isfunction(value) and not name.startswith("_") and not getattr(value, "__isabstractmethod__", False)


def lacking(function, doc: str):
    """What the docstring of a function lacks."""
    signature = inspect.signature(function)
    unnamed = [name for name in signature.parameters if name != "self" and not re.search(rf"\b{name}\b", doc)]
    if unnamed and "See `" not in doc:
        yield f"Args: {', '.join(unnamed)}"
    told = doc.startswith(("Return ", "Yield ", "Create ")) or "Returns:" in doc or "Yields:" in doc
    if signature.return_annotation not in (None, "None") and not told and "spacy-nereval." not in doc:
        yield "Returns:"
    if "    raise " in inspect.getsource(function) and "Raises:" not in doc:
        yield "Raises:"


def test_everything_documented_says_what_it_takes_returns_and_raises_and_has_an_example():
    found = {}
    for name, what in documented():
        doc = inspect.getdoc(what) or ""
        missing = [*lacking(what, doc)] if inspect.isfunction(what) else []
        if lacks := [*missing, *(["an example"] if not re.search(">>> |Example:", doc) else [])]:
            found[name] = lacks
    assert found == {}


def test_a_docstring_without_sections_is_noticed():
    def function(number: int) -> int:
        """Take it."""
        if number < 0:
            raise ValueError
        return number

    assert [*lacking(function, function.__doc__ or "")] == ["Args: number", "Returns:", "Raises:"]


# The files that the services of a repository read are valid, and the paper cites what its bibliography has


SCHEMAS = {
    ".github/workflows/ci.yml": "vendor.github-workflows",
    ".github/workflows/nightly.yml": "vendor.github-workflows",
    ".github/dependabot.yml": "vendor.dependabot",
    ".github/ISSUE_TEMPLATE/bug.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/idea.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/number.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/config.yml": "vendor.github-issue-config",
    "CITATION.cff": "vendor.citation-file-format",
    "examples/gate/github-actions.yml": "vendor.github-workflows",
    "examples/gate/gitlab-ci.yml": "vendor.gitlab-ci",
}
"""Each file to the schema that check-jsonschema has of it."""


@pytest.mark.costly
@pytest.mark.parametrize("schema", sorted({*SCHEMAS.values()}))
def test_a_file_fits_its_schema_and_one_with_a_wrong_key_does_not(schema, tmp_path):
    main = pytest.importorskip(
        "check_jsonschema", reason="the schemas come with check-jsonschema, of the extra 'test'"
    ).main
    how = ["--builtin-schema", schema, "--default-filetype", "yaml"]
    files = [ROOT / name for name, own in SCHEMAS.items() if own == schema]
    done = CliRunner().invoke(main, [*how, *map(str, files)])
    assert done.exit_code == 0, done.output
    wrong = tmp_path / files[0].name
    wrong.write_text(re.sub("(?m)^([a-z_]+|  script)(-[a-z]+)?:", r"\1-wrong:", files[0].read_text("utf8")), "utf8")
    assert CliRunner().invoke(main, [*how, str(wrong)]).exit_code == 1


def test_every_file_for_github_has_a_schema():
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / ".github").rglob("*.yml")}
    assert found == {name for name in SCHEMAS if name.startswith(".github")}


def test_each_fetched_file_has_both_checksums():
    assets = srsly.read_yaml(ROOT / "project.yml")["assets"]
    fetched = {asset["dest"]: asset["checksum"] for asset in assets}
    assert all(re.search("/[0-9a-f]{40}/", each["url"]) for each in assets), "a branch may change: name a commit"
    sums = dict(line.split()[::-1] for line in (ROOT / "assets" / "SHA256SUMS").read_text("utf8").splitlines())
    assert {*fetched} == {*sums}
    assert {len(digest) for digest in fetched.values()} == {32} and {len(digest) for digest in sums.values()} == {64}


def test_nothing_installs_the_name_from_an_index_before_there_is_a_release():
    """Whoever takes the name there would run code at our users'. A wheel that lies in the folder is no name."""
    name = r"spacy[-_]nereval(?!-\*)\b"
    asks = re.compile(rf"""install [^\n]*?(?<![\w./-])(?<!clone of )["']?{name}|dependencies = \[.*"{name}""")
    folders = (".github", "assets", "benchmarks", "configs", "docs", "examples", "scripts", "spacy_nereval")
    paths = [*ROOT.glob("*.*"), *(path for name in folders for path in (ROOT / name).rglob("*.*"))]
    ends = {".md", ".py", ".yml", ".toml", ".cfg", ".txt", ".js", ".html"}
    texts = {path: path.read_text("utf8") for path in paths if path.suffix in ends}
    found = [path for path, text in texts.items() if asks.search(text)]
    assert len(texts) > 300 and found == []
    for bad in ("pip install spacy-nereval[x]", 'pip install -U "spacy-nereval"', 'dependencies = ["spacy-nereval"]'):
        assert asks.search(bad)


@pytest.mark.slow  # .ci/run installs the extra 'docs' before the slow tests
def test_the_site_links_to_the_repository_once_it_has_an_address(monkeypatch):
    """The address stands in CITATION.cff alone; setup.cfg has to agree."""
    pytest.importorskip("mkdocs", reason="the site is made with the extra 'docs'")
    from mkdocs.config import load_config
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

    hooks = script("site_hooks")
    urls = {*re.findall(r"https?://\S+", (ROOT / "setup.cfg").read_text("utf8").partition("[options]")[0])}
    assert not urls or {url.rstrip("/") for url in urls} == {hooks.address()}
    for url in (None, "https://example.org/someone/spacy-nereval"):
        monkeypatch.setattr(hooks, "address", lambda url=url: url)
        config = load_config(str(ROOT / "mkdocs.yml"))
        hooks.on_config(config)
        assert (config.repo_url, config.repo_name) == (url, url and "someone/spacy-nereval")
        assert ("content.action.edit" in config.theme["features"]) == bool(url)
    monkeypatch.setattr(hooks, "live_pages", dict)
    config.plugins._current_plugin = "hooks"
    readme = hooks.on_files(Files([]), config=config).src_uris["project/README.md"]
    assert Page(None, readme, config).edit_url == "https://example.org/someone/spacy-nereval/edit/main/README.md"


@pytest.mark.slow  # .ci/run installs the extra 'docs' before the slow tests
def test_a_link_to_a_page_of_the_site_has_a_card():
    hooks = pytest.importorskip("mkdocs", reason="the site is made with the extra 'docs'") and script("site_hooks")
    page = SimpleNamespace(title='A "page"', url="how-to/compare/")
    for site, picture in ((None, "../../report.png"), ("https://example.org/x/", "https://example.org/x/report.png")):
        config = SimpleNamespace(site_url=site, site_description="What it is")
        head, _ = hooks.on_post_page("<head></head><body></head></body>", page=page, config=config).split("<body>")
        found = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', head))
        expected = {"title": "A &quot;page&quot;", "description": "What it is", "image": picture, "type": "website"}
        assert found == expected


def test_the_paper_cites_what_its_bibliography_has():
    """It has the sections and the length that JOSS asks for."""
    paper = (ROOT / "paper.md").read_text("utf8")
    keys = re.findall(r"(?m)^@\w+\{(\w+),", (ROOT / "paper.bib").read_text("utf8"))
    assert {*re.findall(r"@(\w+)", paper.split("---")[2])} == {*keys} and len(keys) == len({*keys})
    _, head, text = paper.split("---", 2)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= {*srsly.yaml_loads(head)}
    assert 750 <= len(text.split()) <= 1750
    assert re.findall("(?m)^# (.+)", paper) == [
        *("Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"),
        *("AI usage disclosure", "Acknowledgements", "References"),
    ]


def test_the_support_policy_names_the_versions_that_are_declared():
    said = (ROOT / "docs" / "reference" / "versions.md").read_text("utf8").partition("## Support")[2]
    setup = (ROOT / "setup.cfg").read_text("utf8")
    pythons = re.findall(r"Python :: (3\.\d+)", setup)
    spacy = re.search(r"spacy>=([\d.]+),<(\d+\.\d+)", setup)
    assert f"Python {pythons[0]} to {pythons[-1]}, and spaCy from {spacy[1]} on, before {spacy[2]}." in said
    assert f"python_requires = >={pythons[0]}" in setup
