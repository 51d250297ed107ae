"""What `score` and `compare` return: dicts that show themselves as text, in a notebook, as frames and in files."""

import copy
import json
import pickle
import re
import sys

import numpy as np
import pytest
from asking import NEEDED
from refusals import refused_with

import spacy_nereval
from spacy_nereval import Comparison, Document, Result, compare, count, create_all, evaluate, score
from spacy_nereval.api import results, shown
from spacy_nereval.core.features import Feature
from spacy_nereval.io.count_files import load

pandas = pytest.importorskip("pandas", reason="frames are made with pandas, of the extra `frame`")

TEXTS = ["Ada met Bob in New York", "<b>Rome</b> calls", "Nobody slept"]
GOLD = [[(0, 3, "PER"), (8, 11, "PER"), (15, 23, "LOC")], [(3, 7, "<LOC>")], []]
PRED = [[(0, 3, "PER"), (8, 11, "ORG"), (19, 23, "LOC")], [(3, 7, "<LOC>"), (12, 17, "PER")], []]
DOCUMENTS = [Document(gold, pred, text) for gold, pred, text in zip(GOLD, PRED, TEXTS)]


@pytest.fixture(scope="module")
def result() -> Result:
    return score(GOLD, PRED, text=TEXTS)


@pytest.fixture(scope="module")
def compared() -> Comparison:
    gold = [["B-A", "O", "B-B"]] * 8
    return compare({"old": [["B-A", "O", "O"]] * 8, "new": gold}, gold, ["strict", "fair"], margin=1)


def test_a_result_is_the_json_of_the_commands(result):
    assert result == evaluate(count(DOCUMENTS, create_all(None)))
    assert isinstance(result, dict) and json.loads(json.dumps(result)) == result
    assert result.signature == result["signature"] and result.counts.documents == 3
    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert again == result and again.errors() == result.errors() and str(again) == str(result)


@pytest.mark.parametrize("kind", ["Comparison", "Gate", "Plan", "Thresholds", "Corrections", "DataSets", "Leaderboard"])
@pytest.mark.parametrize("values", [{}, {"<b>": 1}], ids=["empty", "foreign"])
def test_what_is_no_result_is_shown_as_a_dict_and_says_what_it_lacks(kind, values):
    """Debuggers and notebooks show objects that are not complete yet."""
    cls = getattr(spacy_nereval, kind, None)
    if cls is None:
        pytest.skip("its feature is not installed")
    made = cls(values)
    assert repr(made) == str(made) == f"{kind}({values!r})"
    page = made._repr_html_()
    assert kind in page and "<b>" not in page.replace("<body>", "")
    with pytest.raises(KeyError, match="there is no 'other'"):
        made["other"]
    with pytest.raises(AttributeError, match="there is no 'other'"):
        made.other  # noqa: B018  # the expression is what fails
    assert copy.deepcopy(made) == made == pickle.loads(pickle.dumps(made))


def test_the_text_has_the_digits_and_the_average_that_are_asked_for(result):
    """`test_score_view` compares the whole text with what the command prints."""
    assert str(result) == result.summary() == repr(result)
    assert re.search(r"strict +40\.00 +50\.00 +44\.44", str(result))
    assert re.search(r"strict +40\.0 +50\.0 +44\.4$", result.summary(digits=1), flags=re.M)
    assert "Scores (macro)" in result.summary("macro") and "Scores (macro)" not in str(result)
    with refused_with(ValueError, "average='mean': expected one of micro, macro, weighted, docs"):
        result.summary("mean")


def test_a_notebook_sees_escaped_tables_without_scripts(result, compared):
    gold = [["B-A", "O"]] * 6
    named = compare({"<i>old": [["O", "O"]] * 5 + gold[:1], "<b>new": gold}, gold, ["strict"])
    for made in (result, compared, named):
        page = made._repr_html_()
        assert "<table>" in page and "<script" not in page.lower() and " on" + "load" not in page
        assert not any(tag in page for tag in ("<LOC>", "<b>", "<i>"))
    assert "&lt;LOC&gt;" in result._repr_html_() and "label error" in result._repr_html_()
    assert "&lt;b&gt;new against &lt;i&gt;old" in named._repr_html_()


