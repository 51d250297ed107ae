"""A result that shows itself: as text, in a notebook, as a frame, and in files."""

from __future__ import annotations

import html
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from functools import cache, update_wrapper
from inspect import Parameter, signature
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ..core.compression import format_extension, strip_compression
from ..core.features import features
from ..core.messages import LONGEST_REASON, describe_unknown, install_command, shorten
from ..core.synonyms import RESULT_NAMES, ROW_NAMES, python_call
from ..core.wording import COLORS
from ..io.saved_results import kind_of, read_result
from ..io.writing import atomic_file, json_text, visible, write_json
from ..metrics.registry import create, names
from ..reporting.figures import Figure
from ..reporting.formats import html as html_table
from ..reporting.formats import records, render_document
from ..reporting.rendered_document import RenderedDocument
from ..reporting.result_table import ResultTable
from ..reporting.terminal import render
from ..reporting.view import View
from .inputs import arguments_here, check_call

if TYPE_CHECKING:
    import pandas

S = TypeVar("S", bound="Shown")

KINDS = "\n".join(f".nereval .{kind} {{ --kind: {color} }}" for kind, color in COLORS.items())

STYLE = f"""<style>
.nereval {{ color: inherit; font-size: 0.875rem; line-height: 1.5 }}
.nereval p {{ margin: 0.5em 0; max-width: 60em; overflow-wrap: anywhere }}
.nereval p:first-of-type {{ font-size: 1rem }}
.nereval p.key, .nereval p:last-child {{ font-size: 0.75rem; opacity: 0.75 }}
.nereval table {{ margin: 1em 0; border-collapse: collapse; border: 0; font-size: inherit; color: inherit }}
.nereval caption {{ caption-side: top; text-align: left; font-weight: bold; padding: 0 0 0.25em; color: inherit }}
.nereval.nereval :is(th, td) {{ border: 0; text-align: left; vertical-align: baseline; padding: 0.15em 0.8em 0.15em 0 }}
.nereval.nereval thead th {{ font-weight: normal; opacity: 0.75; vertical-align: bottom }}
.nereval.nereval tbody tr {{ border-top: 1px solid rgb(128 128 128 / 30%) }}
.nereval.nereval .number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }}
.nereval .text {{ font-size: 1rem; line-height: 2.25; white-space: pre-wrap }}
.nereval .text span:not(.flag) {{ background: color-mix(in srgb, var(--kind) 30%, transparent); padding-bottom: 1px }}
.nereval .gold {{ border-bottom: 2px solid currentColor }}
.nereval .pred {{ text-decoration: underline dashed 2px; text-underline-offset: 0.5em }}
.nereval .flag {{ margin: 0 0.2em; padding: 0.1em 0.4em; border-radius: 3px; font-size: 0.75rem; font-weight: 600; \
color: #111; background: var(--kind); text-decoration: none; unicode-bidi: isolate }}
{KINDS}
.nereval .none {{ --kind: #a4aab1 }}
</style>"""
"""The style in a notebook, light or dark. It undoes the notebook's own style for tables."""

COLUMN_NAMES = {
    **{"precision": "P", "recall": "R", "f1": "F", "p_value": "p_holm"},
    **{"diff": "difference", "delta": "difference", "a": "baseline_value", "b": "value"},
}
"""The names of columns elsewhere, and here."""

UNSHOWN = ("clear", "copy", "fromkeys", "pop", "popitem", "setdefault", "update", "summarised", "from_json")
"""Names that tab completion omits: those that change a dict, and that of others for `load`."""

WRITERS = ("save", "load", "report", "plot")
"""Methods that are not called unless somebody calls them."""

FORMATS = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".html": "html"}
"""File endings, and the formats of tables."""


@cache
def kind_of_verdict(metric: str, verdict: str) -> str:
    """Return the kind of a metric's verdict, such as "boundary"; its name if the metric declares none.

    >>> kind_of_verdict("fair", "be_s")
    'boundary'
    """
    words = create(metric).words if metric in names() else {}
    return words[verdict].kind if verdict in words else verdict


