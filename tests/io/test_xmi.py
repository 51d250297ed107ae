"""XMI: which annotator's file is read, and which tokens there are."""

from __future__ import annotations

import samples
from reading import only, read
from samples import SPANS, write_sample


def test_in_a_folder_per_document_each_file_is_an_annotators(tmp_path):
    for document, names in (("a.txt", ("ann", "bob")), ("b.txt", ("bob",))):
        (tmp_path / document).mkdir()
        (tmp_path / document / "TypeSystem.xml").write_text(samples.TYPES, encoding="utf8")
        for name in names:
            (tmp_path / document / f"{name}.xmi").write_text(samples.xmi(), encoding="utf8")
    found = [(record.id, record.annotated, len(record.spans)) for record in read(tmp_path, annotator="ann")]
    assert found == [("a.txt", True, len(SPANS)), ("b.txt", False, 0)]


def test_tokens_without_a_character_are_left_out(tmp_path):
    path = write_sample("XMI", tmp_path)
    assert only(path).tokens is None
    kind = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
    token = f"<typeDescription><name>{kind}.Token</name><description/><supertypeName>uima.tcas.Annotation"
    types = samples.TYPES.replace("</types>", f"{token}</supertypeName></typeDescription></types>")
    path.with_name("TypeSystem.xml").write_text(types, encoding="utf8")
    named = f'xmlns:seg="http:///{kind.replace(".", "/")}.ecore" xmi:version'
    tokens = "".join(
        f'<seg:Token xmi:id="{k}" sofa="1" begin="{a}" end="{b}"/>' for k, a, b in ((90, 0, 3), (91, 3, 3))
    )
    content = samples.xmi().replace("xmi:version", named).replace("<cas:Sofa", f"{tokens}<cas:Sofa")
    path.write_text(content.replace('members="', 'members="90 91 '), encoding="utf8")
    assert only(path).tokens == [(0, 3)]
