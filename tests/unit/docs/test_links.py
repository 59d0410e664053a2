"""Links between documents, and from notebooks and code to them, lead to what is there."""

import re
from urllib.parse import unquote

import pytest

from records.paths import PROJECT
from tests.helpers.documents import anchors, links, notebooks, pages, text_of

MENTION = re.compile(r"\bdocs/[\w./-]+\.md\b")
CODE = ("records", "remote", "report", "manual", "tests", "middleware-kotlin/prove")


def relative(path):
    return str(path.relative_to(PROJECT))


@pytest.mark.parametrize("page", [*pages(), *notebooks()], ids=relative)
def test_links_lead_somewhere(page):
    wrong = []
    for target in links(text_of(page)):
        path, _, anchor = unquote(target).partition("#")
        if not path and page.suffix == ".ipynb":
            continue  # a figure or table of the report
        file = page.parent / path if path else page
        if not file.exists():
            wrong.append(f"{target}: no such file")
        elif anchor and anchor not in anchors(text_of(file)):
            wrong.append(f"{target}: no such heading")
    assert wrong == []


def test_documents_that_code_and_notebooks_name_are_there():
    sources = [path for folder in CODE for path in (PROJECT / folder).rglob("*.py")]
    texts = {path: path.read_text() for path in [*sources, PROJECT / "Makefile"]}
    texts |= {path: text_of(path) for path in notebooks()}
    named = {(name, path) for path, text in texts.items() for name in MENTION.findall(text)}
    assert len(named) > 10
    assert [(n, relative(path)) for n, path in named if not (PROJECT / n).exists()] == []


def test_the_index_names_every_document():
    docs = PROJECT / "docs"
    targets = links(text_of(docs / "README.md"))
    named = {(docs / target.partition("#")[0]).resolve() for target in targets}
    there = {path for path in docs.glob("**/*.md") if path.parent != docs / "decisions"}
    assert there - named == {docs / "README.md"}


def test_anchors_are_those_of_github():
    text = "# One `two` [three]\n```sh\n# no heading\n```\n## 4. Four, five\n"
    assert anchors(text) == {"one-two-three", "4-four-five"}
