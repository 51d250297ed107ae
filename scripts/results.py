"""Write docs/results.md from the files that `scripts/trials.py evaluate` wrote to metrics/.

    python scripts/results.py

Every number and every sentence comes from these files. A corpus without such a file
keeps the section that it has.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from failing import fail
from wasabi import msg

from spacy_nereval.io.writing import atomic
from spacy_nereval.reporting.formats import markdown
from spacy_nereval.reporting.score_cells import percent
from spacy_nereval.reporting.sentences import what_was_tested
from spacy_nereval.reporting.table import Cell, Interval, Table, shown

CORPORA = {
    "warranty": "Customer complaints and workshop notes about vehicles, synthetic, part of this repository: "
    "where it failed and how.",
    "wnut17": "WNUT 2017, emerging and rare entities in web text: six kinds of names.",
    "maintie": "MaintIE, maintenance work orders: physical objects and states. Of nested spans, `ents` keeps the "
    "outermost and `spans` all.",
}
NAMES = {
    "cpu": "a window encoder on hashed features, without pretrained vectors, and a transition-based recogniser",
    "paper": "a fine-tuned transformer and a transition-based recogniser, the paper's training setting",
    "spancat": "a fine-tuned transformer and a span categoriser, on nested spans",
}
ERRORS = {
    "fn": "missed",
    "fp": "spurious",
    "be_s": "too short",
    "be_l": "too long",
    "be_o": "shifted",
    "le": "wrong label",
    "lbe": "wrong label and boundary",
}
GROUPS = {
    "fn": (("fn",), "a span is missed altogether, so that recall is what to work on"),
    "fp": (("fp",), "a span is predicted where there is none, so that precision is what to work on"),
    "be": (
        ("be_s", "be_l", "be_o"),
        "a span of the right kind has wrong boundaries, so that these are what to work on",
    ),
    "le": (("le",), "a span with the right boundaries has the wrong label, so that the labels are what to work on"),
    "lbe": (("lbe",), "a span overlaps a gold one, but label and boundaries are both wrong"),
}
PAPER = {"transformer": "bert-base-uncased", "epochs": 12}
KINDS = ("above", "below", "equal")
CLOSE = 0.5
"""A difference between WRF and F, in percentage points, that is too small to explain."""

INTRODUCTION = """# Results

Written by `python -m spacy project run results` from the metrics files of
`spacy project run gpu`; the command above each table repeats it. Numbers are
percentages but for counts. *Mean*, *sd* and *range* are over the seeds; the
*interval* (95 %, 1,000 half-samples) and the tests are over the test documents,
each drawn, or changing places, with the predictions of all seeds for it.

The setting is that of Weber et al. (WRF), section 4.1, as far as spaCy has it.
`configs/paper.cfg` lists the differences. The main one is the head: a
transition-based parser, where theirs classifies tokens. The sentences below the
tables are generated from the numbers by fixed rules in `scripts/results.py`. Times
are wall-clock times; on a machine with other work they say little about speed.

