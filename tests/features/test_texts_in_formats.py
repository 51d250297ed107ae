"""One policy for texts of others in every format that is written: none is a mark, link, formula or control."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from commands import run, write
from products import NIGHT, pairwise
from reading import read

from spacy_nereval import gate
from spacy_nereval.features.gate.gate_view import junit
from spacy_nereval.features.gate.policy import TEMPLATE

HOSTILE = {
    "GitHub": "@user #1 GH-1 owner/repo#2 https://a.example/b www.example.org ann@example.org [x](//a) ![a](b)",
    "HTML": "</script><b><script>alert(1)</script><!-- x <img src=x onerror=alert(1)> &amp;#64; ]]>",
    "controls": "a\x00b\ufffe\uffff\x1b[2J\x9b2J\u202eabc\u2066\u2028\n# heading\r\n|a|`b`",
    "formula": "=1+1|'`~",
    "plus": "+1 +cmd|' /C calc'!A0",
    "at": "@SUM(1)",
    "LaTeX": r"\input{ a} $x_1^2$ 50% & # ~ { } \end{ tabular}",
    "surrogate": "\ud800%s$x",
}

CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write files with a text in every field: label, id, text, attributes, fields of documents, and a rule."""
    monkeypatch.chdir(tmp_path)

    def make(text):
        sides = {"gold": (text, "A"), "pred": ("A", text)}
        for side, labels in sides.items():
            rows = []
            for number in range(3):
                spans = [
                    {"start": 0, "end": 3, "label": labels[number % 2]},
                    {"start": 4, "end": 4 + len(text), "label": text, "attributes": {text: text}},
                ]
                meta = {"source": text, text: text}
                rows.append({"id": f"{text}{number}", "text": f"Ada {text} met", "spans": spans, "meta": meta})
            write(tmp_path / f"{side}.jsonl", *rows)
        said = CONTROLS.sub("", text).replace("$", "").replace("%", "").replace("\n", " ").replace("\r", "")
        label, name = json.dumps(said), re.sub(r"[].:\u2028]", "", said).strip()
        config = TEMPLATE.replace('score = "strict_f"\nat_least', f'score = "strict_f"\nlabel = {label}\nat_least')
        config = config.replace("[gate.rules.overall]", f"[gate.rules.{name}]")
        config = config.replace("families = {}", f"families = {json.dumps({said: [name, 'predicted']})}")
        (tmp_path / "policy.cfg").write_text(config, encoding="utf8")
        listed = json.dumps({"data set": text, "gold": "gold.jsonl", "system": text, "predictions": "pred.jsonl"})
        other = json.dumps({"data set": text, "gold": "gold.jsonl", "system": "B", "predictions": "gold.jsonl"})
        (tmp_path / "board.jsonl").write_text(f"{listed}\n{other}\n", encoding="utf8")
        return re.sub("[=,/\x00\ud800]", "", text)  # as files and names are given to commands

    return make


COMMANDS = {
    "score": "score gold.jsonl pred.jsonl -t all --by meta.source",
    "errors": "errors gold.jsonl pred.jsonl",
    "compare": "compare gold.jsonl NAME=pred.jsonl B=gold.jsonl",
    "leaderboard": "leaderboard board.jsonl",
    "systems": "leaderboard gold.jsonl NAME=pred.jsonl B=gold.jsonl",
    "agreement": "agreement gold.jsonl pred.jsonl --name NAME --name B",
    "gate": "gate policy.cfg gold.jsonl pred.jsonl --baseline gold.jsonl --junit gate.xml",
}


