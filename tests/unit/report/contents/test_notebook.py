import pytest
from nbformat.v4 import new_output

from report.contents.notebook import Figure, Prose, ReportError, Table, read_section


def test_parts_keep_the_order_of_the_notebook(cells, write):
    section = read_section(
        write(
            cells.markdown("# 2 Title"),
            cells.figure("02-1-a", "First."),
            cells.shows({"text/markdown": "Computed **prose**.", "text/plain": "..."}),
            cells.table("02-1-b", "| a |\n|---|\n| 1 |"),
        )
    )
    assert section.number == 2
    assert [type(part) for part in section.parts] == [Prose, Figure, Prose, Table]
    assert [part.cell for part in section.parts] == [1, 2, 3, 4]
    assert section.parts[1].caption == "First."
    assert section.parts[2].markdown == "Computed **prose**."


def test_code_printed_text_widgets_and_captions_for_readers_are_left_out(cells, write):
    section = read_section(
        write(
            cells.code(
                new_output("stream", name="stdout", text="printed"),
                new_output("stream", name="stderr", text="100%|####|"),
                new_output("execute_result", {"text/plain": "42"}),
                new_output(
                    "display_data",
                    {"application/vnd.jupyter.widget-view+json": {}, "text/plain": "0%"},
                ),
                new_output(
                    "display_data",
                    {"text/markdown": "*A caption.*"},
                    metadata={"mwlab": {"kind": "caption", "name": "02-1-a"}},
                ),
            ),
            cells.markdown("Press shift-enter.", tags=["notebook-only"]),
        )
    )
    assert section.parts == ()


def test_cell_that_did_not_run_is_named(cells, write):
    path = write(cells.markdown("# 2 Title"), cells.code(count=None))
    with pytest.raises(
        ReportError, match=r"02-baseline\.ipynb, cell 2: was not executed"
    ) as caught:
        read_section(path)
    assert caught.value.cell == 2


def test_cell_that_failed_is_named(cells, write):
    path = write(cells.code(new_output("error", ename="KeyError", evalue="'p99'", traceback=[])))
    with pytest.raises(ReportError, match="cell 1: ended with KeyError: 'p99'"):
        read_section(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"application/vnd.plotly.v1+json": {}}, "figure without a caption"),
        ({"image/png": "iVBORw0KGgo="}, "figure without a caption"),
        ({"text/html": "<div><table></table></div>"}, "table without a caption"),
    ],
)
def test_what_has_no_caption_is_refused(cells, write, data, message):
    with pytest.raises(ReportError, match=f"cell 1: shows a {message}"):
        read_section(write(cells.shows(data)))


def test_notebook_name_must_carry_the_section_number(cells, write):
    with pytest.raises(ReportError, match=r"is named like 02-title\.ipynb"):
        read_section(write(cells.markdown("text"), name="baseline.ipynb"))


@pytest.mark.parametrize("content", ["", "{"])
def test_damaged_notebook_is_named(tmp_path, content):
    path = tmp_path / "02-damaged.ipynb"
    path.write_text(content)
    with pytest.raises(ReportError, match=r"02-damaged\.ipynb: not a readable notebook"):
        read_section(path)
