"""Every function of Python against its command: the same numbers and words; and what `gate` alone says and writes."""

import inspect
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import accepted, flat, line, printed, run, write
from products import NIGHT
from refusals import refused_with

from spacy_nereval import Confidence, Result, agreement, apply, compare, gate, load, plan, score, score_runs, thresholds
from spacy_nereval.cli import nereval
from spacy_nereval.core.arguments import REFUSE, Labelling, Reading, arguments_of
from spacy_nereval.evaluation.tested import Hypotheses
from spacy_nereval.features.thresholds.curves import Settings

pytestmark = pytest.mark.costly

TEXTS = ("Ada Lovelace met Bob", "in New York City .", "nothing here", "Bob and Bob", "Rome, Oslo", "Ada in Rome") * 2
GOLD = (
    ((0, 12, "PER"), (17, 20, "PER")),
    ((3, 16, "LOC/CITY"),),
    (),
    ((0, 3, "PER"), (8, 11, "PER")),
    ((0, 4, "LOC/CITY"), (6, 10, "LOC/CITY")),
    ((0, 3, "PER"), (7, 11, "LOC")),
) * 2
PRED = (
    ((0, 3, "PER"), (17, 20, "PER")),
    ((3, 11, "LOC/CITY"),),
    ((0, 7, "MISC"),),
    ((0, 3, "PER"),),
    ((0, 4, "LOC"), (6, 10, "PER")),
    ((0, 3, "PER"), (7, 11, "LOC")),
) * 2
OTHER = (GOLD[0], PRED[1], *PRED[2:4], (), GOLD[5]) * 2

CONLL = "Ada B-PER B-PER\nLovelace I-PER O\nmet O O\n\nin O O\nRome I-LOC B-LOC\n"
FAIREVAL = "PER\t1\t2\t1, 2\nLOC\t4\t4\t4\n\nNONE\t999\t999\t999\n"


