"""UIMA CAS XMI, which INCEpTION exports: a zip or a folder of XMI files and a type system."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile, is_zipfile

from ...core.attribute_values import Attributes, attribute_value, sort_attributes
from ...core.compression import EXTENSIONS
from ...core.expansion import check_expansion
from ...core.messages import PlainSpan, join_names, spell_argument
from ..paths import check_is_file, content, readable_file
from ..records import Record
from .contents import check_xml, missing_package
from .settings import Format, document_files, fit_span

if TYPE_CHECKING:
    from cassis import Cas, TypeSystem
    from cassis.typesystem import Type

ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
TYPES = "TypeSystem.xml"
ANNOTATION, DOCUMENT = "uima.tcas.Annotation", "uima.tcas.DocumentAnnotation"
TEXT = "uima.cas.String"
LABEL = "value"
"""The feature with the labels, unless another one is asked for."""
NAME_OF_TYPE = "*"
"""The name to give instead of a feature if the names of types are the labels."""
RENAMED = ("type_", "self_")
"""The names of the features `type` and `self` in cassis."""

TYPE_SYSTEMS = 64
"""Maximum number of parsed type systems in memory. Usually all documents share one."""

ParseTypes = Callable[[bytes], "TypeSystem"]


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per XMI file. dkpro-cassis turns its UTF-16 offsets into characters.

    Args:
        path: A zip with XMI files and `TypeSystem.xml`, an XMI file in the same folder as that, or
            a folder of these. In an export with a folder per document and a file per annotator,
            `format.annotator` chooses the annotator.
        format: `format.field` names the type with the spans, and perhaps the feature with the
            labels, as in `NamedEntity` or `NamedEntity.value`, the default, with or without the
            package. A span without a value gets the name of its type as its label; so do all
            spans of `Type.*`, and of a type that has no feature with texts.

    Yields:
        One record per XMI file.

    Raises:
        ValueError: If dkpro-cassis is not installed; if there is no such file; if a file is
            damaged, defines entities, or has no such type or feature.
        OSError: If a file cannot be read.

    >>> from cassis import Cas, TypeSystem
    >>> types, folder = TypeSystem(), getfixture("tmp_path")
    >>> entity = types.create_type(ENTITY)
    >>> _ = types.create_feature(entity, "value", "uima.cas.String")
    >>> cas = Cas(types)
    >>> cas.sofa_string = "Ada met"
    >>> cas.add(entity(begin=0, end=3, value="PER"))
    >>> _ = cas.to_xmi(folder / "a.xmi"), types.to_xml(folder / TYPES)
    >>> [(record.text, record.spans) for record in read(folder / "a.xmi")]
    [('Ada met', {(0, 3, 'PER')})]
    """
    parse_types = lru_cache(TYPE_SYSTEMS)(_parse_type_system)
    for file in document_files(path, (".xmi", ".zip"), format):
        try:
            for name, xmi, types in _files(file.path):
                where = f"{file.path}{f', {name}' if name else ''}"
                inner = PurePosixPath(name).with_suffix("").as_posix() if name else None
                id = inner if file.id is None else file.id
                yield file.annotated_record(_record(xmi, types, parse_types, where, format)._replace(id=id))
        except BadZipFile as error:
            raise ValueError(f"{file.path}: not a zip archive ({error})") from None


def _files(path: Path) -> Iterator[tuple[str, bytes, bytes | None]]:
    """Yield name, content and type system of each XMI file. The name is empty unless an archive has several."""
    check_is_file(path)
    file = readable_file(path)
    if not is_zipfile(file):
        candidates = (path.with_name(f"{TYPES}{ending}") for ending in ("", *EXTENSIONS))
        yield "", content(path), next(map(content, filter(Path.is_file, candidates)), None)
        return
    with ZipFile(file) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".xmi"))
        if not names:
            raise ValueError(f"{path}: there is no .xmi file in the archive")
        types_of = {PurePosixPath(name).parent: name for name in archive.namelist() if name.endswith(TYPES)}
        size = sum(archive.getinfo(name).file_size for name in {*names, *types_of.values()})
        check_expansion(path, size, file.stat().st_size)
        for name in names:
            types_name = types_of.get(PurePosixPath(name).parent, types_of.get(PurePosixPath(".")))
            types = None if types_name is None else _unpack(archive, types_name)
            yield (name if len(names) > 1 else ""), _unpack(archive, name), types


