"""Refuse XML files that define entities, before a library reads them."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, NoReturn
from xml.parsers import expat


def check_xml(where: Path | str, file: BinaryIO) -> None:
    """Check that a file is well-formed XML, and defines no entities.

    Entities that are defined by other entities can fill the memory, and external ones
    read other files. Nothing is expanded or fetched here. A document type without
    definitions, such as that of BioC, is allowed.

    Args:
        where: What the file is called in errors.
        file: The file, from its start.

    Raises:
        ValueError: It is not well-formed, or defines an entity. Names the line.

    >>> from io import BytesIO
    >>> check_xml("a.xml", BytesIO(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'))
    Traceback (most recent call last):
    ValueError: a.xml, line 1: the file defines the entity 'b', which is not read; replace entities by their text
    """
    parser = expat.ParserCreate()

    def refused(name: str, *rest: object) -> NoReturn:
        raise ValueError(
            f"{where}, line {parser.CurrentLineNumber}: the file defines the entity {name[:40]!r}, which is not read; "
            "replace entities by their text"
        )

    parser.EntityDeclHandler = refused
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.ParseFile(file)
    except expat.ExpatError as error:
        raise ValueError(
            f"{where}, line {error.lineno}: not well-formed XML ({expat.ErrorString(error.code)})"
        ) from None


def missing(extra: str, package: str) -> ValueError:
    """Return the error for a format whose package is not installed.

    >>> missing("uima", "dkpro-cassis")
    ValueError("this format needs dkpro-cassis: pip install 'spacy-nereval[uima]'")
    """
    return ValueError(f"this format needs {package}: pip install 'spacy-nereval[{extra}]'")
