"""Texts of others in what is written for other programs, limits of messages, and what else can be hostile."""

import ast
import json
import re
import signal
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import GOLD, refused, run, write
from products import NIGHT
from samples import SAMPLES, write_sample

import spacy_nereval
from spacy_nereval import Agreement, Comparison, Result, agreement, compare, score
from spacy_nereval.core import patterns
from spacy_nereval.features.gate.gate_view import junit
from spacy_nereval.features.gate.policy import TEMPLATE, read_policy
from spacy_nereval.io.units import parse_unit
from spacy_nereval.reporting.formats import render_document
from spacy_nereval.reporting.result_table import ResultTable

TEXTS = (
    "@user",
    "#1",
    "GH-1",
    "https://a.example/b",
    "www.example.org",
    "ann@example.org",
    "<script>alert(1)</script>",
    "<!-- x",
    "](https://a.example)",
    "![a](b)",
    "=1+1",
    "a\x00b\ufffe\uffff\x1b[2J",
    "\u202eabc",
    "\ud800",
    "|a|",
    "`a`",
    "&amp;#64;",
    "\n# heading",
    "> quote",
    "1. list",
    r"\input{a}",
)


def tables(text):
    return [ResultTable(text, [text, "n"], [[text, 1]])], [text, f"in {text}"], [text]


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_no_text_becomes_a_mention_a_reference_a_link_or_a_tag_in_markdown(text):
    shown = render_document(*tables(text)[:1], "markdown", *tables(text)[1:])
    assert not re.search(r"@\w|#\d|GH-\d|\w://|www\.\w", shown), shown
    assert not re.search(r"(?<!\\)<(?!!-- -->)", shown), shown
    assert not re.search(r"(?<!\\)\]\(", shown), shown
    lines = [line for line in shown.splitlines() if not line.startswith(("## ", "| "))]
    assert not any(re.match(r"[#>=+-]|\d+[.)]\s", line) for line in lines), lines


@pytest.mark.parametrize("format", ["markdown", "latex", "html", "csv", "json"])
@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_no_text_adds_a_line_or_a_control_character_to_any_format(text, format):
    made, before, after = tables(text)
    shown = render_document(made, format, before, after)
    plain = render_document([ResultTable("a", ["b", "n"], [["c", 1]])], format, ["d", "e"], ["f"])
    assert shown.count("\n") == plain.count("\n")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\ufffe\uffff]", shown), ascii(shown)


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_the_xml_of_a_gate_is_well_formed_whatever_the_texts_are(text):
    row = {
        **{"name": text, "kind": "at_least", "bound": 50.0, "score": text, "label": text, "by": None, "bucket": None},
        **{"required": True, "undecided": "fail", "verdict": "broken", "counts_as": "fail", "value": 0.1},
        "lost_groups": [{"label": text, "to": text, "spans": 1}],
        "lost": [{"document": text, "start": 0, "end": 1, "label": text, "text": text}],
    }
    result = {
        "rules": [{**row, "lost_groups": [], "lost": []}, row],
        "signature": text,
        "policy": text,
        "candidate": text,
    }
    from spacy_nereval.features.gate import gate_view

    before, gate_view.rule_sentence = gate_view.rule_sentence, lambda row: row["name"]
    try:
        root = ElementTree.fromstring(junit(result))
    finally:
        gate_view.rule_sentence = before
    assert len(root.findall(".//failure")) == 2


# Messages


def test_no_message_is_as_long_as_the_value_that_it_is_about(tmp_path):
    gold = write(tmp_path / "g.jsonl", *GOLD)
    for arguments in (["--metrics", "x" * 200_000], ["--labels", "x" * 200_000], ["--unit", "x" * 200_000]):
        assert len(refused("score", gold, gold, *arguments)) < 4100
    assert len(run("score", gold, gold, "--digits", "x" * 200_000).output) < 20_000


@pytest.mark.slow
def test_every_sentence_fills_in_its_braces():
    """A text without the `f` before it shows its braces to the reader."""
    pattern = re.compile(r"\{[a-z_]\w*(\(|\.|!|\}|\[)")
    wrong = []
    for path in Path(spacy_nereval.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, (ast.JoinedStr, ast.Raise)):
                texts = [
                    part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
                ]
                wrong += [f"{path.name}:{node.lineno} {text.value}" for text in texts if pattern.search(text.value)]
    assert not [text for text in wrong if "begin{tabular}" not in text]


