"""The files that the services of a repository read are valid, and the paper cites what its bibliography has."""

import re
from types import SimpleNamespace

import pytest
import srsly
from places import ROOT, script
from processes import python

SCHEMAS = {
    ".github/workflows/ci.yml": "vendor.github-workflows",
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
    pytest.importorskip("check_jsonschema", reason="the schemas come with check-jsonschema, of the extra 'test'")
    how = ("-m", "check_jsonschema", "--builtin-schema", schema, "--default-filetype", "yaml")
    files = [ROOT / name for name, own in SCHEMAS.items() if own == schema]
    done = python(*how, *files)
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / files[0].name
    wrong.write_text(re.sub("(?m)^([a-z_]+|  script)(-[a-z]+)?:", r"\1-wrong:", files[0].read_text("utf8")), "utf8")
    assert python(*how, wrong).returncode == 1


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