In the paper, section 4.3, WRF is above F1 in 41.7 %, below in 11.7 % and equal
in 46.7 % of 60 texts.
"""


def main(
    metrics: Annotated[Path, typer.Argument(file_okay=False, help="Folder with the metrics of the corpora")] = Path(
        "metrics"
    ),
    output: Annotated[Path, typer.Argument(dir_okay=False, help="Markdown file")] = Path("docs/results.md"),
) -> None:
    """Write the results of every corpus that has some in METRICS to OUTPUT."""
    found = {name: metrics / name / "trials.json" for name in CORPORA}
    found = {name: path for name, path in found.items() if path.is_file()}
    if not found:
        fail(f"{metrics} has no trials.json: run `python -m spacy project run gpu .` first")
    sections = earlier(output) | {name: section(srsly.read_json(path)) for name, path in found.items()}
    parts = [f"<!-- {name} -->\n\n{sections[name]}\n\n<!-- /{name} -->" for name in CORPORA if name in sections]
    output.parent.mkdir(exist_ok=True)
    with atomic(output) as file:
        file.write(("\n\n".join([INTRODUCTION.strip(), *parts]) + "\n").encode())
    msg.good(f"{', '.join(found)} in {output}")


def earlier(output: Path) -> dict[str, str]:
    """Return the sections that the file has already."""
    text = output.read_text(encoding="utf8") if output.is_file() else ""
    return dict(re.findall(r"<!-- (\w+) -->\n\n(.*?)\n\n<!-- /\1 -->", text, flags=re.S))


def section(results: Mapping[str, Any]) -> str:
    """Return the section of a corpus."""
    corpus = results["corpus"]
    sizes = ", ".join(f"{number} {split}" for split, number in results["sizes"].items())
    parts = [f"## {corpus}", CORPORA[corpus], f"Texts: {sizes}.", f"```bash\n{command(results)}\n```"]
    parts += reduced(results)
    for name, found in results["pipelines"].items():
        trials = [trial for trial in results["trials"] if trial["pipeline"] == name]
        parts += [f"### {name}: {NAMES[name]}", *pipeline(found, trials)]
    if results["comparison"]:
        parts += comparison(results["comparison"])
    return "\n\n".join(parts)


def command(results: Mapping[str, Any]) -> str:
    """Return the command that repeats the results."""
    trial = next(trial for trial in results["trials"] if trial["transformer"])
    overrides = trial["settings"]["overrides"]
    epochs, rest = divmod(overrides["training.max_steps"], overrides["training.eval_frequency"])
    given = {
        "corpus": results["corpus"],
        "seeds": ",".join(map(str, results["seeds"])),
        "gpu_id": results["gpu_id"],
        "transformer": trial["transformer"],
        "epochs": epochs + bool(rest),
        "steps": rest and overrides["training.max_steps"],
        "accumulate_gradient": overrides["training.accumulate_gradient"],
    }
    defaults = srsly.read_yaml("project.yml")["vars"]
    options = " ".join(f"--vars.{name} {value}" for name, value in given.items() if value != defaults[name])
    fetch = "" if results["corpus"] == "warranty" else "python -m spacy project assets\n"
    return f"{fetch}python -m spacy project run gpu . {options}".rstrip()


def reduced(results: Mapping[str, Any]) -> list[str]:
    """Return a sentence on what is smaller than in the paper, if anything is."""
    trial = next(trial for trial in results["trials"] if trial["transformer"])
    found = []
    if trial["transformer"] != PAPER["transformer"]:
        found.append(f"the weights are {weights(trial['transformer'])} instead of `{PAPER['transformer']}`")
    overrides = trial["settings"]["overrides"]
    epochs = overrides["training.max_steps"] / overrides["training.eval_frequency"]
    if epochs < PAPER["epochs"]:
        found.append(f"training ends after at most {epochs:g} of {PAPER['epochs']} epochs")
    if results["gpu_id"] < 0:
        found.append("all of it ran on a CPU")
    return [f"**Smaller than in the paper:** {'; '.join(found)}."] if found else []


def pipeline(found: Mapping[str, Any], trials: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the setting, scores, errors and a conclusion of one pipeline."""
    yield setting(found, trials)
    rows: list[list[Cell]] = []
    for key, own in found["scores"].items():
        name = {"wrf": "wrf (strict weights)", "wrf_lenient": "wrf (lenient weights)"}.get(key, key)
        rows.append([own["metric"].removesuffix("_lenient"), name, percent(own["mean"]), percent(own["sd"])])
        rows[-1] += [interval(own["min"], own["max"]), interval(*own["interval"])]
    yield markdown(Table("", ["metric", "score", "mean", "sd", "range", "interval"], rows))
    rows = []
    for weights, numbers in found["disagreement"].items():
        rows.append([f"WRF {weights}", *(percent(numbers[name]["share"]) for name in KINDS), numbers["undefined"]])
    yield (
        "Share of documents with WRF above, below and equal to strict F, of those where both are defined, over all "
        "seeds:\n\n" + markdown(Table("", ["", *KINDS, "undefined"], rows, digits=1))
    )
    errors = {name: found["fair"][name] for name in ERRORS}
    total = sum(errors.values())
    rows = [[name, ERRORS[name], number, percent(number, total)] for name, number in errors.items()]
    yield f"FairEval's {total} errors by type, over all seeds:\n\n" + markdown(
        Table("", ["type", "what", "number", "share"], rows, digits=1)
    )
    yield said(found)


