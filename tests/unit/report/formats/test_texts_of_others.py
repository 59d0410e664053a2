"""Cells, errors and figures with texts that someone else has written, parsed as the report does."""

import json
import random
import re

import pandas as pd
import pypandoc
import pytest

from analysis.figures import present
from records.text.markdown import code_block, escape_all
from report.contents.notebook import read_section
from report.formats.pages import html_files
from report.formats.translation import MARKDOWN
from report.formats.tree import rows, stringify, walk
from tests.helpers.payloads import PAYLOADS

ACTIVE = {"RawInline", "RawBlock", "Math", "Image"}
ALPHABET = ("`", "``", "\\", "|", "<b>", "[", "]", "](", "(", ")", "!", "$", "#", "a", " ", "\r")
RANDOM = ["".join(random.Random(seed).choices(ALPHABET, k=9)) for seed in range(600)]


def parsed(markdown):
    return json.loads(pypandoc.convert_text(markdown, "json", MARKDOWN))["blocks"]


def links(tree):
    return {node["c"][2][0] for node in walk(tree) if node["t"] == "Link"}


@pytest.mark.parametrize("texts", [PAYLOADS, RANDOM], ids=["payloads", "random"])
def test_cells_are_nothing_but_cells(texts):
    frame = pd.DataFrame({"number": range(len(texts)), "error": [f"x{t}x" for t in texts]})
    (table,) = parsed(present.table(frame, "02-1-errors", "Errors.").markdown())
    assert not {node["t"] for node in walk(table)} & ACTIVE
    assert [row[0] for row in rows(table)[1:]] == [str(n) for n in range(len(texts))]
    assert all(len(row) == 2 and row[1].startswith("x") for row in rows(table)[1:])
    assert all(link.startswith("#") for link in links(table))


@pytest.mark.parametrize("text", PAYLOADS)
def test_texts_in_prose_are_nothing_but_text(text):
    (paragraph,) = parsed(f"x {escape_all(text)} x")
    assert {node["t"] for node in walk(paragraph)} <= {"Para", "Str", "Space", "SoftBreak"}
    (code,) = parsed(code_block(text))
    assert code["t"] == "CodeBlock"


def test_what_is_escaped_reads_as_before():
    (paragraph,) = parsed(escape_all("c1: `x` *failed* <b> $x$ a_b_c \\n | 100 %"))
    assert stringify(paragraph) == "c1: `x` *failed* <b> $x$ a_b_c \\n | 100 %"


@pytest.mark.parametrize(
    "prose",
    [
        "<!-- a note --><script>alert(1)</script>",
        "<!-- a note -->\n\nand <b onclick=alert(1)>this</b>",
    ],
)
def test_a_comment_hides_no_html(cells, write, provenance, prose):
    section = read_section(write(cells.markdown(f"# 2 Two\n\n{prose}")))
    with pytest.raises(Exception, match="holds HTML"):
        html_files([section], provenance, "Lab", "A subtitle")


def test_links_of_prose_do_nothing_but_lead_on(cells, write, provenance):
    text = (
        "# 2 Two\n\n[a](javascript://%0aalert(1)) [b](vbscript:x) [c](https://doi.org/1) [d](//e)"
    )
    pages = html_files([read_section(write(cells.markdown(text)))], provenance, "Lab", "Sub")
    page = pages["02-baseline.html"].decode().split("<main", 1)[1]
    outside = [x for x in re.findall(r'href="([^"]*)"', page) if not x.endswith(".html")]
    assert outside == ["https://doi.org/1"]


def test_data_of_figures_stay_in_their_script(cells, write, provenance):
    name = "<!--<script></script><script>alert(1)</script>"
    spec = {"data": [{"type": "scatter", "name": name, "x": [1], "y": [1]}], "layout": {}}
    section = read_section(
        write(cells.markdown("# 2 Two"), cells.figure("02-1-a", "A caption.", spec=spec))
    )
    page = html_files([section], provenance, "Lab", "Sub")["02-baseline.html"].decode()
    (found,) = re.findall(r'<script type="application/json" class="spec">(.*?)</script>', page)
    assert "<" not in found
    assert json.loads(found)["data"][0]["name"] == name