class Tags(HTMLParser):
    """Collects the names of elements and the attributes of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.comments = set(), set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_comment(self, data):
        self.comments.append(data)


def check_markdown(shown):
    assert not re.search(r"(?<![\w&])@\w|(?<![\w&])#\d|GH-\d|\w://|www\.\w", shown), shown
    assert not re.search(r"(?<!\\)<(?!!-- -->)", shown), shown
    assert not re.search(r"(?<!\\)\]\(", shown), shown


def check_latex(shown):
    shown = "\n".join(row for row in shown.splitlines() if not row.startswith("%"))
    assert r"\input" not in shown and r"\end{ tabular}" not in shown
    assert not re.search(r"(?<!\\)\$x|50(?<!\\)%|(?<!\\)# ~|\^2", shown)


def check_html(shown):
    page = Tags(shown)
    assert not page.tags & {"script", "img", "b", "a"} and not page.comments, page.tags
    assert not {name for name in page.attributes if name.startswith("on")}


def check_csv(shown):
    cells = [cell for row in csv.reader(io.StringIO(shown)) for cell in row]
    assert not [cell for cell in cells if re.match(r"[=@\t\r]|[+-](?![\d.]+$)", cell)]


CHECKS = {
    "markdown": check_markdown,
    "latex": check_latex,
    "html": check_html,
    "csv": check_csv,
    "json": json.loads,
    "terminal": len,
}


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("name", "command", "format"), pairwise(HOSTILE, COMMANDS, CHECKS))
def test_no_text_of_others_is_more_than_a_text_in_any_format(name, command, format, files, tmp_path):
    system = files(HOSTILE[name])
    result = run(*(part.replace("NAME", system) for part in COMMANDS[command].split()), "-f", format)
    assert result.exit_code in (0, 1), (result.output, result.exception)
    assert not CONTROLS.search(result.output), ascii(result.output)
    assert result.stdout.strip()
    CHECKS[format](result.stdout)
    if command == "gate":
        assert ElementTree.parse(tmp_path / "gate.xml").getroot().findall(".//testcase")
    if command == "gate":
        assert ElementTree.parse(tmp_path / "gate.xml").getroot().findall(".//testcase")


BENIGN = "Zoë of a_long_name.with_parts_that_may_be_broken/into_lines and so many words that it is shortened somewhere"
"""A text without any mark. Pages with other texts have its elements, attributes and scripts."""

PAGES = {
    "report": "report gold.jsonl NAME=pred.jsonl B=gold.jsonl -o page.html --title NAME",
    "report of one": "report gold.jsonl pred.jsonl -o page.html --policy policy.cfg --baseline gold.jsonl",
    "agreement": "agreement gold.jsonl pred.jsonl --name NAME --name B --html page.html",
    "thresholds": "thresholds gold.jsonl scored.jsonl --html page.html",
}


class Page(Tags):
    """Also collects the texts inside scripts, and values of attributes that a browser follows."""

    def __init__(self, page):
        self.scripts, self.followed, self._kind = [], set(), None
        super().__init__(page)

    def handle_starttag(self, tag, attrs):
        super().handle_starttag(tag, attrs)
        self.followed |= {(tag, name, value) for name, value in attrs if name in ("href", "src", "action", "srcset")}
        self._kind = (dict(attrs).get("type") or "script") if tag in ("script", "style") else None
        if self._kind:
            self.scripts.append([self._kind, ""])

    def handle_data(self, data):
        if self._kind:
            self.scripts[-1][1] += data

    def handle_endtag(self, tag):
        self._kind = None


def page_of(command, text, files, tmp_path):
    """Write a page about a text in all fields."""
    system = files(text)
    rows = [json.loads(line) for line in (tmp_path / "pred.jsonl").read_text().splitlines()]
    for number, row in enumerate(rows):
        row["spans"] = [span | {"score": (number + 1) / 4} for span in row["spans"]]
    write(tmp_path / "scored.jsonl", *rows)
    result = run(*(part.replace("NAME", system) for part in PAGES[command].split()))
    assert result.exit_code == 0, (result.output, result.exception)
    return (tmp_path / "page.html").read_text(encoding="utf8")


@pytest.fixture(scope="module")
def plain_pages():
    """The pages of a text without any mark, once they are made."""
    return {}


WORST = ("HTML", "controls")
"""The texts that every page has after every change."""


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("command", "name"),
    [pytest.param(command, name, marks=() if name in WORST else NIGHT) for command in PAGES for name in HOSTILE],
)
def test_no_text_of_others_changes_the_elements_of_a_page(command, name, files, tmp_path, plain_pages):
    if command not in plain_pages:
        plain_pages[command] = Page(page_of(command, BENIGN, files, tmp_path))
    plain, page = plain_pages[command], Page(page_of(command, HOSTILE[name], files, tmp_path))
    assert page.tags <= plain.tags
    assert page.attributes <= plain.attributes
    assert page.comments == plain.comments
    assert {(tag, name) for tag, name, value in page.followed if not value.startswith("#")} == {
        (tag, name) for tag, name, value in plain.followed if not value.startswith("#")
    }
    assert [kind for kind, _ in page.scripts] == [kind for kind, _ in plain.scripts]
    for (kind, script), (_, other) in zip(page.scripts, plain.scripts, strict=True):
        if kind in ("script", "module", "style"):
            assert script == other
        else:  # data, which no browser runs: packed, or JSON without the sign that begins an element
            assert re.fullmatch(r"[\w+/=]*", script) or ("<" not in script and json.loads(script))


ANNOTATION = ("jsonl", "jsonl.gz", "parquet", "arrow", "conll", "spacy", "brat")


def shape(record, keeps_texts):
    """What a file has to keep of a record: all its texts, or their number."""
    spans = sorted(record.spans)
    return (record.text, spans) if keeps_texts else len(spans)


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("extension", ANNOTATION)
@pytest.mark.parametrize("name", [*HOSTILE])
def test_no_text_of_others_adds_to_the_annotation_that_is_written(name, extension, files, tmp_path):
    """A file is refused in words, or read again with the same spans and attributes."""
    files(HOSTILE[name])
    output = tmp_path / f"out{'' if extension == 'brat' else '.' + extension}"
    holds_tokens = extension in ("conll", "spacy")
    result = run("convert", "gold.jsonl", output, *["--align", "expand", "--drop"][: 3 * holds_tokens])
    if result.exit_code:
        assert result.exit_code == 2 and "cannot be written in this format" in result.stderr, result.output
        assert not output.exists()
        return
    before, after = read(tmp_path / "gold.jsonl"), read(output)
    assert len(after) == len(before)
    for old, new in zip(before, after, strict=True):
        assert shape(new, not holds_tokens) == shape(old, not holds_tokens)


@pytest.mark.parametrize("extension", ["conll", "spacy", "parquet", "arrow", "brat"])
def test_a_lone_surrogate_in_names_or_values_of_attributes_is_refused_in_words(extension, tmp_path):
    """Formats in UTF-8 cannot store it. JSON lines can."""
    for keys in ({"\ud800": "a"}, {"a": "\ud800"}):
        span = {"start": 0, "end": 3, "label": "A", "attributes": keys}
        gold = write(tmp_path / "gold.jsonl", {"id": "x", "text": "Ada met", "spans": [span]})
        result = run("convert", gold, tmp_path / f"out{'' if extension == 'brat' else '.' + extension}")
        said = "✘ document x: the character '\\ud800' cannot be written in this format"
        assert result.exit_code == 2 and said in result.stderr, result.output
        assert run("convert", gold, tmp_path / "out.jsonl").exit_code == 0
        assert read(tmp_path / "out.jsonl") == read(gold)


NAMES = [*HOSTILE.values(), "]", "[gate]", "a.b", "${gate.level}", "\n", " ", "x" * 300]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_no_name_of_a_rule_is_more_than_a_text_in_any_format(name):
    """From Python, where a name may have any characters."""
    gold = [["B-A", "O", "B-B"]] * 8
    rules = {
        name: {"score": "strict_f", "at_least": 50},
        f"{name}2": {"score": "strict_f", "worse_by_at_most": 5},
        f"{name}3": {"rate_between": [2, 3], "required": False},
    }
    policy = {"gate": {"rules": rules, "families": {name: [name, f"{name}2"]}}}
    result = gate(policy, gold, gold[:4] + [["B-A", "O", "O"]] * 4, gold)
    for format, check in CHECKS.items():
        method = {"terminal": "__str__", "html": "_repr_html_"}.get(format, f"to_{format}")
        shown = getattr(result, method)()
        assert not CONTROLS.search(shown), (format, ascii(shown))
        check(shown)
    assert len(ElementTree.fromstring(junit(result)).findall(".//testcase")) == 3
