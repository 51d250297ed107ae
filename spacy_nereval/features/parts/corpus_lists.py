"""A corpus of many files, as a command names it: in a list, by patterns, or by folders; locally or in cloud storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from glob import has_magic
from pathlib import Path, PurePosixPath
from typing import Any

from ...cli.command_options import input_formats
from ...cli.guards import STDIN_FILE
from ...cli.metric_options import names_and_options
from ...cli.sources import Source, matching_files


def corpus_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a command's parameters, with all files of the corpus filled in.

    A list (`--files-from`) is replaced by the files that it names, a pattern by those that it matches, and a folder by
    those in it, if `--format` names a format of files.

    Raises:
        ValueError: The list cannot be read, or is given together with files; or a folder or pattern of gold and that
            of predictions do not have the same files.
        OSError: The list cannot be read.
    """
    counts = "first" in values  # `count`, else `evaluate`, with the model as another argument
    arguments = [values["first"], *(values["others"] or ())] if counts else [*(values["data"] or ())]
    names, options = names_and_options([argument for argument in arguments if argument is not None])
    formats = input_formats(values.get("format"))
    gold, pred = (formats[0], formats[-1]) if formats else (None, None)
    single = not counts or values["both"] or bool(names and not _is_corpus(names[0], gold))
    model = names[:1] if counts and single and not values["both"] else []
    files = names[len(model) :]
    path = values["files_from"]
    if str(path) == "-":
        path = Path(STDIN_FILE)
    if path:
        if files:
            raise ValueError(f"{files[0]} and --files-from {path} exclude each other: list the files in one place")
        files = _files_in_list(path, (gold,) if single else (gold, pred))
    elif len(files) == 2 and not single:
        files = [file for side in _files_of_sides((files[0], files[1]), (gold, pred)) for file in side]
    else:
        files = [file for name in files for file in _files_of(name, gold)]
    if not files:
        metavars = "DATA" if not counts else "GOLD... of --both" if values["both"] else "GOLD... and PRED..."
        raise ValueError(f"there are no files to count: give {metavars}, or a list with --files-from")
    values = {**values, "files_from": path}
    if not counts:
        return {**values, "data": [*files, *options]}
    first, *others = [*model, *files]
    return {**values, "first": first, "others": [*others, *options]}


def _files_in_list(path: Path, formats: Sequence[str | None]) -> list[str]:
    """Return the files that a list names: first those of gold, then, with two formats, those of predictions."""
    from ...io.formats.contents import lines

    sides: list[list[str]] = [[] for _ in formats]
    for number, line in lines(path):
        names = [name.strip() for name in line.split("\t")] if len(formats) > 1 else [line.strip()]
        if not any(names):
            continue
        try:
            if len(names) != len(formats) or not all(names):
                raise ValueError(
                    "expected a file of gold annotation and one of predictions, with a tab between them; with --both, "
                    "every file contains both"
                )
            if len(names) == 2:
                additions = _files_of_sides((names[0], names[1]), formats)
            else:
                additions = [_files_of(names[0], formats[0])]
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        for side, files in zip(sides, additions):
            side += files
    return [file for side in sides for file in side]


def _files_of_sides(names: tuple[str, str], formats: Sequence[str | None]) -> list[list[str]]:
    """Return the files of gold and those of predictions.

    Raises:
        ValueError: Their numbers differ, or two folders do not have the same file names.
    """
    sides = [_files_of(name, format) for name, format in zip(names, formats)]
    if len(sides[0]) != len(sides[1]):
        numbers = " and ".join(f"{name} is {len(files)}" for name, files in zip(names, sides))
        raise ValueError(
            f"{numbers} of the files: expected a file of predictions for each file of gold annotation; "
            "--files-from takes a list of both"
        )
    if all(files != [name] and not has_magic(name) for name, files in zip(names, sides)):
        first, second = ({_path_inside(file, name) for file in files} for name, files in zip(names, sides))
        for (name, other), missing in zip((names, names[::-1]), (second - first, first - second)):
            if missing:
                raise ValueError(
                    f"{name} has no file {min(missing)}, and {other} has one: give both the same names, or a list of "
                    "both with --files-from"
                )
    return sides


def _path_inside(file: str, folder: str) -> str:
    """Return the path of a file in its folder, without extensions."""
    from ...core.compression import strip_compression

    path = Path(file.removeprefix(folder).lstrip("/")) if "://" in folder else Path(file).relative_to(folder)
    return strip_compression(path).with_suffix("").as_posix()


def _is_corpus(name: str, format: str | None) -> bool:
    """Return whether an argument names files rather than a model, perhaps by a pattern or a folder."""
    return not Source(name).is_model or has_magic(name) or (format is not None and _files_of(name, format) != [name])


def _files_of(name: str, format: str | None) -> list[str]:
    """Return the files of an argument, sorted: of a folder, of a pattern, or the argument itself."""
    from ...io.formats import corpus_files
    from ...io.formats.settings import Format

    if "://" in name and not Path(name).exists():
        return _remote_files(name, format)
    path = Path(name)
    if format is not None and path.is_dir() and not (path / "meta.json").exists():  # else a pipeline
        return [str(file) for file in corpus_files(path, Format(format))]
    return matching_files(name) or [name]


def _remote_files(name: str, format: str | None) -> list[str]:
    """Return the files of a URL, which may be a pattern or a folder."""
    from ...io.formats import corpus_members, is_file_format
    from ...io.paths import location

    if has_magic(name):
        parts = PurePosixPath(name.partition("://")[2]).parts
        depth = next(k for k, part in enumerate(parts) if has_magic(part))
        root = location(f"{name.partition('://')[0]}://{'/'.join(parts[:depth])}")
        if not (files := sorted(map(str, root.glob("/".join(parts[depth:]))))):
            raise ValueError(f"no file matches {name}")
        return files
    if format is None or not is_file_format(format) or PurePosixPath(name).suffix or not location(name).is_dir():
        return [name]
    root = location(name)
    members = {str(file): PurePosixPath(str(file).removeprefix(str(root)).lstrip("/")) for file in root.rglob("*")}
    paths = corpus_members([*members.values()], format)
    if not paths:
        raise ValueError(f"{name} is a folder without files of the format {format}")
    return sorted(file for file, path in members.items() if path in paths)
