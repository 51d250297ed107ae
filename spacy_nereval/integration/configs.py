"""Training configs that use this package: a new one, or an existing one with changes."""

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
        text: The text, which spaCy's own parser accepts.

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
        # A value that takes several lines is indented, so a bracket at the start of a line opens a section.
        parts = re.split(r"^(?=\[)", text, flags=re.M)
        self._sections = [Section("", parts[0].splitlines())]
        for part in parts[1:]:
            header, *lines = part.splitlines()
            self._sections.append(Section(header[1 : header.index("]")].strip(), [header, *lines]))

    def __str__(self) -> str:
        return "\n".join(line for section in self._sections for line in section.lines)

    def body(self, name: str) -> Lines:
        """Return the lines of a section without its header and the lines after its last value; [] if it is missing."""
        found = next((section for section in self._sections if section.name == name), None)
        return found.lines[1 : _end_of_values(found.lines)] if found else []

    def replace(self, name: str, body: Sequence[str]) -> None:
        """Give a section new lines. A missing section is added after those of its parent.

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
        self._sections = [section for k, section in enumerate(self._sections) if k not in old]
        self._sections.insert(at, Section(name, [f"[{name}]", *body, *tail]))

    def _remove_value(self, section: str, key: str) -> None:
        """Remove `key = {...}` from a section, the short form of a subsection."""
        for found in self._sections:
            if found.name == section:
                found.lines[:] = replaced_values(found.lines, lambda name, lines: [] if name == key else lines)

    def _end_of(self, name: str) -> int:
        """Return the place after a section and its subsections. A missing section is added at the end."""
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
    """Return the number of lines up to the last value. Comments and blank lines after it concern the next section."""
    values = [k for k, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    return values[-1] + 1 if values else 0


def replaced_values(lines: Sequence[str], change: Callable[[str, Lines], Lines]) -> Lines:
    """Return the lines with each value replaced by the result of a function.

    Args:
        lines: The lines of a section.
        change: From a key and the lines of its value to the new lines.

    >>> replaced_values(["# f", "f = 1", "x = [", "  2]"], lambda key, lines: lines if key == "f" else [f"{key} = 3"])
    ['# f', 'f = 1', 'x = 3']
    """
    found: Lines = []
    k = 0
    while k < len(lines):
        start = re.match(r"([^\s#\[][^=]*?)\s*=", lines[k])
        end = k + 1
        while start and end < len(lines) and re.match(r"\s+\S", lines[end]):
            end += 1
        taken = list(lines[k:end])
        found += change(start[1], taken) if start else taken
        k = end
    return found


NER_SCORER, SPANS_SCORER = "spacy-nereval.ner_scorer.v1", "spacy-nereval.spans_scorer.v1"
LOGGER = "spacy-nereval.logger.v1"

REPLACED = {"spacy.ner_scorer.v1": NER_SCORER, "spacy.spancat_scorer.v1": SPANS_SCORER}
"""spaCy's scorers, and the replacements that return the same scores and more."""

KNOWN = {*REPLACED, *REPLACED.values()}

MARK = "\ufeff"
"""The mark of byte order with which some editors begin a file."""


class Changed(NamedTuple):
    """A config with the changes.

    Attributes:
        text: The text of the config.
        notes: What was changed, and what was kept although it could have been changed; a line for each.
    """

    text: str
    notes: list[str]