def setting(found: Mapping[str, Any], trials: list[dict[str, Any]]) -> str:
    """Return what was trained, with what, and for how long."""
    first = trials[0]
    machine, versions = first["machine"], first["settings"]["versions"]
    spans = f'`doc.spans["{found["spans_key"]}"]`' if found["spans_key"] else "`doc.ents`"
    device = f"{machine['gpu']}, {machine['gpu_memory_gib']:.1f} GiB used" if "gpu" in machine else "no GPU"
    packages = ", ".join(f"{name} {versions[name]}" for name in ("spacy", "torch", "spacy-nereval"))
    train_words = sum(t["train_words"] for t in trials) / max(1, sum(t["train_seconds"] for t in trials))
    predict_words = sum(t["predict_words"] for t in trials) / sum(t["predict_seconds"] for t in trials)
    lines = [
        f"- scored: {spans}, {found['documents']} documents, {found['gold']} gold spans",
        f"- config: `configs/{first['settings']['config']}`"
        + (f", weights {weights(first['transformer'])}" if first["transformer"] else ""),
        f"- seeds: {', '.join(str(t['seed']) for t in trials)}; finished {max(t['finished'] for t in trials)[:10]}",
        f"- epochs: {listed(t['epoch'] for t in trials)}; steps: {listed(t['step'] for t in trials)}; "
        f"training time in seconds, evaluations included: {listed(t['train_seconds'] for t in trials)}",
        f"- words per second: {train_words:.0f} in training, {predict_words:.0f} in prediction",
        f"- machine: {machine['processor']}, {machine['cores']} cores, {device}; {packages}",
    ]
    if rates := [t["rates"] for t in trials if t["rates"]]:
        lines.insert(4, f"- learning rates: {listed(' then '.join(f'{rate:g}' for rate in own) for own in rates)}")
    return "\n".join(lines)


def weights(transformer: str) -> str:
    """Return a description of the weights."""
    known = " (all-MiniLM-L6-v2, see `scripts/weights.py`)" if transformer == "assets/weights" else ""
    return f"`{transformer}`{known}"


def said(found: Mapping[str, Any]) -> str:
    """Return two sentences: the most frequent kind of error, and how WRF differs from F."""
    numbers = {name: sum(found["fair"][error] for error in errors) for name, (errors, _) in GROUPS.items()}
    most = max(numbers, key=lambda name: numbers[name])
    share = percent(numbers[most], sum(numbers.values()))
    first = f"In {share:.0f} % of the errors {GROUPS[most][1]}." if share else "There is no error."
    kinds = found["disagreement"]["strict"]
    shares = [shown(percent(kinds[name]["share"]), 1) for name in ("above", "below")]
    single = "WRF is above strict F in {} % of the documents and below it in {} %".format(*shares)
    gap = 100 * (found["scores"]["wrf"]["mean"] - found["scores"]["strict_f"]["mean"])
    if abs(gap) < CLOSE:
        return f"{first} {single}; over all of them the two are within half a point of each other."
    why = (
        "the right words are found more often than the exact spans"
        if gap > 0
        else "every class and every document that has it, in gold or prediction, weighs the same in it, "
        "whereas in F every span does"
    )
    return f"{first} {single}; over all of them it is {abs(gap):.1f} points {'higher' if gap > 0 else 'lower'}: {why}."


def comparison(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paired tests between the pipelines."""
    for system in dict.fromkeys(row["system"] for row in found["comparisons"]):
        yield f"### {system} against {found['baseline']}"
        rows: list[list[Cell]] = []
        for row in found["comparisons"]:
            if row["system"] == system:
                difference = [percent(row["difference"]), interval(*row["interval"])]
                rows.append([row["metric"], row["score"], *difference, row["p"], row["p_holm"]])
        header = ["metric", "score", "difference", "interval", "p", "p (Holm)"]
        yield markdown(Table("", header, rows, own_digits={"p": 4, "p (Holm)": 4}))
    yield what_was_tested(found)


def interval(low: float | None, high: float | None) -> Interval | None:
    """Return two shares as percentages; None if one is undefined."""
    return None if low is None or high is None else Interval(100 * low, 100 * high)


def listed(values: Any) -> str:
    """Return the values, separated by commas; only one if all are the same."""
    shown = [str(value) for value in values]
    return shown[0] if len(set(shown)) == 1 else ", ".join(shown)


if __name__ == "__main__":
    typer.run(main)