class Row(dict[str, Any]):
    """A row whose values are attributes, too: `error.verdict`, and `error.gold` for the values of a gold span.

    >>> row = Row(metric="fair", verdict="fn", gold_start=0, gold_label="PER", pred_start=None, pred_label=None)
    >>> row.type, row.gold, row.pred, row.label
    ('missed', {'start': 0, 'label': 'PER'}, None, 'PER')
    """

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            for key in (name, ROW_NAMES.get(name, "")):
                if key in self:
                    return DocumentId.of(self[key]) if key == "document" else self[key]
                if key == "kind" and {"metric", "verdict"} <= {*self}:
                    return kind_of_verdict(self["metric"], self["verdict"])
            if f"gold_{name}" in self:  # where there is no gold span, the predicted one is meant
                return self[f"pred_{name}" if self.get("gold_start", 0) is None else f"gold_{name}"]
            side = {"predicted": "pred", "prediction": "pred"}.get(name, name)
            if span := {key.removeprefix(f"{side}_"): self[key] for key in self if key.startswith(f"{side}_")}:
                return None if span.get("start") is None else Row(span)
            raise AttributeError(f"a row has no {name!r}: {describe_unknown(name, self, most=30)}")


class DocumentId(str):
    """The id of the document of an error, which is asked for what a document has.

    >>> DocumentId("d1").text
    Traceback (most recent call last):
    AttributeError: 'd1' is the id of the document, without 'text': write e.left + e.text + e.right for the text around
    """

    @classmethod
    def of(cls, value: Any) -> Any:
        """Return an id that answers; a number or None as it is."""
        return cls(value) if isinstance(value, str) else value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"{str(self)!r} is the id of the document, without {name!r}: write e.left + e.text + e.right for the text "
            "around"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


