"""The page on alignment: its picture is drawn from the spans of its example, and shows them all."""

from __future__ import annotations

from xml.etree import ElementTree

from project_scripts import script

figure = script("alignment_figure")


def test_the_picture_is_current_and_has_a_box_for_every_span_and_a_line_for_every_overlap():
    drawn = figure.PICTURE.read_text(encoding="utf8")
    assert drawn == figure.picture(), "run python scripts/alignment_figure.py"
    root = ElementTree.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    boxes = [own for own in root.findall(f"{space}rect") if own.get("rx")]
    lines = root.findall(f"{space}line")
    document = figure.example()
    assert len(boxes) == len(document.gold) + len(document.pred) == 7
    assert sum(own.get("stroke-dasharray") is not None for own in boxes) == 1, "the spurious span"
    assert (len(lines), sum(own.get("stroke-width") == "3" for own in lines)) == (4, 3)
    assert figure.at(len(document.text)) < figure.WIDTH
    assert "](alignment.svg)" in figure.PAGE.read_text(encoding="utf8")
