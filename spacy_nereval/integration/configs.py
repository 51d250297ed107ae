"""Write training configs that use this package: a new config, or an existing one with changes."""

from __future__ import annotations

import configparser
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import spacy
from spacy.cli.init_config import init_config
from spacy.language import Language
from thinc.api import Config

from ..core.formulas import SPACYS
from ..core.messages import spell_argument
from ..metrics.registry import create_all

Lines = list[str]


class Section(NamedTuple):
    """A section of a config.

    Attributes:
        name: Its name, such as `components.ner.scorer`; "" for the lines before the first section.
        lines: Its lines, the header included.
    """

    name: str
    lines: Lines


class ConfigText:
    """The text of a config, which can be changed section by section.

    Args:
        text: A text that spaCy's own parser accepts.

    >>> config = ConfigText("# mine\\n[a]\\nx = 1\\n\\n[a.b]\\ny = 2\\n\\n# Of c\\n[c]\\n")
    >>> config.replace("a.b", ["z = 3"])
    >>> print(config)
    # mine
    [a]
    x = 1
    <BLANKLINE>
    [a.b]
    z = 3
    <BLANKLINE>
    # Of c
    [c]
    """

    def __init__(self, text: str) -> None:
        # Values on several lines are indented, so a bracket at the start of a line begins a section.
        parts = re.split(r"^(?=\[)", text, flags=re.M)
        self._sections = [Section("", parts[0].splitlines())]
        for part in parts[1:]:
            header, *lines = part.splitlines()
            self._sections.append(Section(header[1 : header.index("]")].strip(), [header, *lines]))

    def __str__(self) -> str:
        return "\n".join(line for section in self._sections for line in section.lines)

    def body(self, name: str) -> Lines:
        """Return the lines of a section from its header to its last value, without the header; [] if it is missing."""
        lines = next((section.lines for section in self._sections if section.name == name), None)
        return lines[1 : _end_of_values(lines)] if lines else []

    def replace(self, name: str, body: Sequence[str]) -> None:
        """Replace the lines of a section. A missing section is added after its parent and the parent's subsections.

        Args:
            name: The section. Its subsections, such as `a.b.c` of `a.b`, are removed.
            body: Its new lines, without the header.
        """
        parent, _, key = name.rpartition(".")
        old = [k for k, section in enumerate(self._sections) if _is_within(section.name, name)]
        tail = [""]
        if old:
            last = self._sections[old[-1]].lines
            tail = last[_end_of_values(last) :] or [""]
        else:
            self._remove_value(parent, key)
        at = old[0] if old else self._end_of(parent)
        if not old:  # comments before the next section stay there
            before = self._sections[at - 1].lines
            tail, before[:] = before[_end_of_values(before) :], [*before[: _end_of_values(before)], ""]
        self._sections = [section for k, section in enumerate(self._sections) if k not in old]
        self._sections.insert(at, Section(name, [f"[{name}]", *body, *tail]))

    def _remove_value(self, section: str, key: str) -> None:
        """Remove `key = {...}`, the short form of a subsection, from a section."""
        for block in self._sections:
            if block.name == section:
                block.lines[:] = replace_values(block.lines, lambda name, lines: [] if name == key else lines)

    def _end_of(self, name: str) -> int:
        """Return the index after a section and its subsections. A missing section is added at the end."""
        within = [k for k, section in enumerate(self._sections) if _is_within(section.name, name)]
        if not within:
            self._sections.append(Section(name, [f"[{name}]", ""]))
            within = [len(self._sections) - 1]
        before = self._sections[within[-1]].lines
        if before[-1].strip():
            before.append("")
        return within[-1] + 1


def _is_within(name: str, other: str) -> bool:
    return name == other or name.startswith(f"{other}.")