def test_the_frame_of_a_confusion_matrix_is_one_matrix_and_says_where_it_has_no_hits(result):
    for made in (result, score(GOLD, PRED, "strict"), score(GOLD, GOLD)):
        assert made.to_frame("confusion").set_index("gold").equals(made.confusion().to_frame())
    assert result.confusion("fair").to_frame().columns.name == result.to_frame("confusion").columns.name
    assert result.to_frame("confusion").columns.name == "predicted (errors only)"
    assert result.confusion("strict").to_frame().columns.name == "predicted"
    assert score(GOLD, PRED, "strict").to_frame("confusion").columns.name == "predicted"

    hits = result.to_frame("confusion-hits").set_index("gold")
    assert hits.loc["PER"].to_dict() == {
        "<LOC>": 0,
        "LOC": 0,
        "ORG": 1,
        "PER": 1,
        "boundary": 0,
        "no span": 0,
        "total": 2,
    }
    assert hits.loc["LOC", "boundary"] == 1 and hits.loc["total", "total"] == 5
    assert score(GOLD, GOLD).to_frame("confusion-hits").set_index("gold").loc["total", "total"] == 4, "no errors"
    assert len(score(GOLD, GOLD, "strict").to_frame("confusion-hits")) == 0, "its matrix has the hits"
    strict = score(GOLD, GOLD).confusion("strict")
    assert {(gold, pred): n for gold in strict for pred, n in strict[gold].items() if n} == {
        ("PER", "PER"): 2, ("LOC", "LOC"): 1, ("<LOC>", "<LOC>"): 1
    }  # fmt: skip


def test_a_list_of_errors_between_many_labels_says_so_too():
    names = [f"L{k:02}" for k in range(14)]
    made = score([[(0, 3, name)] for name in names], [[(0, 3, name)] for name in names[1:] + names[:1]])
    assert [*made.to_frame("confusion").columns] == ["gold", "predicted", "number"]
    assert "Confusion matrix (fair, errors only)" in str(made.show("confusion"))


def test_every_table_is_a_frame(result):
    for name in {*result._view().makers} - {"groups", "attributes"}:  # of these spans, which have none
        assert len(result.to_frame(name)) > 0, name
    groups = score(GOLD * 2, PRED * 2, ["fair"], text=TEXTS * 2).to_frame("groups")
    assert len(groups) > 0 and "Bob" in groups.to_string()
    assert len(score([["B-A"]], [["O"]]).to_frame("groups")) == 0, "there are no texts"
    assert "text" in result.to_frame("pairs").columns, "an example of each"
    scores = result.to_frame().set_index("metric")
    assert scores.loc["semeval exact", "P"] == result["metrics"]["semeval"]["scores"]["exact_p"]
    macro = result.to_frame("scores", average="macro").set_index("metric")
    assert macro.loc["strict", "F"] == result["metrics"]["strict"]["averages"]["macro"]["f"]
    assert [*result.to_frame("documents")["document"]][-1] == 2
    with pytest.raises(ValueError, match="there is no table 'score': did you mean 'scores'. There are all, headline, "):
        result.to_frame("score")


def test_frames_of_a_comparison(compared):
    assert len(compared.to_frame("transitions")) > 0 and len(compared.to_frame("spans")) == 8
    row = compared.to_frame().query("metric == 'strict' and score == 'f'").iloc[0]
    assert (row["system"], row["value"], row["p"]) == ("new", 1.0, 2 / 256)
    with refused_with(
        ValueError,
        "there is no table 'scores'; there are differences, labels, slices, runs, transitions, spans, all-differences",
    ):
        compared.to_frame("scores")


