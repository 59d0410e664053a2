"""Hosts that say script, measured, executed, exported: the pages do what those of others do."""

import json
import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from report import make
from report.make import make_report
from tests.helpers.campaign import build_run
from tests.helpers.payloads import PAYLOADS

pytestmark = pytest.mark.filterwarnings("default")  # not ours: kernels are started by papermill
PLAIN = tuple(f"plain {number}" for number in range(len(PAYLOADS)))
CONFIG = {"workload": "get", "clients_per_thread": 8, "workers": 8}
LEADING = {"href", "src", "action", "formaction", "data", "poster", "srcset", "xlink:href"}
SHOW = """
import pandas as pd
from analysis.figures import present
from analysis.tables.provenance import each_manifest
manifests = list(each_manifest(measured.path))
rows = [{"run": n, "error": m.error, "checks": m.checks[-1].detail}
        for n, m in enumerate(manifests)]
present.table(pd.DataFrame(rows), "02-1-errors", "Errors.")
"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(make, "EXECUTED", tmp_path / "build")
    return tmp_path / "data"


@pytest.fixture
def notebook(tmp_path, data):
    opening = (
        "from pathlib import Path\nfrom remote.campaign import Campaign\n"
        f"measured = Campaign.open(campaign, fleet=fleet, data_dir=Path({str(data)!r}))"
    )
    cells = [
        new_markdown_cell("# 2 Title"),
        new_code_cell('fleet = campaign = profile = ""', metadata={"tags": ["parameters"]}),
        new_code_cell(opening),
        new_code_cell('measured.measure("3.1")'),
        new_code_cell(SHOW),
    ]
    path = tmp_path / "02-two.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


def build(campaign, texts):
    """Write runs of which hosts, errors and checks say `texts`."""
    accepted = build_run(campaign, "3.1", CONFIG)
    say(accepted, hosts=texts, error="", texts=texts)
    for number, text in enumerate(texts, 1):
        run = build_run(campaign, "3.1", CONFIG, status="failed", repetition=number)
        say(run, hosts=texts[number - 1 : number], error=text, texts=[text])


def say(run, *, hosts, error, texts):
    manifest = json.loads((run / "manifest.json").read_text())
    everything = " ".join(texts)
    manifest["error"] = error
    manifest["title"] = everything
    manifest["topology"]["name"] = everything
    manifest["settings"]["middleware"] = everything
    manifest["generator"] = {"name": "memtier_benchmark", "version": everything}
    manifest["git"]["commit"] = texts[0]
    manifest["hosts"] = {
        f"h{number}": {"kernel": text, "java": text, "memcached": text}
        for number, text in enumerate(hosts)
    }
    manifest["jobs"] = [
        {
            "host": host,
            "name": name,
            "command": everything,
            "exit_status": 0,
            "started_at_s": 0.0,
        }
        for host, name in (("c1", "memtier-0"), ("c1", "dool"), ("m1", "middleware"))
    ]
    manifest["checks"] = [
        *manifest["checks"],
        {"name": texts[0], "passed": not error, "detail": everything},
    ]
    (run / "manifest.json").write_text(json.dumps(manifest))


def active(pages):
    """What a browser would run or load, or that reaches out of the pages, by page."""
    found = {}
    for page in pages:
        soup = BeautifulSoup(page.read_text(), "html.parser")
        elements = soup.find_all(True)
        found[page.name] = {
            "scripts": [(e.get("src"), e.get("type")) for e in soup.find_all("script")],
            "odd": sorted(
                {e.name for e in elements}
                & {"iframe", "object", "embed", "form", "base", "style", "svg", "img", "audio"}
            ),
            "handlers": [a for e in elements for a in e.attrs if a.startswith("on")],
            "schemes": sorted(
                {
                    scheme[0].lower()
                    for e in elements
                    for name in LEADING & set(e.attrs)
                    if (scheme := re.match(r"\s*[a-z][a-z0-9+.-]*:", str(e[name]), re.I))
                }
            ),
        }
    return found


def test_pages_of_a_hostile_campaign_do_nothing_that_those_of_a_plain_one_do_not(
    data, notebook, tmp_path
):
    pages = {}
    for name, texts in (("plain", PLAIN), ("hostile", PAYLOADS)):
        build(data / name, texts)
        exported = make_report(
            name, tmp_path / name, notebooks=[notebook], data=data, progress=lambda _: None
        )
        pages[name] = sorted(exported.html.parent.glob("*.html"))
        assert exported.pdf.stat().st_size > 0
    plain, hostile = active(pages["plain"]), active(pages["hostile"])
    for name, what in plain.items():
        assert hostile[name]["scripts"] == what["scripts"]
        assert hostile[name]["odd"] == what["odd"]
        assert hostile[name]["handlers"] == []
        assert set(hostile[name]["schemes"]) <= {"data:", "http:", "https:"}
    words = "".join(
        BeautifulSoup(page.read_text(), "html.parser").get_text() for page in pages["hostile"]
    )
    for payload in ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", r"\x1b]8;;"):
        assert payload in words  # shown, and not done
    assert "\x1b" not in words