def _end_of_values(lines: Lines) -> int:
    """Return the number of lines up to the last value. Comments and blank lines after it belong to the next section."""
    values = [k for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    return values[-1] + 1 if values else 0


def replace_values(lines: Sequence[str], change: Callable[[str, Lines], Lines]) -> Lines:
    """Return the lines with each value replaced by the result of a function.

    Args:
        lines: The lines of a section.
        change: A function of a key and the lines of its value that returns the new lines.

    >>> replace_values(["# f", "f = 1", "x = [", "  2]"], lambda key, lines: lines if key == "f" else [f"{key} = 3"])
    ['# f', 'f = 1', 'x = 3']
    """
    result: Lines = []
    k = 0
    while k < len(lines):
        start = re.match(r"([^\s#\[][^=]*?)\s*=", lines[k])
        end = k + 1
        while start and end < len(lines) and re.match(r"\s+\S", lines[end]):
            end += 1
        value_lines = list(lines[k:end])
        result += change(start[1], value_lines) if start else value_lines
        k = end
    return result


NER_SCORER, SPANS_SCORER = "spacy-nereval.ner_scorer.v1", "spacy-nereval.spans_scorer.v1"
LOGGER = "spacy-nereval.logger.v1"

REPLACED = {"spacy.ner_scorer.v1": NER_SCORER, "spacy.spancat_scorer.v1": SPANS_SCORER}
"""spaCy's scorers, and this package's, which return the same scores and more."""

KNOWN = {*REPLACED, *REPLACED.values()}

MARK = "\ufeff"
"""The byte order mark, with which some editors begin a file."""


class AdaptedConfig(NamedTuple):
    """A config that uses this package.

    Attributes:
        text: The text of the config.
        notes: A line for each change, and for each setting that was kept although it could have been changed.
    """

    text: str
    notes: list[str]


def new_config(lang: str, pipeline: Sequence[str], score: str = "fair_f") -> AdaptedConfig:
    """Return the config of `spacy init config` for training on a CPU, with the changes of `adapt_config`.

    Args:
        lang: Code of a language, such as "en".
        pipeline: Names of trainable components, such as "ner".
        score: As for `adapt_config`.

    Raises:
        ValueError: There is no such language or component.

    >>> "ents_fair_f = 1.0" in new_config("en", ["ner"]).text
    True
    """
    try:
        spacy.blank(lang)  # this also registers spaCy's own components
    except ImportError:
        raise ValueError(
            f"{spell_argument('lang', lang)}: spaCy has no such language; expected a code such as 'en'"
        ) from None
    if unknown := [name for name in pipeline if not Language.has_factory(name)]:
        argument = spell_argument("pipeline", ",".join(pipeline))
        raise ValueError(f"{argument}: spaCy has no component {unknown[0]!r}; try ner or spancat")
    return adapt_config(init_config(lang=lang, pipeline=[*pipeline]).to_str(), score)


def adapt_config(text: str, score: str = "fair_f", *, replace_scorer: bool = False) -> AdaptedConfig:
    """Return a config with this package's scorers, score weights and logger.

    All other lines stay as they are, with their line ends and the byte order mark.

    - spaCy's scorers of entities and span categories are replaced; those of other packages only if you ask for it.
    - The weight of spaCy's scores of these components goes to one score, by which
      `spacy train` then chooses the best model.
    - spaCy's ConsoleLogger is replaced, unless it writes to a file.

    Args:
        text: The text of a config, complete or partial.
        score: Key of a score of the six metrics, without its prefix, for which higher is better.
        replace_scorer: Also replace scorers that are not spaCy's. Without it, the component `nereval` can score
            in addition to them.

    Raises:
        ValueError: The text is not a config; no component predicts entities or span
            categories; all that do have scorers of other packages; or there is no such score.

    >>> config = '[nlp]\\nlang = "en"\\npipeline = ["ner"]\\n\\n[components]\\n\\n[components.ner]\\nfactory = "ner"\\n'
    >>> print(adapt_config(config).notes[0])
    [components.ner.scorer] is spacy-nereval.ner_scorer.v1 instead of spacy.ner_scorer.v1
    """
    _check_score(score)
    spacy.blank("xx")  # this registers spaCy's own components
    mark, end = MARK * text.startswith(MARK), "\r\n" if text.count("\n") == text.count("\r\n") else "\n"
    original, text = text, text.removeprefix(MARK).replace("\r\n", "\n")
    before = _parse_config(text)
    after, written, notes = deepcopy(before), ConfigText(text), []
    components = [*_span_components(before)]
    others = [] if replace_scorer else [(name, scorer) for name, scorer, _ in components if scorer not in KNOWN]
    if components and len(others) == len(components):
        raise ValueError(
            f"components.{others[0][0]} has the scorer {others[0][1]}, which is not spaCy's: "
            f"{spell_argument('replace_scorer', True)} replaces it; to keep it, add the component "
            "'nereval', which adds scores"
        )
    if not components:
        raise ValueError(
            "no component predicts entities or span categories: expected one with the factory ner, beam_ner, spancat "
            "or spancat_singlelabel; for other pipelines add the component 'nereval'"
        )
    for name, scorer, prefix in components:
        if (name, scorer) in others:
            notes.append(
                f"[components.{name}.scorer] stays: {scorer}; {spell_argument('replace_scorer', True)} replaces it"
            )
            continue
        notes += _set_scorer(after, written, name, scorer, prefix)
        notes += _set_weights(after, written, prefix, score)
    notes += _set_logger(after, written)
    changed = text if after == before else str(written).rstrip("\n") + "\n"
    if _parse_config(changed) != after:
        raise ValueError("the config has a form that cannot be changed here: run 'spacy init fill-config' on it first")
    return AdaptedConfig(original if after == before else mark + changed.replace("\n", end), notes)


def _check_score(score: str) -> None:
    higher_is_better = {
        key: metric.score_by_name[name].higher_is_better for metric in create_all() for key, name in metric.keys.items()
    }
    if score not in higher_is_better:
        raise ValueError(f"there is no score {score!r}; expected one such as strict_f, partial_f, fair_f or wrf")
    if not higher_is_better[score]:
        raise ValueError(f"for {score!r} lower is better, but spaCy keeps the model with the highest score")


def _parse_config(text: str) -> dict[str, Any]:
    try:
        config: dict[str, Any] = Config().from_str(text, interpolate=False)
    except (ValueError, configparser.Error) as error:
        raise ValueError(f"not a config of spaCy: {' '.join(str(error).split())}") from None
    training = config.get("training", {})
    for name, table in [
        *((f"components.{name}", component) for name, component in config.get("components", {}).items()),
        *((f"training.{name}", training.get(name) or {}) for name in ("score_weights", "logger")),
    ]:
        if not isinstance(table, dict):
            raise ValueError(f"not a config of spaCy: {name} is {table!r}, expected a section")
    for name, weight in (training.get("score_weights") or {}).items():
        if not isinstance(weight, (int, float, type(None))):
            raise ValueError(f"not a config of spaCy: the score weight {name} is {weight!r}, expected a number or null")
    return config


def _span_components(config: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield name, scorer and prefix of the score keys of each component that predicts entities or span categories."""
    for name, component in config.get("components", {}).items():
        if "factory" not in component:
            continue  # a component that is copied from another pipeline keeps the scorer that it has there
        factory = component["factory"]
        meta = Language.get_factory_meta(factory) if Language.has_factory(factory) else None
        default = (meta and meta.default_config) or {}
        scorer = component.get("scorer", default.get("scorer"))
        scorer_name = str(scorer.get("@scorers")) if isinstance(scorer, dict) else "null"
        if factory in ("ner", "beam_ner"):
            yield name, scorer_name, "ents"
        elif factory in ("spancat", "spancat_singlelabel") or scorer_name in ("spacy.spancat_scorer.v1", SPANS_SCORER):
            yield name, scorer_name, f"spans_{component.get('spans_key', default.get('spans_key', 'sc'))}"


def _set_scorer(config: dict[str, Any], text: ConfigText, name: str, scorer: str, prefix: str) -> list[str]:
    section = f"components.{name}.scorer"
    if scorer in REPLACED.values():
        return [f"[{section}] stays: {scorer}"]
    new = NER_SCORER if prefix == "ents" else SPANS_SCORER
    config["components"][name]["scorer"] = {"@scorers": new}
    text.replace(
        section,
        [
            "# spaCy's own scores, and those of the six metrics of the papers. To choose other metrics or",
            f"# options, add a section [{section}.metrics] with lines such as: fair = {{}}",
            f'@scorers = "{new}"',
        ],
    )
    return [f"[{section}] is {new} instead of {scorer}"]


def _set_weights(config: dict[str, Any], text: ConfigText, prefix: str, score: str) -> list[str]:
    """Move the weight of spaCy's scores to one of this package's, and return a line about it."""
    section, key = "training.score_weights", f"{prefix}_{score}"
    training = config.setdefault("training", {})
    weights = training.get("score_weights") or {}
    ours = [name for name in weights if name.startswith(f"{prefix}_") and name[len(prefix) + 1 :] not in SPACYS]
    if weighted := [name for name in ours if weights[name]]:
        return [f"[{section}] stays: {weighted[0]} = {weights[weighted[0]]}"]
    spacys = {f"{prefix}_{part}": weights.get(f"{prefix}_{part}") for part in "fpr"}
    old_weights = [weight for weight in spacys.values() if weight is not None]
    new = {name: 0.0 for name, weight in spacys.items() if weight} or {f"{prefix}_f": 0.0}
    new[key] = float(sum(old_weights)) if old_weights else 1.0
    lines = _lines_of(text, section, weights)
    changed = replace_values(lines, lambda name, old: [f"{name} = {new[name]}"] if name in new else old)
    added = [f"{name} = {weight}" for name, weight in new.items() if name not in weights]
    comment = "# These weights choose the best model. A weight of 0.0 only shows a score in the log, and null hides it."
    text.replace(section, [*([comment] if comment not in lines else []), *changed, *added])
    training["score_weights"] = {**weights, **new}
    return [f"[{section}] is {', '.join(f'{name} = {weight}' for name, weight in new.items())}"]


def _lines_of(text: ConfigText, section: str, values: Mapping[str, Any]) -> Lines:
    """Return the lines of a section. If its parent has it in short form, make them from the values."""
    return text.body(section) or [f"{name} = {json.dumps(value)}" for name, value in values.items()]


def _set_logger(config: dict[str, Any], text: ConfigText) -> list[str]:
    training = config.setdefault("training", {})
    old = training.get("logger") or {"@loggers": "spacy.ConsoleLogger.v1"}
    name = old.get("@loggers")
    if not str(name).startswith("spacy.ConsoleLogger.") or old.get("output_file"):
        return [f"[training.logger] stays: {name}"]
    bar = old.get("progress_bar")
    new = {"@loggers": LOGGER, "progress_bar": "eval" if bar is True else bar or None}
    if old.get("console_output") is False:
        new["console_output"] = False
    training["logger"] = new
    comment = "# Prints the output of spaCy's own logger, and writes training.json next to the models."
    text.replace("training.logger", [comment, *(f"{key} = {json.dumps(value)}" for key, value in new.items())])
    return [f"[training.logger] is {LOGGER} instead of {name}"]