def test_without_pandas_a_frame_says_what_to_install(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refused_with(
        ValueError,
        'to_frame needs pandas: python -m pip install ".[frame]" in a clone of spacy-nereval',
    ):
        result.to_frame()


def test_errors_are_the_rows_of_the_command(result):
    rows = result.errors()
    expected = [("le", "Bob", "Bob"), ("be_s", "New York", "York"), ("fp", None, "calls")]
    assert [(row["verdict"], row["gold_text"], row["pred_text"]) for row in rows] == expected
    assert rows[0]["left"] == "Ada met " and rows[2]["document"] == 1
    assert [row["verdict"] for row in result.errors(verdicts=["le"])] == ["le"]
    assert {row["metric"] for row in result.errors("strict")} == {"strict"}
    assert len(result.errors(labels=["LOC"])) == 1
    assert result.errors("relaxed", verdicts=["all"]), "a metric that was not scored"
    with pytest.raises(ValueError, match="fair: there is no verdict 'wrong'"):
        result.errors(verdicts=["wrong"])


def test_errors_of_an_iterator_are_gone_and_the_remedy_is_said():
    for gone in (score(iter(GOLD), PRED, text=TEXTS), score(iter(DOCUMENTS))):
        assert gone["documents"] == 3
        for asked in (gone.errors, gone.render):
            with refused_with(
                ValueError,
                "the documents came from an iterator and were not kept: give score a list, such as "
                "score(list(gold), list(pred))",
            ):
                asked()
    assert len(score(DOCUMENTS).errors()) == 3


def test_files_are_written_by_their_ending(result, compared, tmp_path):
    """`test_score_view` and `test_compare_doors` have the tables in Markdown, LaTeX and CSV."""
    for ending in (".json", ".csv", ".npz"):
        result.save(tmp_path / f"a{ending}")
    assert json.loads((tmp_path / "a.json").read_text()) == result
    assert evaluate(load(tmp_path / "a.npz")) == result
    assert "New York" in (tmp_path / "a.csv").read_text(), "examples of errors"
    for name in ("a.txt", "a", "b.npz"):
        with pytest.raises(ValueError, match="expected a file that ends with .json, .md, .tex, .csv, .html"):
            compared.save(str(tmp_path / name))
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "a.json", "a.npz"}


def listed(systems, confidence, asked, trials) -> str:
    """The page of a feature that makes reports: what it is given."""
    return f"<p>{[(system.name, len(system.documents), asked and asked.primary) for system in systems]}"


def test_the_report_is_the_page_that_a_feature_makes(result, monkeypatch, tmp_path):
    for module in (results, shown):
        monkeypatch.setattr(module, "features", lambda: (Feature("empty"), Feature("pages", page=f"{__name__}:listed")))
    result.save(tmp_path / "mine.html")
    assert (tmp_path / "mine.html").read_text() == "<p>[('mine', 3, None)]\n"
    assert str(result.report()) == "<p>[('system', 3, None)]"
    sides = {"old": PRED, "new": GOLD}
    assert (
        str(compare(sides, GOLD, "strict", text=TEXTS).report())
        == "<p>[('old', 3, 'strict.f'), ('new', 3, 'strict.f')]"
    )


def test_without_a_feature_that_makes_reports_a_page_has_the_tables(result, monkeypatch, tmp_path):
    for module in (results, shown):
        monkeypatch.setattr(module, "features", lambda: (Feature("empty"),))
    result.save(tmp_path / "a.html")
    assert "<table" in (tmp_path / "a.html").read_text()
    with refused_with(
        ValueError,
        "no feature that makes reports is registered: save tables instead, as .md, .tex or .csv",
    ):
        result.report()


def test_comparisons_that_cannot_be_made():
    for systems, baseline, said in (
        ({"a": PRED}, None, "systems: expected a table of two or more names and predictions"),
        ([PRED, PRED], None, "systems: expected a table"),
        ({"a": PRED, "b": PRED}, "c", "there is no system 'c'; there are a, b"),
    ):
        with pytest.raises(ValueError, match=said):
            compare(systems, GOLD, ["fair"], baseline=baseline)


def test_a_comparison_reads_the_same_things(compared):
    found = compare({"a": iter(PRED), "b": GOLD}, iter(GOLD), text=iter(TEXTS), samples=20, trials=20)
    assert [*dict.fromkeys(row["metric"] for row in found["comparisons"])][-1] == "wrf"
    assert "wrf" in compare({"a": PRED, "b": GOLD}, GOLD, samples=20, trials=20)["left_out"]
    row = next(row for row in found["comparisons"] if (row["metric"], row["score"]) == ("strict", "f"))
    assert np.isclose(row["baseline_value"], 4 / 9)


