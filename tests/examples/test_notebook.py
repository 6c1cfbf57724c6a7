"""The notebook of the examples runs from top to bottom, in a kernel of its own."""

import shutil
import warnings
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_notebook_audits_tabulates_and_draws(tmp_path, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries that talk to kernels, about their own future
        import nbformat
        from nbclient import NotebookClient

        for name in ("audit.ipynb", "people.csv"):
            shutil.copy(EXAMPLES / name, tmp_path)
        monkeypatch.setenv("IPYTHONDIR", str(tmp_path / ".ipython"))
        notebook = nbformat.read(tmp_path / "audit.ipynb", as_version=4)
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("gradient-direction" in data.get("text/html", "") for data in shown)
    assert any("image/png" in data for data in shown)
    assert "</html>" in (tmp_path / "people-report.html").read_text(encoding="utf-8")


def test_the_notebook_is_kept_without_what_came_out():
    import nbformat

    notebook = nbformat.read(EXAMPLES / "audit.ipynb", as_version=4)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