def new_config(lang: str, pipeline: Sequence[str], score: str = "fair_f") -> Changed:
    """Return a config as `spacy init config` makes it, for training on a CPU, with the changes of `changed_config`.

    Args:
        lang: Code of a language, such as "en".
        pipeline: Names of trainable components, such as "ner".
        score: As for `changed_config`.

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
        given = spell_argument("pipeline", ",".join(pipeline))
        raise ValueError(f"{given}: spaCy has no component {unknown[0]!r}; try ner or spancat")
    return changed_config(init_config(lang=lang, pipeline=[*pipeline]).to_str(), score)


def changed_config(text: str, score: str = "fair_f", *, replace_scorer: bool = False) -> Changed:
    """Return a config with this package's scorers, score weights and logger. All other lines stay, with their line
    ends and the mark of byte order, if it has one.

    - Scorers of spaCy for entities and span categories are replaced; those of other packages only if you wish.
    - The weight of spaCy's scores of these components goes to one score, by which
      `spacy train` then chooses the best model.
    - spaCy's ConsoleLogger is replaced, unless it writes to a file.

    Args:
        text: The text of a config, complete or partial.
        score: Key of a score of the six metrics, without its prefix, for which higher is better.
        replace_scorer: Also replace scorers that are not spaCy's. The component `nereval` scores beside them instead.

    Raises:
        ValueError: The text is not a config, no component predicts entities or span
            categories or all that do have a scorer of their own, or there is no such score.

    >>> config = '[nlp]\\nlang = "en"\\npipeline = ["ner"]\\n\\n[components]\\n\\n[components.ner]\\nfactory = "ner"\\n'
    >>> print(changed_config(config).notes[0])
    [components.ner.scorer] is spacy-nereval.ner_scorer.v1 instead of spacy.ner_scorer.v1
    """
    _check_score(score)
    spacy.blank("xx")  # this registers spaCy's own components
    mark, end = MARK * text.startswith(MARK), "\r\n" if text.count("\n") == text.count("\r\n") else "\n"
    given, text = text, text.removeprefix(MARK).replace("\r\n", "\n")
    before = _parsed(text)
    after, written, notes = deepcopy(before), ConfigText(text), []
    scored = [*_scored(before)]
    own = [] if replace_scorer else [(name, scorer) for name, scorer, _ in scored if scorer not in KNOWN]
    if scored and len(own) == len(scored):
        raise ValueError(
            f"components.{own[0][0]} has the scorer {own[0][1]}, which is not spaCy's: "
            f"{spell_argument('replace_scorer', True)} "
            "puts this package's in its place; to keep it, add the component 'nereval', which scores beside it"
        )
    if not scored:
        raise ValueError(
            "no component predicts entities or span categories: expected one whose factory is ner, beam_ner, spancat "
            "or spancat_singlelabel; for other pipelines add the component 'nereval'"
        )
    for name, scorer, prefix in scored:
        if (name, scorer) in own:
            notes.append(
                f"[components.{name}.scorer] stays: {scorer}; {spell_argument('replace_scorer', True)} replaces it"
            )
            continue
        notes += _set_scorer(after, written, name, scorer, prefix)
        notes += _set_weights(after, written, prefix, score)
    notes += _set_logger(after, written)
    changed = text if after == before else str(written).rstrip("\n") + "\n"
    if _parsed(changed) != after:
        raise ValueError("the config has a form that cannot be changed here: run 'spacy init fill-config' on it first")
    return Changed(given if after == before else mark + changed.replace("\n", end), notes)


def _check_score(score: str) -> None:
    known = {
        key: metric.score_by_name[name].higher_is_better for metric in create_all() for key, name in metric.keys.items()
    }
    if score not in known:
        raise ValueError(f"there is no score {score!r}; expected one such as strict_f, partial_f, fair_f or wrf")
    if not known[score]:
        raise ValueError(f"for {score!r} lower is better, but spaCy keeps the model with the highest score")


def _parsed(text: str) -> dict[str, Any]:
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


def _scored(config: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the components of a config that predict entities or span categories: name, scorer, prefix of its keys."""
    for name, component in config.get("components", {}).items():
        if "factory" not in component:
            continue  # copied from another pipeline, with its scorer
        factory = component["factory"]
        meta = Language.get_factory_meta(factory) if Language.has_factory(factory) else None
        default = (meta and meta.default_config) or {}
        scorer = component.get("scorer", default.get("scorer"))
        known = str(scorer.get("@scorers")) if isinstance(scorer, dict) else "null"
        if factory in ("ner", "beam_ner"):
            yield name, known, "ents"
        elif factory in ("spancat", "spancat_singlelabel") or known in ("spacy.spancat_scorer.v1", SPANS_SCORER):
            yield name, known, f"spans_{component.get('spans_key', default.get('spans_key', 'sc'))}"


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
    """Move the weight of spaCy's scores to one of ours."""
    section, key = "training.score_weights", f"{prefix}_{score}"
    training = config.setdefault("training", {})
    weights = training.get("score_weights") or {}
    ours = [name for name in weights if name.startswith(f"{prefix}_") and name[len(prefix) + 1 :] not in SPACYS]
    if chosen := [name for name in ours if weights[name]]:
        return [f"[{section}] stays: {chosen[0]} = {weights[chosen[0]]}"]
    spacys = {f"{prefix}_{part}": weights.get(f"{prefix}_{part}") for part in "fpr"}
    given = [weight for weight in spacys.values() if weight is not None]
    new = {name: 0.0 for name, weight in spacys.items() if weight} or {f"{prefix}_f": 0.0}
    new[key] = float(sum(given)) if given else 1.0
    lines = _lines_of(text, section, weights)
    changed = replaced_values(lines, lambda name, old: [f"{name} = {new[name]}"] if name in new else old)
    added = [f"{name} = {weight}" for name, weight in new.items() if name not in weights]
    comment = "# These weights choose the best model. A weight of 0.0 only shows a score in the log, and null hides it."
    text.replace(section, [*([comment] if comment not in lines else []), *changed, *added])
    training["score_weights"] = {**weights, **new}
    return [f"[{section}] is {', '.join(f'{name} = {weight}' for name, weight in new.items())}"]


def _lines_of(text: ConfigText, section: str, values: Mapping[str, Any]) -> Lines:
    """Return the lines of a section; if it has the short form in the section above, lines with its values."""
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
    comment = "# Prints what spaCy's own logger prints, and writes training.json beside the models."
    text.replace("training.logger", [comment, *(f"{key} = {json.dumps(value)}" for key, value in new.items())])
    return [f"[training.logger] is {LOGGER} instead of {name}"]