def _unpack(archive: ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except (BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:  # damaged, cut off or encrypted
        raise ValueError(f"{archive.filename}: {name} cannot be unpacked ({error})") from None


def _parse_type_system(types: bytes) -> TypeSystem:
    from cassis import load_typesystem

    check_xml(TYPES, BytesIO(types))
    try:
        with warnings.catch_warnings():  # cassis warns of the features that it renames
            warnings.simplefilter("ignore")
            return load_typesystem(BytesIO(types))
    except Exception as error:  # a parser of foreign bytes can raise any exception
        raise ValueError(f"{TYPES}: not a type system ({type(error).__name__}: {error})") from None


def _record(xmi: bytes, types: bytes | None, parse_types: ParseTypes, where: str, format: Format) -> Record:
    check_xml(where, BytesIO(xmi))
    if types is None:
        raise ValueError(f"{where}: there is no {TYPES} in the same folder")
    try:
        from cassis import load_cas_from_xmi

        system = parse_types(types)
    except ImportError:
        raise missing_package("uima", "dkpro-cassis") from None
    except ValueError as error:
        raise ValueError(f"{where}, {error}") from None
    try:
        cas = load_cas_from_xmi(BytesIO(xmi), typesystem=system, lenient=True)
        text = cas.sofa_string
    except Exception as error:  # a parser of foreign bytes can raise any exception
        raise ValueError(f"{where}: not a CAS ({type(error).__name__}: {error})") from None
    if not isinstance(text, str):
        raise ValueError(f"{where}: the CAS has no text")
    try:
        return _cas_record(cas, system, text, format)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _cas_record(cas: Cas, system: TypeSystem, text: str, format: Format) -> Record:
    type_, feature = _choose_type(system, format.field)
    attribute = _label_features(type_)[feature] if feature else ""
    plain = Format(check_text=format.check_text)  # cassis has turned the offsets into characters
    spans: list[PlainSpan] = []
    listed: list[Attributes] = []
    features = {name: key for name, key in _plain_features(type_).items() if name != feature}
    for k, annotation in enumerate(cas.select(type_)):
        label = (getattr(annotation, attribute) if attribute else None) or _short_name(annotation.type.name)
        spans.append(
            fit_span(f"{_short_name(type_.name)} {k},", (annotation.begin, annotation.end, label), text, plain)
        )
        values = ((name, attribute_value(getattr(annotation, key, None))) for name, key in features.items())
        listed.append(sort_attributes(values))
    tokens = None
    if any(known_type.name == TOKEN for known_type in system.get_types()):
        tokens = [(token.begin, token.end) for token in cas.select(TOKEN) if token.begin < token.end] or None
    others = sum(_is_relation(annotation.type) for annotation in cas.select_all())
    return Record.deduplicate(text, spans, tokens, others=others, listed_attributes=listed)


def _choose_type(system: TypeSystem, field: str | None) -> tuple[Type, str]:
    """Return the type of the spans, and the feature with their labels; "" if the types' names are the labels."""
    types = [entry for entry in system.get_types() if _is_span(entry)]
    numbers = Counter(_short_name(entry.name) for entry in types)
    names = {
        entry.name: entry.name if numbers[_short_name(entry.name)] > 1 else _short_name(entry.name) for entry in types
    }
    # A name is that of a type, whatever its package, or of a type and a feature.
    asked = [(field, ""), field.rpartition(".")[::2]] if field else [(ENTITY, ""), (_short_name(ENTITY), "")]
    for name, feature in asked:
        matches = [entry for entry in types if entry.name == name]
        matches = matches or [entry for entry in types if _short_name(entry.name) == name]
        if len(matches) == 1:
            return matches[0], _choose_feature(matches[0], feature, names[matches[0].name])
        if len(matches) > 1:
            several = join_names(sorted(entry.name for entry in matches), 20)
            raise ValueError(f"there are several types {name!r}; choose one with {spell_argument('column')}: {several}")
    problem = f"there is no type {field or _short_name(ENTITY)!r}"
    if any(field in (entry.name, _short_name(entry.name)) for entry in system.get_types()):
        problem = f"annotations of the type {field!r} are no spans"
    choices = [choice for entry in types for choice in _choices(entry, names[entry.name])[:-1] or [names[entry.name]]]
    raise ValueError(
        f"{problem}; choose one with {spell_argument('column')}: {join_names(sorted(choices), 20) or 'there is none'}"
    )


def _choose_feature(type_: Type, feature: str, name: str) -> str:
    """Return the feature with the labels; "" if the names of types are the labels.

    Args:
        type_: The type of the spans.
        feature: The feature that was asked for; "" for `value`.
        name: The name of the type in `format.field`.
    """
    features = _label_features(type_)
    if feature == NAME_OF_TYPE or not (feature or features):
        return ""
    if (feature or LABEL) in features:
        return feature or LABEL
    raise ValueError(
        f"the type {name} has no feature {feature or LABEL!r} with texts; choose one with {spell_argument('column')}: "
        f"{join_names(_choices(type_, name), 20)}"
    )


def _choices(type_: Type, name: str) -> list[str]:
    """Return the possible sources of the labels of a type: its features, and last its name."""
    return [f"{name}.{choice}" for choice in (*sorted(_label_features(type_)), NAME_OF_TYPE)]


def _label_features(type_: Type) -> dict[str, str]:
    """Return the features that have a text as their value, by name, and the attributes in which cassis keeps them."""
    # cassis calls the attribute of a feature `type` or `self` by another name, and the feature too.
    return {
        feature.name.removesuffix("_") if feature.name in RENAMED else feature.name: feature.name
        for feature in type_.all_features
        if _inherits(feature.rangeType, TEXT)
    }


PLAIN_TYPES = {f"uima.cas.{name}" for name in ("Boolean", "Integer", "Long", "Short", "Byte", "Float", "Double")}
"""The types of features that have one value, other than texts."""

PLACES = ("begin", "end", "sofa", "xmiID")
"""The features that say where an annotation is."""


def _plain_features(type_: Type) -> dict[str, str]:
    """Return the features that have a text, a number or a truth value, by name, and the attributes that keep them."""
    others = {
        feature.name: feature.name
        for feature in type_.all_features
        if feature.rangeType.name in PLAIN_TYPES and feature.name not in PLACES
    }
    return _label_features(type_) | others


def _inherits(type_: Type | None, name: str) -> bool:
    """Return whether a type is, or inherits from, the type of a name."""
    while type_ is not None and type_.name != name:
        type_ = type_.supertype
    return type_ is not None


def _is_span(type_: Type) -> bool:
    """Return whether annotations of a type are spans: neither relations of others nor facts of a whole document."""
    return _inherits(type_, ANNOTATION) and not (_inherits(type_, DOCUMENT) or _is_relation(type_))


def _short_name(name: str) -> str:
    return name.rpartition(".")[2]


def _is_relation(type_: Type) -> bool:
    """Return whether annotations of a type are relations of two others."""
    return any(feature.name == "Governor" for feature in type_.all_features)