class Rows(list[Any]):
    """Rows of errors: a list, with the number of each verdict and a frame, as other packages have them.

    >>> rows = Rows([Row(metric="fair", verdict="fn", gold_label=label) for label in ("PER", "LOC")])
    >>> rows.counts, rows.by_type, rows.by_label, rows.to_pandas().shape
    ({'fn': 2}, {'missed': 2}, {'PER': 1, 'LOC': 1}, (2, 5))
    """

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows with each verdict, or of disputed spans with each label, the most frequent first."""
        return dict(Counter(row.get("verdict", row.get("label")) for row in self).most_common())

    def to_frame(self) -> pandas.DataFrame:
        """Return the rows as a pandas DataFrame."""
        return frame(self)

    def to_csv(self, path: str | Path | None = None, index: bool = False) -> str | None:
        """Return the rows as CSV, or write them to a file, as the frame does."""
        text: str | None = self.to_frame().to_csv(path, index=index)
        return text

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if name in ("by_type", "by_kind", "types", "error_types", "type_counts", "error_counts"):
                return dict(Counter(Row(row).type for row in self).most_common())
            if RESULT_NAMES.get(name) == "labels":
                return dict(Counter(Row(row).label for row in self).most_common())
            if RESULT_NAMES.get(name) == "to_frame":
                return self._frame
            raise AttributeError(
                f"these are {len(self)} rows, a list without {name!r}: write .counts, the number of each verdict, "
                ".to_frame(), .to_frame().value_counts(['verdict', 'gold_text']), or [0], the first row; "
                "r.errors(verdicts=['boundary'], labels=['PER']) selects rows"
            )

    def _frame(self) -> pandas.DataFrame:
        """Return the frame that others make: with columns for the verdict and the span, by their names there, too."""
        names = ("type", "label", "start", "end", "text")
        return frame(
            {**row, **{name: getattr(Row(row), name) for name in names if hasattr(Row(row), name)}} for row in self
        )


class Method:
    """A method of a result, which takes the arguments of other packages too, and answers those that mean nothing.

    Where it needs no arguments, what it returns can be had without a call.

    >>> from spacy_nereval import score
    >>> result = score([["B-PER"]], [["B-PER"]], "strict")
    >>> result.confusion["PER"]["PER"]
    1
    >>> result.to_dict(flat=True)
    Traceback (most recent call last):
    TypeError: to_dict has no argument flat: write r.flat(), with r = score(gold, pred)
    """

    def __init__(self, method: MethodType) -> None:
        self._method = method
        update_wrapper(self, method)

    def __call__(self, *args: Any, **options: Any) -> Any:
        name, parameters = self._method.__name__, signature(self._method).parameters
        listed = next((one for one, parameter in parameters.items() if parameter.kind is Parameter.VAR_POSITIONAL), "")
        accepted = [one for one in parameters if one != listed]
        if listed and {listed, listed.removesuffix("s")} & {*options}:
            value = options.pop(listed if listed in options else listed.removesuffix("s"))
            args += (value,) if isinstance(value, str) else tuple(value)
        if len(args) > len(accepted) and not listed:
            line = python_call(str(args[-1]), at=name)
            its = f"its arguments are {', '.join(accepted)}" if accepted else "it has no arguments"
            raise TypeError(f"{name} does not take {shorten(repr(args[-1]))}: {f'write {line}' if line else its}")
        if any(option not in accepted for option in options):
            options = arguments_here(options, name, accepted, [] if listed else accepted[: len(args)])
        check_call(signature(self._method), name, args, options)
        return self._method(*args, **options)

    def __getitem__(self, key: Any) -> Any:
        return self()[key]

    def __repr__(self) -> str:
        return repr(self._method if self._needs_call else self())

    @property
    def _needs_call(self) -> bool:
        """Whether what it returns cannot be had without a call: it does something, or needs arguments."""
        needed = [one for one in signature(self._method).parameters.values() if one.default is Parameter.empty]
        return self._method.__name__ in WRITERS or any(one.kind is not Parameter.VAR_POSITIONAL for one in needed)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self._method.__name__ in WRITERS:
            raise AttributeError(f"{self._method.__name__} is a method, without {name!r}")
        return getattr(self(), name)


class RowsMethod(Method, Sequence[dict[str, Any]]):
    """A method that returns rows, which can be had without a call too: `for row in result.errors`."""

    def __call__(self, *args: Any, **options: Any) -> Rows:
        return Rows(map(Row, super().__call__(*args, **options)))

    def __len__(self) -> int:
        return len(self())


class Plain(dict[str, Any]):
    """A result without methods."""

    def __missing__(self, key: str) -> Any:
        if key in self.get("metrics", ()):
            raise KeyError(f"there is no {key!r}: write ['metrics'][{key!r}]['scores'], or use the result, r[{key!r}]")
        raise KeyError(describe_unknown(key, self))


class Shown(dict[str, Any]):
    """A result: a dict in plain Python, equal to the JSON of the commands, with methods that print and save it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        is_text = bool(args) and isinstance(args[0], str)
        if options or is_text:
            made_by = self._kind.lower()
            words = args[0].split() if is_text else [*options]
            line = next(filter(None, (python_call(word, at=made_by) for word in words)), f"{made_by}(...)")
            raise TypeError(f"{self._kind} is a result, and has no options: write {line}")
        super().__init__(*args)

    @classmethod
    def load(cls: type[S], path: str | Path) -> S:
        """Return the result in a JSON file that `save` wrote, or the command with `--output`.

        It is equal to the result that was saved. The file has neither documents nor counts: a method that needs these
        raises an error.

        Args:
            path: The file.

        Raises:
            ValueError: There is no such file, or it contains another kind of result, or none.
            OSError: The file cannot be read.

        >>> from spacy_nereval import Result, score
        >>> result, path = score([["B-PER"]], [["B-PER"]], ["strict"]), getfixture("tmp_path") / "result.json"
        >>> result.save(path)
        >>> Result.load(path) == result
        True
        """
        made: Callable[[Mapping[str, Any]], S] = cls
        return cls._check_shown(path, read_result(Path(path), cls._kind), made)

    @classmethod
    def from_json(cls: type[S], path: str | Path) -> S:
        """Return what `load` returns."""
        return cls.load(path)

    @classmethod
    def _check_shown(cls, path: str | Path, values: Mapping[str, Any], make: Callable[[Mapping[str, Any]], S]) -> S:
        """Return the result of values that were read from a file, after all that it shows has been made once.

        Raises:
            ValueError: Something lacks, or is no value that it can have.
        """
        try:
            result = make(values)
            view = result._view()
            as_text(view.tables([*view.makers]))
            result.to_csv()  # has all rows
            result.summary()
            result.to_json()
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            reason = shorten(" ".join(str(error).split()) or type(error).__name__, LONGEST_REASON)
            lack = f"it has no {reason}" if isinstance(error, LookupError) else reason
            raise ValueError(
                f"{path} was changed or damaged after {cls._kind}.save or a command wrote it ({lack}): make it again"
            ) from None
        return result

    _lines: ClassVar[Mapping[str, str]] = {}
    """Names from other packages, and the line to write instead."""

    _kind: ClassVar[str]
    """The name of the class, as `io.saved_results` has it."""

    @staticmethod
    def _unavailable(what: str, remedy: str) -> ValueError:
        """Return the error for a part that a result from a JSON file lacks."""
        return ValueError(f"this result was read from a JSON file, which contains no {what}: {remedy}")

    @property
    def signature(self) -> str:
        """One line that names everything that can change a number."""
        line: str = self["signature"]
        return line

    @property
    def conclusion(self) -> str:
        """The sentence that the command prints first."""
        return self._view().opening()[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain dicts and lists: the JSON of the command.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], ["strict"]).to_dict()["gold"]
        1
        """
        return Plain(deepcopy(dict(self)))

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the result as the text of the JSON file that `save` writes.

        Args:
            path: A file that the text is written to as well, as by `save`.

        Raises:
            OSError: The file cannot be written.

        >>> import json
        >>> from spacy_nereval import score
        >>> json.loads(score([["B-PER"]], [["B-PER"]], ["strict"]).to_json())["gold"]
        1
        """
        if path is not None:
            write_json(Path(path), self)
        return json_text(self)

    if not TYPE_CHECKING:  # which knows the methods themselves

        def __getattribute__(self, name: str) -> Any:
            value = super().__getattribute__(name)
            if name.startswith("_") or not isinstance(value, MethodType) or value.__self__ is not self:
                return value  # `load` is a method of the class
            return RowsMethod(value) if name == "errors" else Method(value)

    def __missing__(self, key: str) -> Any:
        if (value := self._value_of_line(key)) is not None:
            return value
        raise KeyError(self._remedy(key) or describe_unknown(key, self))

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if (meant := self._attribute_meant(name)) is not None:
                return meant
            raise AttributeError(
                self._remedy(name) or describe_unknown(name, [*self.keys(), *self._listed_names()], most=60)
            )

    def _attribute_meant(self, name: str) -> Any:
        """Return the attribute that other packages call by another name, or the item of this name; None if none is."""
        here = RESULT_NAMES.get(name, "")
        if here == "to_frame":
            return self._frame_as_elsewhere
        if here in self._own_names():
            return getattr(self, here)
        key = next((key for key in (name, here) if key in self), "per_type" if here == "labels" else "")
        value = super().get(key) if key in self else self._value_of_line(name)
        return Plain(value) if type(value) is dict else value

    def _frame_as_elsewhere(self, *args: Any, **options: Any) -> pandas.DataFrame:
        """Return the frame of `to_frame`, with the names of columns elsewhere beside those here."""
        made = self.to_frame(*args, **options)
        return made.assign(**{name: made[here] for name, here in COLUMN_NAMES.items() if here in made})

    def _value_of_line(self, name: object) -> Any:
        """Return the value that the line for a name has, if it is an attribute or an item alone; None if it is not."""
        path = re.fullmatch(r"\w((?:\.\w+|\['\w+'\])+)", self._lines.get(str(name), ""))
        value: Any = self
        for attribute, key in re.findall(r"\.(\w+)|\['(\w+)'\]", path[1] if path else ""):
            value = getattr(value, attribute) if attribute else value[key]
        return value if path else None

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in UNSHOWN]

    def _own_names(self) -> list[str]:
        return [name for name in dir(type(self)) if not name.startswith("_") and not hasattr(dict, name)]

    def _listed_names(self) -> list[str]:
        """Return the attributes, and the methods as they are called, as errors list them."""
        names = [name for name in self._own_names() if name not in UNSHOWN]
        return [f"{name}()" if callable(getattr(type(self), name)) else name for name in names]

    def _remedy(self, name: object) -> str:
        """Return the line to write instead of a name, such as an item for an attribute; "" if unknown."""
        if line := self._lines.get(str(name)):
            return f"there is no {name!r}: write {line}"
        if name in self:
            return f"it is an item: write [{name!r}]"
        return f"it is an attribute: write .{name}" if name in self._own_names() else ""

    summarised: ClassVar[Sequence[str]] = ()
    """The tables that `summary` and notebooks show."""

    @abstractmethod
    def to_frame(self, table: str) -> pandas.DataFrame:
        """Return a table as a pandas DataFrame: ratios from 0 to 1, as in JSON."""

    def _view(self, average: str = "micro", *, every: bool = False) -> View:
        """Return the view; if `every`, with the data of tables that are not always shown."""
        raise NotImplementedError

    def _parts(
        self, average: str, digits: int, *, every: bool = False
    ) -> tuple[list[str], list[ResultTable], list[str]]:
        """Return the lines before the tables, the tables (all of them if `every`), and the lines after them."""
        view = self._view(average, every=every)
        wanted = view.makers if every else [name for name in self.summarised if name in view.makers]
        tables = view.tables(wanted, digits=digits)
        return view.opening(digits=digits), [*tables], [*view.closing(), self.signature]

    def summary(self, average: str = "micro", digits: int = 2) -> str:
        """Return the most important tables as text.

        Args:
            average: The average that the overall scores show: "micro", "macro", "weighted" or "docs". Only the result
                of `score` has averages.
            digits: Decimal places of numbers that are not whole.

        Returns:
            Lines as the terminal shows them: a heading, remarks, tables with ratios in per cent, and the signature.

        Raises:
            ValueError: There is no such average.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], ["strict"]).summary().partition(": ")[0]
        '1 document, 1 gold span, 1 predicted span'
        """
        before, tables, after = self._parts(average, digits)
        return "\n".join([*before, *as_text(tables), *(f"\n{line}" for line in after)])

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        if kind_of(self) is None:  # an incomplete result, such as {}, has no summary
            return f"{type(self).__name__}({dict(self)!r})"
        return self.summary()

    def _repr_html_(self) -> str:
        """Return the same tables for a notebook: HTML without scripts, every text escaped."""
        if kind_of(self) is None:
            return as_html([f"<p>{html.escape(visible(repr(self)))}</p>"])
        before, tables, after = self._parts("micro", 2)
        lines, more = ([f"<p>{html.escape(visible(line))}</p>" for line in part] for part in (before, after))
        return as_html([*lines, *map(html_table, nonempty_tables(tables)), *more])

    def to_markdown(self, *tables: str, digits: int = 2) -> str:
        """Return tables as Markdown, as `--format markdown` prints them, without the lines around them.

        Args:
            tables: Their names, as for `--tables` of the command; by default those that its reports show.
            digits: Decimal places of numbers that are not whole.

        Raises:
            ValueError: There is no such table; the message lists them.

        >>> from spacy_nereval import score
        >>> print(score([["B-PER"]], [["B-PER"]], "strict").to_markdown("scores"))
        ## Scores (micro)
        <BLANKLINE>
        | metric | P | R | F |
        | --- | ---: | ---: | ---: |
        | strict | 100.00 | 100.00 | 100.00 |
        """
        return self._render("markdown", tables, digits)

    def to_latex(self, *tables: str, digits: int = 2, caption: str = "", label: str = "") -> str:
        r"""Return tables as LaTeX (booktabs), as `--format latex` prints them, without the lines around them.

        Args:
            tables, digits: As for `to_markdown`.
            caption: The caption of the first table; by default its title, as those of the others.
            label: The label of the first table, for references.

        Raises:
            ValueError: As for `to_markdown`.

        >>> from spacy_nereval import score
        >>> result = score([["B-PER"]], [["B-PER"]], "strict")
        >>> result.to_latex("scores", caption="NER", label="tab:ner").splitlines()[3:5]
        ['\\caption{NER}', '\\label{tab:ner}']
        """
        text = self._render("latex", tables, digits, caption)
        mark = f"\n\\label{{{label}}}" if label else ""
        return re.sub(r"(?m)^\\caption\{.*\}$", lambda line: line[0] + mark, text, count=1)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return all tables as CSV, as `save("scores.csv")` writes them.

        Args:
            path: A file that the text is written to as well.

        Raises:
            OSError: The file cannot be written.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], "strict").to_csv().startswith("table,")
        True
        """
        before, tables, after = self._parts("micro", 2, every=True)
        text = render_document(tables, "csv", before, after)
        if path is not None:
            with atomic_file(Path(path)) as file:
                file.write(f"{text}\n".encode("utf8", "backslashreplace"))
        return text

    def _render(self, format: str, tables: Sequence[str], digits: int, caption: str = "") -> str:
        view = self._view(every=True)
        made = [*view.tables(tables or view.usual, digits=digits)]
        if caption and made:
            made[0] = made[0]._replace(title=caption, note="")
        return render_document(made, format)

    def show(self, *tables: str, digits: int = 2) -> Tables:
        """Return tables that a notebook shows as the value of a cell, and `print` as text.

        Args:
            tables, digits: As for `to_markdown`.

        Raises:
            ValueError: There is no such table; the message lists them.

        >>> from spacy_nereval import score
        >>> print(score([["B-PER"]], [["B-PER"]], "strict").show("scores"))
        Scores (micro)
        <BLANKLINE>
        metric        P        R        F
        ------   ------   ------   ------
        strict   100.00   100.00   100.00
        """
        view = self._view(every=True)
        return Tables(view.tables(tables or view.usual, digits=digits))

    def plot(self, figure: str | None = None) -> Figure:
        """Return a figure: a notebook shows it, and its method `save` writes it for a column of a paper.

        Args:
            figure: Its name, by default the first one: "scores", "labels", "verdicts" or "confusion" for the result of
                `score`, "leaderboard" for that of `leaderboard`, "curve" for that of `thresholds`.

        Raises:
            ValueError: There is no such figure, or it would show nothing. Showing it needs the extra "report".

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], "strict").plot("confusion").save(getfixture("tmp_path") / "matrix.pdf")
        """
        return self._view().figure(figure)

    def report(self, height: int = 800, title: str = "system") -> Page:
        """Return the page that `save("report.html")` writes, which a notebook shows in a frame.

        Args:
            height: The height of the frame, in pixels.
            title: The name of the system.

        Raises:
            ValueError: The texts or the documents are not known, or a package for the page is not installed.

        >>> from spacy_nereval import score
        >>> found = score([[(0, 3, "PER")]], [[(0, 3, "PER")]], ["fair"], text=["Ada"])
        >>> found.report()._repr_html_()[:7]
        '<iframe'
        """
        if text := self._report(title):
            return Page(text, height)
        if not any(feature.page for feature in features()):
            raise ValueError("no feature that makes reports is registered: save tables instead, as .md, .tex or .csv")
        raise ValueError("a report needs documents with their texts: write score([*gold], [*pred], text=texts)")

    def save(self, path: str | Path) -> None:
        """Write the result to a file in the format that the file extension names.

        Args:
            path: `.json` for the whole result; `.md`, `.tex` or `.csv` for all tables; `.html` for the report of
                `nereval report`, with every document, or for all tables if the texts are not known or the
                documents came from an iterator and were not kept.

        Raises:
            ValueError: The file extension is unknown, or the libraries that draw the report's charts are not installed.
            OSError: The file cannot be written.

        >>> from spacy_nereval import score
        >>> score([["B-PER"]], [["B-PER"]], ["strict"]).save(getfixture("tmp_path") / "result.json")
        """
        path = Path(path)
        if format_extension(path) == ".json":
            write_json(path, self)
            return
        if format_extension(path) not in FORMATS:
            raise ValueError(f"{path}: expected a file that ends with {', '.join(self._endings())}")
        text = self._report(strip_compression(path).stem) if format_extension(path) == ".html" else None
        if text is None:
            before, tables, after = self._parts("micro", 2, every=True)
            text = render_document(tables, FORMATS[format_extension(path)], before, after)
        with atomic_file(path) as file:
            file.write(f"{text}\n".encode("utf8", "backslashreplace"))

    @abstractmethod
    def _report(self, name: str) -> str | None:
        """Return the report as HTML, with a name for a system that has none; None if it cannot be made."""

    def _endings(self) -> Sequence[str]:
        return (".json", *FORMATS)


class Tables:
    """Tables that show themselves: as text, and as HTML in a notebook."""

    def __init__(self, tables: Iterable[ResultTable]) -> None:
        self._tables = [*tables]

    def __repr__(self) -> str:
        return "\n".join(as_text(self._tables)).removeprefix("\n")

    def _repr_html_(self) -> str:
        return as_html(map(html_table, nonempty_tables(self._tables)))


class Rendered(RenderedDocument):
    """A document that shows itself: as text with marks, and in colours in a notebook."""

    def _repr_html_(self) -> str:
        return as_html([self.html()])


class Page:
    """A whole page of HTML, which a notebook shows in a frame."""

    def __init__(self, text: str, height: int) -> None:
        self._text = text
        self._height = height

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return (
            f"A page of HTML with {len(self._text)} characters. A notebook shows it; r.save('report.html') writes it, "
            "and print(r) prints the scores."
        )

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        with atomic_file(Path(path)) as file:
            file.write(self._text.encode("utf8", "backslashreplace"))

    @property
    def html(self) -> str:
        """The text of the page."""
        return self._text

    def _repr_html_(self) -> str:
        source = html.escape(self._text, quote=True)
        return f'<iframe srcdoc="{source}" style="width: 100%; height: {self._height:d}px; border: 0"></iframe>'


def nonempty_tables(tables: Iterable[ResultTable]) -> list[ResultTable]:
    """Return the tables that have rows."""
    return [table for table in tables if table.rows]


def as_text(tables: Iterable[ResultTable]) -> list[str]:
    """Return tables with their headings as text."""
    return [f"\n{visible(table.heading)}\n{render(table)}" for table in nonempty_tables(tables)]


def as_html(parts: Iterable[str]) -> str:
    """Return parts of a notebook's output with their style."""
    return "\n".join(['<div class="nereval">', STYLE, *parts, "</div>"])


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> pandas.DataFrame:
    """Return rows as a pandas DataFrame.

    Args:
        rows: One mapping of column names to values per row.
        columns: The names of the columns if there are no rows.

    Raises:
        ValueError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ValueError(f"to_frame needs pandas: {install_command('frame')}") from None
    listed_rows = list(rows)
    return pandas.DataFrame(listed_rows, columns=None if listed_rows else list(columns))


def table_frame(tables: Iterable[ResultTable]) -> pandas.DataFrame:
    """Return the rows of tables as a pandas DataFrame: ratios from 0 to 1, bounds of intervals as columns "low" and
    "high".

    Raises:
        ValueError: pandas is not installed.
    """
    tables = [*tables]
    return frame((row for table in tables for row in records(table)), [name for t in tables[:1] for name in t.header])
