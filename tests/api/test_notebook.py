"""The notebook of the examples, run in a real kernel."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbclient, of the extra `test`, is not installed")
nbclient = pytest.importorskip("nbclient", reason="of the extra `test`")
pytest.importorskip("ipykernel", reason="of the extra `test`")
pytest.importorskip("pandas", reason="of the extra `frame`")

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"

pytestmark = [pytest.mark.costly, pytest.mark.filterwarnings("ignore")]  # of the kernel's sockets


@pytest.fixture(scope="module")
def cells():
    """The code cells, after they were run."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell, kind: str = "text/html") -> str:
    return "".join(output.get("data", {}).get(kind, output.get("text", "")) for output in cell.outputs)


@pytest.mark.slow
def test_two_cells_show_scores_errors_by_kind_and_three_examples(cells):
    first, second = shown(cells[0]), shown(cells[1])
    for text in (">P</th>", ">R</th>", ">F</th>", "boundary error", "label error", "missed"):
        assert text in first
    assert "<script" not in first and second.count("<tr>") == 3  # rows of pandas; its head has a style
    parts = [first.index(part) for part in ("fair F", ">Labels (", ">Verdicts (", ">Repeated errors (", ">Scores (")]
    assert parts == sorted(parts)
    assert "gold_text" in second


@pytest.mark.slow
def test_the_other_cells_show_a_document_a_frame_a_comparison_and_files(cells):
    rendered, frame, comparison, tags, saved = cells[2:]
    assert '<span class="flag missed">missed: FAILURE_LOC</span>' in shown(rendered)
    assert "FAILURE_LOC" in shown(frame) and "NaN" not in shown(frame)
    assert "improved against baseline" in shown(comparison)
    assert "1 document, 2 gold spans" in shown(tags)
    assert shown(saved, "text/plain") == "(['counts.npz', 'result.json', 'tables.md'], True, True)"


def test_the_notebook_is_stored_without_outputs():
    assert all(not cell.get("outputs") for cell in nbformat.read(NOTEBOOK, as_version=4).cells)
