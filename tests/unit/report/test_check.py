import copy

import nbformat
import pytest

from report.check import check, differences
from report.contents.notebook import ReportError, read_section

SPEC = {"data": [{"type": "scatter", "name": "get", "x": [1, 2], "y": [3.0, 4.0]}], "layout": {}}


@pytest.fixture
def shown(cells, write):
    """Write a notebook with a figure, a table and a text; returns the section that it is."""

    def _shown(y=(3.0, 4.0), table="| a |\n|---|\n| 1 |", text="Said.", caption="A caption."):
        spec = copy.deepcopy(SPEC)
        spec["data"][0]["y"] = list(y)
        parts = [
            cells.markdown("# 2 Two"),
            cells.figure("02-a", caption, spec=spec),
            cells.table("02-t", table),
            cells.shows({"text/markdown": text}),
        ]
        return read_section(write(*parts))

    return _shown


def test_the_same_numbers_are_the_same(shown):
    assert list(differences(shown(), shown(y=[3.0, 4.0 + 1e-9]))) == []
    mixed = shown(y=["a server", 4.0, None])  # as of an axis that names some places
    assert list(differences(mixed, shown(y=["a server", 4.0 + 1e-9, None]))) == []
    assert len(list(differences(mixed, shown(y=["another", 4.0, None])))) == 1


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"y": [3.0, 4.1]}, "02-a has changed"),
        ({"caption": "Another."}, "02-a has changed"),
        ({"table": "| a |\n|---|\n| 2 |"}, "02-t has changed"),
        ({"text": "Else."}, "a text has changed"),
    ],
)
def test_what_differs_is_named(shown, changed, named):
    (line,) = differences(shown(), shown(**changed))
    assert line.startswith("02-baseline.ipynb, cell ")
    assert line.endswith(named)


def test_a_part_that_is_gone_is_told(shown, cells, write):
    before = shown()
    after = read_section(write(cells.markdown("# 2 Two"), name="02-less.ipynb"))
    (line,) = differences(before, after)
    assert "shows other figures, tables or texts" in line


@pytest.mark.slow
def test_a_notebook_is_executed_and_compared(tmp_path):
    path = tmp_path / "02-two.ipynb"
    code = nbformat.v4.new_code_cell(
        "from IPython.display import Markdown\nMarkdown('5 op/s')", execution_count=1
    )
    data = {"text/markdown": "5 op/s", "text/plain": "..."}
    code.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=1)]
    title = nbformat.v4.new_markdown_cell("# 2 Two")
    nbformat.write(nbformat.v4.new_notebook(cells=[title, code]), path)
    assert check([path], progress=lambda _: None) == []
    code.outputs[0].data["text/markdown"] = "6 op/s"
    nbformat.write(nbformat.v4.new_notebook(cells=[title, code]), path)
    assert check([path], progress=lambda _: None) == ["02-two.ipynb, cell 2: a text has changed"]
    code.execution_count = None
    nbformat.write(nbformat.v4.new_notebook(cells=[title, code]), path)
    with pytest.raises(ReportError, match="was not executed"):
        check([path], progress=lambda _: None)