def rows(spans: Any, **more: Any) -> list[dict[str, Any]]:
    return [line(text, *own, id=str(k), **more) for k, (text, own) in enumerate(zip(TEXTS, spans))]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A folder with a gold annotation and systems, in several formats."""
    monkeypatch.chdir(tmp_path)
    for name, spans in (("gold", GOLD), ("a", PRED), ("b", OTHER)):
        write(Path(f"{name}.jsonl"), *rows(spans))
        tokens = [{"tokens": [{"start": 0, "end": 3}, {"start": 4, "end": len(text)}]} for text in TEXTS]
        write(Path(f"{name}-tokens.jsonl"), *(row | more for row, more in zip(rows(spans), tokens)))
        scored = [
            {**row, "spans": [{**span, "score": (7 + k + 3 * j) % 10 / 10} for j, span in enumerate(row["spans"])]}
            for k, row in enumerate(rows(spans))
        ]
        write(Path(f"{name}-scored.jsonl"), *scored)
        mentions = [
            {"id": str(k), "text": text, "mentions": [{"text": text[a:b].upper(), "label": c} for a, b, c in own]}
            for k, (text, own) in enumerate(zip(TEXTS, spans))
        ]
        write(Path(f"{name}-mentions.jsonl"), *mentions)
    for name, k in (("tags", 1), ("predicted", 2)):
        found = [" ".join((each.split()[0], each.split()[k])) if each else "" for each in CONLL.split("\n")]
        Path(f"{name}.conll").write_text("\n".join(found), encoding="utf8")
    for name in ("numbers", "numbered"):
        Path(f"{name}.csv").write_text(FAIREVAL, encoding="utf8")
    return tmp_path


def told(*arguments: Any) -> Any:
    """The JSON that a command writes."""
    printed(*arguments, "-o", "out.json")
    return plain(json.loads(Path("out.json").read_text(encoding="utf8")))


def plain(result: Any) -> Any:
    """The JSON of a result. What a metric needs is said in the words of Python or of the commands."""
    return json.loads(json.dumps(result).replace("metrics={'tmr': {'train': 'FILE'}}", "--train FILE"))


RENAMED = {"PER": "PERSON", "MISC": None}
SCORED: list[tuple[str, tuple[str, str], list[str], dict[str, Any]]] = [
    ("default", ("gold.jsonl", "a.jsonl"), [], {}),
    ("every metric", ("gold.jsonl", "a.jsonl"), ["-m", "all"], {"metrics": ["all"]}),
    ("with tokens", ("gold-tokens.jsonl", "a-tokens.jsonl"), ["-m", "all"], {"metrics": ["all"]}),
    ("tags", ("tags.conll", "predicted.conll"), ["-m", "all", "--repair", "conll"], {"metrics": ["all"]}),
    ("blocks of sentences", ("tags.conll", "predicted.conll"), ["-C", "--repair", "conll"], {"confidence": True}),
    ("numbers for words", ("numbers.csv", "numbered.csv"), [], {}),
    ("mentions", ("gold.jsonl", "a-mentions.jsonl"), [], {}),
    ("labels", ("gold.jsonl", "a.jsonl"), ["--labels", "PER=PERSON,MISC="], {"labels": RENAMED}),
    ("only", ("gold.jsonl", "a.jsonl"), ["--only", "PER,LOC"], {"only": ["PER", "LOC"]}),
    ("depth", ("gold.jsonl", "a.jsonl"), ["--depth", "1"], {"depth": 1}),
    ("sep", ("gold.jsonl", "a.jsonl"), ["--sep", "O"], {"sep": "O"}),
    ("intervals", ("gold.jsonl", "a.jsonl"), ["-C", "--level", "0.9"], {"confidence": Confidence(level=0.9)}),
    ("an option", ("gold.jsonl", "a.jsonl"), ["-m", "fair", "--fair.beta", "2"], {"metrics": {"fair": {"beta": 2}}}),
]


def loaded(name: str, **how: Any) -> Any:
    return load(name, **({"repair": "conll"} if name.endswith(".conll") else {}), **how)


@pytest.mark.parametrize(("names", "options", "arguments"), [case[1:] for case in SCORED], ids=[c[0] for c in SCORED])
def test_score(here, names, options, arguments):
    gold, pred = names
    assert plain(score(loaded(gold), loaded(pred), **arguments)) == told("score", gold, pred, *options)


@pytest.mark.parametrize("unit", ["prefix:(.)", "document", "block:3", "meta.half"])
def test_units_of_documents(here, unit):
    write(Path("gold.jsonl"), *(row | {"meta": {"half": number // 6}} for number, row in enumerate(rows(GOLD))))
    gold, pred = load("gold.jsonl", unit=unit), load("a.jsonl")
    found = score(gold, pred, ["strict"], confidence=True)
    assert plain(found) == told("score", "gold.jsonl", "a.jsonl", "-m", "strict", "-C", "--unit", unit)
    assert f"unit:{unit}," in found["signature"]
    compared = compare({"a.jsonl": pred, "b.jsonl": load("b.jsonl")}, gold, ["strict"])
    names = ("--name", "a.jsonl", "--name", "b.jsonl")
    by_command = told("compare", *names, "gold.jsonl", "a.jsonl", "b.jsonl", "-m", "strict", "--unit", unit)
    assert plain(compared) == by_command
    policy_file(unit=f'"{unit}"', texts=False)
    run("gate", "policy.cfg", "gold.jsonl", "a.jsonl", "-o", "gate.json")
    assert plain(gate("policy.cfg", "gold.jsonl", "a.jsonl")) == json.loads(Path("gate.json").read_text())


def test_a_block_larger_than_the_file_is_refused(here):
    with refused_with(
        ValueError,
        "unit='block:13': gold.jsonl has 12 documents; expected blocks no larger than the file",
    ):
        load("gold.jsonl", unit="block:13")


def test_score_of_counts(here):
    assert run("count", "gold.jsonl", "a.jsonl", "-o", "counts.npz").exit_code == 0
    assert plain(score("counts.npz", confidence=Confidence())) == told("score", "counts.npz", "-C")


@pytest.mark.parametrize("metric", ["fair", "strict"])
@pytest.mark.parametrize(
    ("options", "arguments"), [([], {}), (["-e", "all"], {"verdicts": ["all"]}), (["-l", "PER"], {"labels": ["PER"]})]
)
def test_errors(here, metric, options, arguments):
    assert run("errors", "gold.jsonl", "a.jsonl", "-m", metric, *options, "-o", "rows.jsonl").exit_code == 0
    listed = [json.loads(row) for row in Path("rows.jsonl").read_text(encoding="utf8").splitlines()]
    assert plain(score(load("gold.jsonl"), load("a.jsonl")).errors(metric, **arguments)) == listed


def test_compare_of_counts_of_training_runs(here):
    for name in ("a", "b", "gold"):
        run("count", "gold.jsonl", f"{name}.jsonl", "-o", f"{name}.npz")
    counts = {"A": {"1": "a.npz", "2": "b.npz"}, "B": {"1": "b.npz", "2": "gold.npz"}}
    given = ["--system", "A=a.npz,b.npz", "--system", "B=b.npz,gold.npz"]
    assert plain(compare(counts)) == told("compare", *given)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ([], {}),
        (["-m", "all", "--unit", "char"], {"metrics": ["all"], "unit": "char"}),
        (["-C", "--consensus", "all"], {"confidence": Confidence(), "consensus": "all"}),
        (["--labels", "MISC="], {"labels": "MISC="}),
    ],
)
def test_agreement(here, options, arguments):
    annotators = {name: load(f"{name}.jsonl") for name in ("a", "b", "gold")}
    found = agreement(annotators, **arguments)
    assert plain(found) == told("agreement", *(f"{name}.jsonl" for name in annotators), *options)


def policy_file(*, against: bool = False, texts: bool = True, **gate: str) -> None:
    """A policy with each kind of rule, and settings of the gate."""
    rules = {
        "overall": 'at_least = 10\nscore = "strict_f"',
        "few_errors": 'at_most = 90\nscore = "slot_error.ser"\nrequired = false\nundecided = "warn"',
        "people": 'at_least = 5\nscore = "fair_f"\nlabel = "PER"',
    }
    if texts:
        rules["number"] = "rate_between = [0.2, 3]"
        rules["short"] = 'at_least = 5\nscore = "strict_r"\nby = "cLen"\nbucket = "3"'
    if against:
        rules["not_worse"] = 'worse_by_at_most = 50\nscore = "strict_f"'
        rules["better"] = 'better_by_at_least = 1\nscore = "strict.r"'
    lines = ["[gate]", *(f"{key} = {value}" for key, value in gate.items()), "[gate.rules]"]
    lines += [line for rule, own in rules.items() for line in (f"[gate.rules.{rule}]", own)]
    Path("policy.cfg").write_text("\n".join(lines), encoding="utf8")


GATED: list[tuple[str, dict[str, Any], str, str, list[str], dict[str, Any]]] = [
    ("alone", {}, "a.jsonl", "", [], {}),
    ("against a baseline", {"against": True}, "a.jsonl", "b.jsonl", [], {}),
    ("against counts", {"against": True}, "a.jsonl", "b.npz", [], {}),
    ("counts alone", {"texts": False}, "a.npz", "", [], {}),
    ("every document a unit", {"unit": '"document"'}, "a.jsonl", "", [], {}),
    ("blocks", {"unit": '"block:2"'}, "a.jsonl", "", [], {}),
    ("a unit by ids", {"unit": '"prefix:(.)"', "against": True}, "a.jsonl", "b.jsonl", [], {}),
    ("labels", {"level": "0.9", "too_few": '"warn"'}, "a.jsonl", "", ["--labels", "MISC="], {"labels": "MISC="}),
    ("training runs", {"against": True, "texts": False}, "a.jsonl,b.jsonl", "gold.jsonl", [], {}),
    ("runs as counts", {"against": True, "texts": False}, "a.npz,b.npz", "b.npz", [], {}),
]
GATED_AT_NIGHT = {"every document a unit", "blocks", "against a baseline", "counts alone"}
"""What the others have too: a unit by ids is against a baseline, and so are counts."""


def taken(name: str) -> Any:
    """What a function takes for what a command is given: count files as they are, and training runs as a table."""
    if "," in name:
        return {run: taken(run) for run in name.split(",")}
    return (name if name.endswith(".npz") else load(name)) if name else None


@pytest.mark.parametrize(
    ("policy", "candidate", "baseline", "options", "arguments"),
    [pytest.param(*case, marks=NIGHT if name in GATED_AT_NIGHT else (), id=name) for name, *case in GATED],
)
def test_gate_and_plan(here, policy, candidate, baseline, options, arguments):
    for name in "ab":
        metrics = ("--metrics=strict,slot_error,fair", "--strict.beta=2")
        run("count", "gold.jsonl", f"{name}.jsonl", *metrics, "-o", f"{name}.npz")
    policy_file(**policy)
    gold = "" if candidate.endswith(".npz") else "gold.jsonl"
    given = [*filter(None, [gold]), candidate, *(["--baseline", baseline] if baseline else []), *options]
    systems = [taken(name) for name in (gold, candidate, baseline)]
    done = run("gate", "policy.cfg", *given, "-o", "out.json", "--junit", "out.xml")
    assert done.exit_code in (0, 1), done.output
    found = gate("policy.cfg", *systems, **arguments)
    found.save("python.xml")
    assert plain(found) == plain(json.loads(Path("out.json").read_text(encoding="utf8")))
    assert found.passed == (done.exit_code == 0) and Path("python.xml").read_bytes() == Path("out.xml").read_bytes()
    if "," not in candidate:  # a plan needs one run of each system
        planned = plan(*systems, policy="policy.cfg", **arguments)
        assert plain(planned) == told("plan", *given, "--policy", "policy.cfg")


def test_items_without_texts_have_the_unit_of_a_policy(here):
    policy_file(unit='"document"', texts=False)
    sides = [[[*spans] for spans in side] for side in (GOLD, PRED)]
    found, with_texts = gate("policy.cfg", *sides), gate("policy.cfg", *sides, text=TEXTS)
    assert found["rules"][0]["interval"] == pytest.approx(with_texts["rules"][0]["interval"])
    assert {(each["unit"], each["units"]) for each in (found, with_texts)} == {("document", 12)}
    policy_file(unit='"prefix:(.)"')
    with refused_with(ValueError, "document 0: unit='prefix:(.)': the document has no id"):
        gate("policy.cfg", [["B-PER"]], [["O"]])


@pytest.mark.parametrize("unit", ["document", "block:2", "prefix:(.)"])
def test_a_unit_is_asked_for_by_a_policy_or_by_the_command(here, unit):
    def gated(*options: str, status: tuple[int, ...] = (0, 1)) -> str:
        done = run("gate", "policy.cfg", "gold.jsonl", "a.jsonl", *options, "-o", "out.json")
        assert done.exit_code in status, done.output
        return done.output if status == (2,) else Path("out.json").read_text(encoding="utf8")

    policy_file(unit=f'"{unit}"')
    by_policy, by_both = gated(), gated("--unit", unit)
    said = f"✘ the policy has the unit {unit}, and --unit is block:3: give one of them\n"
    assert gated("--unit", "block:3", status=(2,)) == said
    policy_file()
    by_command = gated("--unit", unit)
    assert by_both == by_policy and json.loads(by_command)["rules"] == json.loads(by_policy)["rules"]


def test_plan_of_a_difference(here):
    found = plan(*(load(f"{name}.jsonl") for name in ("gold", "b", "a")), difference=3, score="fair_f")
    options = ["--baseline", "a.jsonl", "--difference", "3", "--score", "fair_f"]
    assert plain(found) == told("plan", "gold.jsonl", "b.jsonl", *options)


def test_invalid_tags_are_refused_by_all_with_both_ways_to_repair_them(here):
    tags = [["O", "I-PER", "B-LOC"]]
    Path("odd.conll").write_text("a O\nb I-PER\nc B-LOC\n", encoding="utf8")
    rows_of_tags = [{"tokens": ["a", "b", "c"], "ner_tags": tags[0]}]
    calls = (
        lambda: score(tags, tags),
        lambda: compare({"a": tags, "b": tags}, tags),
        lambda: agreement({"a": tags, "b": tags}),
        lambda: score(rows_of_tags, rows_of_tags),
        lambda: load("odd.conll"),
    )
    for call in calls:
        with pytest.raises(ValueError, match="I-PER.*repair='conll'.*repair='discard'"):
            call()
    done = run("score", "odd.conll", "odd.conll")
    assert done.exit_code == 2
    for said in ("odd.conll, line 2", "I-PER", "--repair conll", "--repair discard"):
        assert said in done.stderr
    repaired = score(tags, tags, repair="conll")
    assert (repaired["repaired"], repaired["gold"]) == (2, 2)
    assert score(tags, tags, repair="discard")["gold"] == 1


RUNS: list[tuple[str, list[str], dict[str, Any]]] = [
    ("usual", [], {}),
    ("every metric", ["-m", "all"], {"metrics": ["all"]}),
    (
        "labels",
        ["-m", "fair", "--labels", "PER=NAME", "--only", "NAME"],
        {"metrics": "fair", "labels": {"PER": "NAME"}, "only": ["NAME"]},
    ),
    ("level", ["-m", "strict", "--level", "0.8"], {"metrics": "strict", "confidence": {"level": 0.8}}),
]


@pytest.mark.parametrize(
    ("options", "arguments"),
    [pytest.param(*each[1:], marks=NIGHT if each[0] == "every metric" else (), id=each[0]) for each in RUNS],
)
def test_score_runs(here, options, arguments):
    expected = told("score", "gold.jsonl", "--system=A=a.jsonl,b.jsonl", *options)
    gold, runs = load("gold.jsonl"), {name: load(f"{name}.jsonl") for name in "ab"}
    for given in (gold, iter(gold), "gold.jsonl"):
        assert plain(score_runs(given, runs, system="A", **arguments)) == expected


def test_score_runs_warns_of_labels_of_each_run(here):
    options = ["-m", "strict", "--labels", "NONE=X"]
    done = run("score", "gold.jsonl", "--system=A=a.jsonl,b.jsonl", *options)
    gold, runs = load("gold.jsonl"), {f"{name}.jsonl": load(f"{name}.jsonl") for name in "ab"}
    found = str(score_runs(gold, runs, "strict", labels={"NONE": "X"}))
    for name in runs:
        said = f"⚠ {name}: labels: NONE to map, but neither side has such a label"
        assert said in done.stderr and said in found


def test_score_runs_of_counts(here):
    for name in "ab":
        run("count", "gold.jsonl", f"{name}.jsonl", "-o", f"{name}.npz")
    note = "ℹ gold.jsonl is not read: all systems are count files, with gold annotation counted"
    for command in ("compare gold.jsonl a.npz b.npz", "gate --min-f1 1 gold.jsonl a.npz"):
        assert note in flat(run(*command.split()).stderr), command
    for command in ("compare a.npz b.npz", "compare gold.jsonl a.npz b.jsonl", "gate --min-f1 1 gold.jsonl a.jsonl"):
        assert "is not read" not in run(*command.split()).stderr, command
    expected = told("score", "gold.jsonl", "--system=A=a.npz,b.npz")
    assert plain(score_runs(None, {name: f"{name}.npz" for name in "ab"}, system="A")) == expected
    scored = score(load("gold.jsonl"), load("b.jsonl"), "papers", confidence=True)
    assert score_runs(None, {"a": "a.npz", "b": scored})["scores"] == expected["scores"]


@pytest.mark.parametrize(
    ("gold", "runs", "said"),
    [
        (GOLD, PRED, "^runs: expected a table of two or more training runs, {'run 1': pred"),
        (GOLD, {"a": PRED}, "^runs: expected a table of two or more"),
        (GOLD, {"a": PRED, "b": PRED[1:]}, "gold has 12 documents and b has 11 documents"),
        (None, {"a": PRED, "b": "b.npz"}, "^a is given as predictions, and other runs as counts"),
        (GOLD, {"a": "b.npz", "b": "b.npz"}, "^gold is given with counts"),
    ],
    ids=["no table", "one run", "lengths", "both", "counts with gold"],
)
def test_what_are_no_training_runs_is_refused(here, gold, runs, said):
    run("count", "gold.jsonl", "b.jsonl", "-o", "b.npz")
    with pytest.raises(ValueError, match=said):
        score_runs(gold, runs)


def test_the_means_of_training_runs_are_a_result_too(here):
    told("score", "gold.jsonl", "--system=A=a.jsonl,b.jsonl", "-m", "strict,fair")
    found = Result.load("out.json")
    mean = sum(score(load("gold.jsonl"), load(f"{name}.jsonl"), "fair").fair.f for name in "ab") / 2
    assert found["fair_f"] == found.fair.f == pytest.approx(mean)
    assert found.conclusion.startswith("A: means of 2 training runs") and found.fair.interval()
    assert found.labels["PER"].fair.interval("p") and found.fair.counts == {}
    assert any(text.startswith("Training runs (") for text in str(found.show()).split("\n"))


@pytest.mark.parametrize("format", ["terminal", pytest.param("markdown", marks=NIGHT)])
def test_what_is_left_out_is_said_once(here, format):
    """By all that show a result, and on the page on agreement."""
    scored = ("thresholds", "gold.jsonl", "a-scored.jsonl")
    compared = ("compare", "gold.jsonl", "a.jsonl", "b.jsonl")
    runs, agreed = ("score", "gold.jsonl", "--system=A=a.jsonl,b.jsonl"), ("agreement", "gold.jsonl", "a.jsonl")
    two = (*scored, "b-scored.jsonl")
    for command in (("score", "gold.jsonl", "a.jsonl"), runs, compared, scored, two, agreed):
        page = ["--html", "a.html"] if command in (agreed, two) else []
        done = run(*command, "-m", "all", "-f", format, *page)
        assert (done.stdout + done.stderr).count("tmr is excluded: it needs --train FILE") == 1, command
        assert command is agreed or done.stdout.count("token is excluded: the documents have no tokens") == 1
        assert not page or Path("a.html").read_text("utf8").count("tmr is excluded: it needs --train FILE") == 1
    counted = run("count", "gold.jsonl", "a.jsonl", "-m", "all", "-o", "all.npz")
    assert "tmr is excluded: it needs --train FILE" in counted.stderr


def test_what_is_left_out_ends_what_every_result_says_before_its_tables(here):
    gold, a, b = (load(f"{name}-scored.jsonl") for name in ("gold", "a", "b"))
    systems = {"a": a, "b": b}
    labels = {"labels": {"NONE": "X"}}  # so that there are other remarks
    results = score(gold, a, "all"), compare(systems, gold, "all"), thresholds(gold, a, "all")
    for found in (*results, agreement(systems, "all", **labels)):
        said = [f"{name} is excluded: {why}" for name, why in found["left_out"].items()]
        assert said and found._view().opening(more="--tables all")[-len(said) :] == said


def test_warnings_of_labels_name_the_systems_of_a_comparison(here):
    """As its tables do, and after the mark, by which a log for programs knows a warning."""
    for name in "ab":
        Path(f"{name}.jsonl").write_text(Path(f"{name}.jsonl").read_text("utf8").replace('"PER"', '"PERSON"'), "utf8")
    done = run("compare", "gold.jsonl", "a.jsonl", "b.jsonl", "-m", "strict")
    found = str(compare({name: load(f"{name}.jsonl") for name in "ab"}, load("gold.jsonl"), "strict"))
    starts = ["⚠ a: ", "⚠ b: "]
    for text in (done.stderr, found):
        assert [line[:5] for line in text.splitlines() if "never occurs in gold" in line] == starts


@pytest.mark.parametrize("names", ["", "fair,", "fair,,wrf"])
def test_an_empty_name_of_a_metric_is_a_mistake(here, names):
    said = "there is no metric ''"
    assert said in run("score", "gold.jsonl", "a.jsonl", "-m", names).stderr
    with pytest.raises(ValueError, match=said):
        score("gold.jsonl", "a.jsonl", names)


def test_warnings_of_labels_are_the_same_in_one_order(here):
    mapped = {"PER": "PERSON", "NONE": "X"}
    done = run("score", "gold.jsonl", "a.jsonl", "--labels", "PER=PERSON,NONE=X", "--only", "PERSON,LOCC")
    found = str(score("gold.jsonl", "a.jsonl", labels=mapped, only=["PERSON", "LOCC"]))
    lines = [line.replace("--only", "only=") for line in done.stderr.splitlines() if line.startswith("⚠")]
    starts = ("⚠ 2 of 18", "⚠ labels", "⚠ only")
    assert len(lines) == 3 and lines == [line for line in found.splitlines() if line.startswith(starts)]


# What is declared, and what functions repeat for those who read them

FUNCTIONS = score, score_runs, compare, agreement, thresholds, gate, plan, apply
READ = {name: argument.where for name, argument in arguments_of(Reading).items()}


def defaults(function: Any) -> dict[str, Any]:
    return {name: each.default for name, each in inspect.signature(function).parameters.items()}


def test_functions_take_what_is_declared_of_objects():
    """Each repeats all arguments with their defaults to `help`, and none that concerns files alone, but for
    `annotator`, which chooses among the annotators of one file that `agreement` is given."""
    of_objects = {name for name, where in READ.items() if where != "files" and name != "unit"}
    for function in FUNCTIONS:
        found = defaults(function)
        assert {name: found[name] for name in of_objects} == {name: getattr(Reading, name) for name in of_objects}
        of_files = READ.keys() - of_objects - ({"unit", "annotator"} if function is agreement else {"unit"})
        assert not of_files & found.keys()


OF_BOTH_SIDES = {"trim", "join", "missing_tokens"}
"""What changes both sides once they are scored, so that `load` does not take it."""


def test_load_takes_what_is_declared_of_files():
    of_files = {name for name, where in READ.items() if where != "objects"}
    assert {*defaults(load)} - {"path"} == of_files - {*arguments_of(Labelling)} - OF_BOTH_SIDES
    either = {"repair", "match", "occurrences", "scheme"}  # None is the default
    assert all(
        default in (getattr(Reading, name), *((None,) if name in either else ()))
        for name, default in defaults(load).items()
        if name != "path"
    )


def test_apply_takes_the_declared_ways_with_conflicts():
    (mine,) = (each for each in nereval.registered_commands if each.name == "apply")
    assert defaults(apply)["conflicts"] == REFUSE == inspect.signature(mine.callback).parameters["conflicts"].default


def test_functions_take_the_declared_settings_of_intervals_and_comparisons():
    found = defaults(compare)
    assert {name: found[name] for name in Confidence._fields} == Confidence()._asdict()
    assert (found["trials"], found["per_label"]) == (None, Hypotheses().labels)
    assert {name: found[name] for name in ("primary", "secondary", "margin")} == {
        name: getattr(Hypotheses(), name) for name in ("primary", "secondary", "margin")
    }
    chosen = defaults(thresholds)
    assert {name: chosen[name] for name in Settings._fields} == Settings()._asdict()


@pytest.mark.parametrize("name", [name for name, argument in arguments_of(Reading).items() if argument.values])
def test_a_value_that_is_not_declared_is_refused_by_all_in_their_words(here, name):
    values = ", ".join(arguments_of(Reading)[name].values)
    if READ[name] != "objects":
        option = f"--{name.replace('_', '-')}"
        assert (
            f"{option} none: expected one of {values}" in run("score", "gold.jsonl", "a.jsonl", option, "none").stderr
        )
        if name not in OF_BOTH_SIDES:
            per_side = "(, or one for each side, with a comma between them)?"
            with pytest.raises(ValueError, match=f"^{name}='none': expected one of {values}{per_side}$"):
                load("gold.jsonl", **{name: "none"})
    if READ[name] != "files":
        for function in (score, thresholds):
            with pytest.raises(ValueError, match=f"^{name}='none': expected one of {values}"):
                function([], [], **{name: "none"})


def test_tags_without_words_have_no_words_in_any_file(here):
    """The numbers of tokens repeat in every sentence, and would count as the same words."""
    Path("both.conll").write_text("B-PER B-PER\nO O\n\nO B-LOC\nB-LOC O\n", encoding="utf8")
    done = run("score", "both.conll", "-o", "out.json")
    assert "wrf is excluded: the documents have the numbers of words instead of words" in done.stdout
    assert "wrf" not in json.loads(Path("out.json").read_text(encoding="utf8"))["metrics"]
    assert "wrf needs words" in run("score", "both.conll", "-m", "wrf").stderr
    annotators = {name: f"{name}.csv" for name in ("numbered", "numbers")}
    shared = agreement(annotators, ["papers"])
    assert "wrf" in shared["left_out"] and plain(shared) == told("agreement", *annotators.values(), "-m", "papers")
    Path("words.conll").write_text("Ada B-PER B-PER\nand O O\n\nin O B-LOC\nRome B-LOC O\n", encoding="utf8")
    assert told("score", "words.conll")["metrics"]["wrf"]["scores"]["wrf"] > 0


# What `gate` alone says and writes

OVERALL = '[gate]\n\n[gate.rules]\n\n[gate.rules.overall]\nscore = "strict_f"\nat_least = 60\n'
POLICY = f'{OVERALL}\n[gate.rules.not_worse]\nscore = "strict_f"\nworse_by_at_most = 10\n'


@pytest.fixture
def forty(tmp_path, monkeypatch):
    """Forty documents: gold, a released model that is right, and one that has lost a label."""
    monkeypatch.chdir(tmp_path)
    whole = [line("Ada is in Rome", (0, 3, "PER"), (10, 14, "LOC"), id=str(k)) for k in range(40)]
    lost = [line("Ada is in Rome", (0, 3, "PER"), id=str(k)) for k in range(40)]
    for name, rows in (("gold", whole), ("released", whole), ("lost", lost)):
        write(tmp_path / f"{name}.jsonl", *rows)
    (tmp_path / "policy.cfg").write_text(POLICY)
    return tmp_path


def test_the_released_model_passes_and_one_that_lost_a_label_fails(forty):
    assert "✔ candidate passes the gate: 2 of 2 required rules are met" in accepted(
        "gate", "policy.cfg", "gold.jsonl", "released.jsonl", "--baseline", "released.jsonl"
    )
    done = run(
        *("gate", "policy.cfg", "gold.jsonl", "lost.jsonl", "--baseline", "released.jsonl", "-f", "markdown"),
        *("-o", "out.json", "--junit", "out.xml"),
    )
    assert done.exit_code == 1
    assert "| LOC | missed | 40 |" in done.stdout and "| 0 | LOC | Rome | missed |" in done.stdout
    result = json.loads((forty / "out.json").read_text())
    assert result == gate("policy.cfg", *map(load, ("gold.jsonl", "lost.jsonl", "released.jsonl")))
    accepted("count", "gold.jsonl", "released.jsonl", "-m", "strict", "-o", "released.npz")
    done = run("gate", "policy.cfg", "gold.jsonl", "lost.jsonl", "--baseline", "released.npz")
    assert done.exit_code == 1 and "baseline's counts contain no spans" in flat(done.stdout)
    assert ElementTree.parse(forty / "out.xml").getroot().get("failures") == "2"


def test_the_policy_that_init_writes_can_be_used_at_once(forty):
    accepted("gate", "--init", "new.cfg")
    done = run("gate", "new.cfg", "gold.jsonl", "released.jsonl", "--baseline", "released.jsonl")
    assert done.exit_code == 1
    assert "59 documents without a difference would decide it" in flat(done.stdout)


def test_training_runs_are_judged_by_their_mean(forty):
    done = run(
        "gate", "policy.cfg", "gold.jsonl", "released.jsonl,lost.jsonl", "--baseline", "gold.jsonl", "-o", "o.json"
    )
    assert done.exit_code == 1
    rows = json.loads((forty / "o.json").read_text())["rules"]
    assert rows[0]["score_value"] == pytest.approx((1 + 2 / 3) / 2)  # F of half the recall is 2/3


@pytest.mark.costly
def test_the_report_says_what_the_gate_says(forty):
    """Its tables are those of `gate --format html`, for each system against the first, with their own names."""
    accepted("report", "gold.jsonl", "released.jsonl", "lost.jsonl", "--policy", "policy.cfg", "-o", "report.html")
    section = (forty / "report.html").read_text("utf8").split('<section id="gate"')[1].split("</section>")[0]
    told = flat(re.sub(r"<[^>]+>", " ", section))
    found = gate("policy.cfg", *map(load, ("gold.jsonl", "lost.jsonl", "released.jsonl")))
    assert found.conclusion.startswith("✘") and found.conclusion.replace("candidate", "lost") in told
    for row in found.to_frame().to_dict("records"):
        assert f"{row['rule']} {row['subject']} {row['demand']} {100 * row['found']:.2f}" in told
    assert "Gold spans that released has right and lost has wrong: " in told
    assert "LOC missed 40" in told and "0 LOC Rome missed" in told
    (forty / "alone.cfg").write_text(OVERALL)
    accepted("report", "gold.jsonl", "lost.jsonl", "--policy", "alone.cfg", "-o", "one.html", "-m", "relaxed")
    assert "✘ lost fails the gate: 0 of 1 required rule" in (forty / "one.html").read_text("utf8")
    accepted("report", "gold.jsonl", "lost.jsonl", "-o", "none.html")
    assert 'id="gate"' not in (forty / "none.html").read_text("utf8")


def test_a_report_names_predicted_labels_that_never_occur_in_gold_beside_the_labels_to_keep(here):
    renamed = [[(start, end, label.replace("PER", "PERSON")) for start, end, label in spans] for spans in PRED]
    write(Path("renamed.jsonl"), *rows(renamed))
    result = run("report", "gold.jsonl", "renamed.jsonl", "--only", "PER", "--output", "report.html")
    assert "a label that never occurs in gold: MISC, PERSON. Gold has LOC, LOC/CITY, PER. --only" in flat(result.stderr)
    assert result.exit_code == 0


LEVELS = {"LOC.CITY": "LOC", "LOC.TOWN": "LOC", "ORG": "ORG", "LOC/SEA": "LOC/SEA"}
GIVEN, FOUND = (
    [
        [{"start": 2 * k, "end": 2 * k + 1, "label": label, "score": 0.5} for k, label in enumerate(labels)]
        for labels in shifted
    ]
    for shifted in (([*LEVELS], ["ORG"]), (["LOC.TOWN", "LOC.CITY", "ORG", "LOC"], ["LOC/SEA"]))
)
OF_LABELS: dict[str, Any] = {
    "score": lambda **how: score(GIVEN, FOUND, "strict,fair", **how),
    "score_runs": lambda **how: score_runs(GIVEN, {"a": FOUND, "b": GIVEN}, "strict", **how),
    "compare": lambda **how: compare({"a": GIVEN, "b": FOUND}, GIVEN, "strict", **how),
    "agreement": lambda **how: agreement({"a": GIVEN, "b": FOUND}, "strict", **how),
    "gate": lambda **how: gate(["strict_f at_least 50"], GIVEN, FOUND, **how),
    "plan": lambda **how: plan(GIVEN, FOUND, half_width=20, **how),
    "thresholds": lambda **how: thresholds(GIVEN, FOUND, "strict", **how),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", OF_LABELS)
def test_levels_of_labels_are_those_behind_their_separator(function):
    cut, mapped, uncut = (
        dict(OF_LABELS[function](**how)) for how in ({"depth": 1, "sep": "."}, {"labels": LEVELS}, {"depth": 1})
    )
    cut, mapped, uncut = (re.sub(r"'spacy-nereval\|[^']*'", "", str(result)) for result in (cut, mapped, uncut))
    assert cut == mapped != uncut


@pytest.mark.parametrize("command", ["score", "compare", "agreement", "thresholds", "errors"])
def test_commands_cut_labels_at_their_separator(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    text = "a b c d e f g"
    for name, side in (("gold", GIVEN), ("pred", FOUND)):
        write(Path(f"{name}.jsonl"), *({"id": str(k), "text": text, "spans": spans} for k, spans in enumerate(side)))
    files = ["gold.jsonl", "pred.jsonl", *["gold.jsonl"] * (command == "compare")]
    files += ["--metrics", "strict"] * (command != "errors")
    mapping = ",".join(f"{there}={here}" for there, here in LEVELS.items())
    how = ({"--depth": "1", "--sep": "."}, {"--labels": mapping})
    cut, mapped = (printed(command, *files, *[word for pair in one.items() for word in pair]) for one in how)
    assert "LOC.CITY" not in cut
    assert re.sub(r"\S*spacy-nereval\|.*", "", cut) == re.sub(r"\S*spacy-nereval\|.*", "", mapped)