# Policies and patterns


def policy(tmp_path, text, encoding="utf8"):
    path = tmp_path / "policy.cfg"
    path.write_bytes(text.encode(encoding))
    return path


def test_a_policy_may_have_a_byte_order_mark_or_be_in_utf16(tmp_path):
    plain = read_policy(policy(tmp_path, TEMPLATE))
    for encoding in ("utf-8-sig", "utf-16"):
        assert read_policy(policy(tmp_path, TEMPLATE, encoding)) == plain


BOMB = '[gate]\na0 = "0123456789"\n' + "".join(f'a{k} = "{f"${{gate.a{k - 1}}}" * 10}"\n' for k in range(1, 10))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "its variables refer to themselves, or expand to more than 1,048,576 characters"),
        ("[gate]\na = ${gate.b}\nb = ${gate.a}\n", "its variables refer to themselves"),
        ("[other]\na = 1\n", "expected only the section [gate]"),
        ("x" * (2 << 20), "it has more than 1,048,576 bytes"),
        (TEMPLATE.replace("at_least = 50", "at_least = 1e300"), "expected a number of points, not 1e+300"),
        (TEMPLATE.replace("at_least = 50", f"at_least = 1{'0' * 400}"), "expected a number of points, not "),
    ],
)
def test_a_policy_is_data(tmp_path, text, said):
    start = time.process_time()
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        read_policy(policy(tmp_path, text))
    assert time.process_time() - start < 5
    assert len(str(caught.value)) < 2000


def test_a_section_before_the_one_that_it_is_in_is_named(tmp_path):
    """Older releases of confection take sections in any order; then the rule is empty."""
    said = "a section comes before the one that it is in|expected one of at_least"
    with pytest.raises(ValueError, match=said):
        read_policy(policy(tmp_path, "[gate]\n[gate.rules.a]\n[gate.rules]\n"))


def test_variables_of_a_policy_are_replaced(tmp_path):
    text = TEMPLATE.replace("worse_by_at_most = 5", "worse_by_at_most = ${gate.rules.predicted.rate_between}")
    with pytest.raises(ValueError, match=re.escape("not [0.5, 1.5]")):
        read_policy(policy(tmp_path, text))


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"((a+)+)b", r"((?:a|a)*)b", r"(a*a*a*a*a*a*)b", r"((?:a|aa)+)$"])
def test_a_pattern_that_tries_too_much_is_stopped(pattern, tmp_path, monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS", 0.2)
    gold = write(tmp_path / "g.jsonl", {**GOLD[0], "id": "a" * 300 + "!"})
    start = time.process_time()
    assert "tries too many ways to match 'aaaaaaaaaa'" in refused("score", gold, gold, "--unit", f"prefix:{pattern}")
    assert time.process_time() - start < 20


def test_a_pattern_with_repeats_in_repeats_is_used_where_it_is_quick():
    assert parse_unit("prefix:((?:[^/]+/)*)").value == "((?:[^/]+/)*)"
    assert patterns.match_in_time(re.compile("((?:[^/]+/)*)"), "a/b/c")[1] == "a/b/"
    before = signal.getsignal(signal.SIGALRM)
    assert patterns.match_in_time(re.compile("(a+)+b"), "aab")
    assert signal.getsignal(signal.SIGALRM) is before


# Saved results that were changed


def leaves(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, inner in items:
        yield from leaves(inner, (*path, key))


def changed(value, path, new):
    value = json.loads(json.dumps(value))
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    if new == "delete":
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return value


SIDES = [[(0, 3, "PER")], [(0, 3, "LOC")]], [[(0, 3, "PER")], [(0, 3, "PER")]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Result, Comparison, Agreement])
@pytest.mark.parametrize(
    "new", [("delete", None, "x", [], {}), pytest.param((10**400, 1e300, [[]], "\ud800"), marks=pytest.mark.costly)]
)
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=NIGHT)])
def test_a_result_that_was_changed_is_refused_in_a_sentence_or_can_be_shown(kind, new, step, tmp_path):
    """Every fourth number or text by day, all of them at night."""
    gold, pred = SIDES
    results = {
        Result: lambda: score(gold, pred, ["strict", "fair"]),
        Comparison: lambda: compare({"a": pred, "b": gold}, gold, "strict"),
        Agreement: lambda: agreement({"a": pred, "b": gold}, "strict"),
    }
    path = tmp_path / "a.json"
    results[kind]().save(path)
    saved, refusals = json.loads(path.read_text(encoding="utf8")), 0
    assert kind.load(path) == saved
    for k, place in enumerate(list(leaves(saved))[1::step]):
        path.write_text(json.dumps(changed(saved, place, new[k % len(new)])), encoding="utf8")
        try:
            shown = kind.load(path)
        except ValueError as error:
            refusals += 1
            assert len(str(error)) < 1000
        else:
            assert shown.summary() and shown._repr_html_() and shown.to_csv()
    assert refusals > 2