# One document

SHOWN = [
    ([(0, 12, "PER")], [(0, 12, "PER")], "[{Ada Lovelace}]⟨PER⟩ met Bob"),
    ([(0, 12, "PER")], [(0, 3, "PER")], "[{Ada} Lovelace]⟨shorter than gold: PER⟩ met Bob"),
    ([(0, 12, "PER")], [], "[Ada Lovelace]⟨missed: PER⟩ met Bob"),
    ([], [(13, 16, "PER")], "Ada Lovelace {met}⟨spurious: PER⟩ Bob"),
    ([(17, 20, "PER")], [(17, 20, "LOC")], "Ada Lovelace met [{Bob}]⟨label error: PER as LOC⟩"),
    ([(0, 3, "A"), (3, 4, "B")], [], "[Ada]⟨missed: A⟩[ ]⟨missed: B⟩Lovelace met Bob"),
    ([], [], "Ada Lovelace met Bob"),
    ([(0, 0, "GAP"), (4, 4, "GAP")], [], "[]⟨missed: GAP⟩Ada []⟨missed: GAP⟩Lovelace met Bob"),
]


@pytest.mark.parametrize(("gold", "pred", "line"), SHOWN)
def test_a_document_shows_gold_predictions_and_verdicts(gold, pred, line):
    shown = score([gold], [pred], ["fair"], text=["Ada Lovelace met Bob"]).render(0, "fair")
    assert str(shown).splitlines()[1] == line
    page = shown._repr_html_()
    bare = re.sub(r"<style>.*</style>|<p>[^<]*</p>|<p class=\"key\">.*</p>", "", page, flags=re.S)
    assert re.findall(r'<span class="flag \w+">(.*?)</span>', bare) == re.findall("⟨(.*?)⟩", line)
    without = re.sub(r'<span class="flag.*?</span>', "", bare)
    assert re.sub("<.*?>", "", without).strip() == "Ada Lovelace met Bob", "no character is lost"
    for side, spans in (("gold", gold), ("pred", pred)):
        covered = "".join(re.findall(rf'<span class="[^"]*\b{side}\b[^"]*">(.*?)</span>', without))
        assert len(covered) == len({place for start, end, _ in spans for place in range(start, end)})


def test_a_document_is_chosen_by_its_number_or_id_as_in_the_list_of_errors(result):
    assert all(str(result.render(row["document"])).startswith("document ") for row in result.errors())
    assert "<b>Rome</b> calls" not in result.render(1)._repr_html_()
    assert "&lt;b&gt;Rome" in re.sub("</?span.*?>", "", result.render(1)._repr_html_())
    assert str(result.render(-1)) == str(result.render(2)) and "Nobody slept" in str(result.render(2))
    named = score([None, Document([(0, 3, "A")], [], "Ada", id="x")], ["strict"])
    assert str(named.render("x")) == str(named.render(0)) and "document x: 1 gold span" in str(named.render("x"))
    assert "⟨missed: A⟩" in str(named.render("x", "semeval"))
    untold = score([["B-A", "O"]], [["B-B", "O"]], ["strict"]).render()
    assert "[0–1] {0–1} ⟨label error: A as B⟩" in str(untold) and "{0–1}" in untold._repr_html_()
    for found, asked, said in (
        (result, 3, "there is no document 3: there are 3, numbered from 0"),
        (result, "y", "documents have no ids: give a number, not 'y'"),
        (named, "X", "there is no 'X'; there are x"),
    ):
        with pytest.raises(ValueError, match=said):
            found.render(asked)


def test_verdicts_that_rest_on_the_whole_corpus_are_those_of_the_list():
    """Of tmr, whose verdicts are final only when every document is known."""
    known = [Document(own.gold, own.pred, own.text, id=f"d{k}") for k, own in enumerate(DOCUMENTS)]
    found = score(known, {"tmr": NEEDED["tmr"]})
    listed = found.errors("tmr", ["all"])
    assert {row["document"] for row in listed} == {"d0", "d1"}
    for name in ("d0", "d1"):
        flags = re.findall('<span class="flag', found.render(name, "tmr")._repr_html_())
        assert len(flags) == sum(row["document"] == name for row in listed)
