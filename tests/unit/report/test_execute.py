import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from report.execute import execute
from report.notebook import ReportError

PARAMETERS = new_code_cell('campaign = "none"', metadata={"tags": ["parameters"]})

pytestmark = pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill


def notebook(folder, *sources):
    path = folder / "02-title.ipynb"
    cells = [new_markdown_cell("# 2 Title"), PARAMETERS, *map(new_code_cell, sources)]
    nbformat.write(new_notebook(cells=cells), path)
    return path


def outputs(path):
    cells = nbformat.read(path, as_version=4).cells
    return [output.get("text", "") for cell in cells for output in cell.get("outputs", [])]


def test_notebook_runs_with_its_parameters_and_stays_as_it_was(tmp_path, capfd):
    path = notebook(tmp_path, "print(campaign)")
    before = path.read_bytes()
    lines = []
    for _ in range(2):
        (executed,) = execute([path], {"campaign": "smoke"}, tmp_path / "build", lines.append)
    assert outputs(executed) == ["smoke\n"]
    assert path.read_bytes() == before
    # The second time it is known how long the notebook takes.
    assert lines[0] == "[1/1] executing 02-title.ipynb"
    assert lines[1].startswith("[1/1] executing 02-title.ipynb, about ")
    assert capfd.readouterr().err == ""


def test_failing_cell_is_named_and_the_rest_kept(tmp_path):
    path = notebook(tmp_path, "print('before')", "1 / 0", "print('after')")
    with pytest.raises(ReportError) as caught:
        execute([path], {"campaign": "smoke"}, tmp_path / "build", lambda _: None)
    kept = tmp_path / "build" / "02-title.ipynb"
    assert str(caught.value) == (
        f"{path}, cell 4: ended with ZeroDivisionError: division by zero; "
        f"kept as far as it got in {kept}"
    )
    assert "before\n" in outputs(kept)
    assert "after\n" not in outputs(kept)