ALIKE = {"E\u0301": "Unicode form (such as NFC and NFD)", "\u00e9": "case", "\u00c9 ": "white space"}


@pytest.mark.parametrize("label", [*ALIKE], ids=ascii)
def test_labels_that_look_the_same_are_named_with_their_difference(label, tmp_path):
    gold, pred = (
        write(tmp_path / f"{name}.jsonl", {"text": "Ada met", "spans": [(0, 3, of_side)]})
        for name, of_side in {"gold": "\u00c9", "pred": label}.items()
    )
    for arguments in (["score", gold, pred], ["compare", gold, pred, gold]):
        assert f"differ only in {ALIKE[label]}" in " ".join(run(*arguments).output.split()), arguments


# Signals


@pytest.mark.costly
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_temporary_file(number, tmp_path):
    program = (
        "import signal, time, spacy_nereval.io.writing as writing\n"
        "from pathlib import Path\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in what a shell runs in the background
        "from spacy_nereval.cli.guards import stopped_by_signals\n"
        f"with stopped_by_signals(), writing.atomic_file(Path({str(tmp_path / 'out.json')!r})) as file:\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(200)\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert started.stdout and started.stdout.readline() == "ready\n"
    assert any(path.name.startswith(".out.json") for path in tmp_path.iterdir())
    started.send_signal(number)
    started.communicate(timeout=100)
    assert started.returncode not in (0, -number) or number == signal.SIGINT
    assert not [*tmp_path.iterdir()]


JSON_SHAPES = [name for name, (_, file, _) in SAMPLES.items() if file.endswith((".json", ".jsonl"))]


def leaves_of(value, path=()):
    if not isinstance(value, (dict, list)):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from leaves_of(inner, (*path, key))


@pytest.mark.parametrize("name", JSON_SHAPES)
@pytest.mark.parametrize("step", [3, pytest.param(1, marks=NIGHT)])
def test_a_number_of_hundreds_of_digits_is_named_or_read_wherever_it_stands_in_json(name, step, tmp_path):
    path = write_sample(name, tmp_path)
    value = json.loads(path.read_text(encoding="utf8"))
    for place, number in [*zip(leaves_of(value), cycle((10**400, -(10**4200))))][::step]:
        path.write_text(json.dumps(changed(value, place, number)), encoding="utf8")
        result = run("score", path, path, "-m", "strict")
        assert result.exit_code in (0, 2), (place, result.exception)
        assert len(result.stderr) < 1500 and "not valid JSON" not in result.stderr, (place, result.stderr)


@pytest.mark.parametrize("value", ["1e300", f"1{'0' * 400}", "nan", "-1"])
def test_a_margin_is_a_number_of_points(value, tmp_path):
    gold = write(tmp_path / "g.jsonl", *GOLD)
    assert "expected a number of points above 0" in refused("compare", gold, gold, gold, "--margin", value)


@pytest.mark.parametrize("span", [(10**400, 3, "PER"), (0, 10**400, "PER"), (-(10**400), 3, "PER"), (0, 3, 10**400)])
def test_long_numbers_of_spans_are_shortened_in_messages(span, tmp_path):
    gold = write(tmp_path / "g.jsonl", {"text": "Ada met", "spans": [span]})
    assert len(refused("score", gold, gold)) < 500
    with pytest.raises(ValueError, match="40[12] characters") as caught:
        score([[span]], [[span]], "strict", text=["Ada met"])
    assert len(str(caught.value)) < 500
