"""One policy for texts of others in every format that is written: none is a mark, link, formula or control."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from commands import run, write

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
        rule = json.dumps(CONTROLS.sub("", text).replace("$", "").replace("%", "").replace("\n", " ").replace("\r", ""))
        config = TEMPLATE.replace('score = "strict_f"\nat_least', f'score = "strict_f"\nlabel = {rule}\nat_least')
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
@pytest.mark.parametrize("command", [*COMMANDS])
@pytest.mark.parametrize("name", [*HOSTILE])
def test_no_text_of_others_is_more_than_a_text_in_any_format(name, command, files, tmp_path):
    system = files(HOSTILE[name])
    arguments = [part.replace("NAME", system) for part in COMMANDS[command].split()]
    shown_formats = 0
    for format, check in CHECKS.items():
        result = run(*arguments, "-f", format)
        assert result.exit_code in (0, 1), (format, result.output, result.exception)
        assert not CONTROLS.search(result.output), (format, ascii(result.output))
        shown_formats += bool(result.stdout.strip())
        check(result.stdout)
    assert shown_formats == len(CHECKS)
    if command == "gate":
        assert ElementTree.parse(tmp_path / "gate.xml").getroot().findall(".//testcase")
