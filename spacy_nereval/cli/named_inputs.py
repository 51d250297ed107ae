"""What a command reads, so that it writes to none of these files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path


class NamedInputs:
    """The files, folders and models that a command reads.

    Each is looked up once, since both the inputs and the outputs may be thousands of files.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [*names]

    @cached_property
    def _places(self) -> dict[Path, Path]:
        """What is read, by its path without links."""
        return {place.resolve(): place for place in map(_place, self._names)}

    @cached_property
    def _folders(self) -> set[Path]:
        return {resolved for resolved in self._places if resolved.is_dir()}

    @cached_property
    def _files(self) -> dict[tuple[int, int], Path]:
        """All files that are read, by device and number."""
        files = (file for place in self._places.values() for file in _files(place) if file.exists())
        return {_state(file): file for file in files}

    def check_output(self, output: Path) -> None:
        """Raise ValueError if an output is an input, or lies in a folder that is one."""
        if output.exists() and not output.is_file() and not output.is_dir():
            return  # such as /dev/null
        place = output.resolve()
        if place in self._places:
            raise ValueError(f"{output} is an input, so it cannot be the output: choose another file")
        if folder := self._folder_of(place):
            raise ValueError(
                f"{output} lies in {self._places[folder]}, which is an input, so it cannot be the output: choose "
                "a file outside of it"
            )
        if output.is_file() and (same := self._files.get(_state(output))):
            raise ValueError(
                f"{output} and {same} are the same file, which is an input, so it cannot be the output: "
                "choose another file"
            )

    def check_parts(self, folder: Path) -> None:
        """Raise ValueError if the folder of parts is a folder that is read, or lies in one."""
        place = folder.resolve()
        if read := self._folder_of(place):
            where = "is" if place == read else f"lies in {self._places[read]}, which is"
            raise ValueError(
                f"--parts {folder} {where} an input, so no parts can be written there: choose another folder"
            )

    def _folder_of(self, place: Path) -> Path | None:
        """Return the folder that is read and that a place lies in, or is."""
        return next((folder for folder in (place, *place.parents) if folder in self._folders), None)


def _state(file: Path) -> tuple[int, int]:
    """Return the device and the number of a file, by which two names of it are recognised."""
    state = file.stat()
    return state.st_dev, state.st_ino


def _place(name: str) -> Path:
    """Return the file or folder of an argument, which may also name the package of a model."""
    path = Path(re.sub("@[0-9a-f]{8}$", "", name))
    if path.exists() or not name.isidentifier():
        return path
    found = find_spec(name)
    folders = found.submodule_search_locations if found else None
    return Path(next(iter(folders))) if folders else path


def _files(place: Path) -> Iterable[Path]:
    from ..io.paths import files_under

    return files_under(place) if place.is_dir() else [place]
