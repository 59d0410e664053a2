"""The code that documents show does what they say."""

import os
import re
import subprocess
import sys
import tomllib

import numpy as np
import pandas as pd
import pytest

from analysis.figures import present
from analysis.models import message_bytes
from analysis.tables import loading
from analysis.tables.frames import NAMES, Tables
from records.paths import PROJECT
from tests.helpers.documents import blocks, code_of, guides, text_of

DOCS = PROJECT / "docs"
SIZES = (2048, 4096)


@pytest.fixture(autouse=True)
def source_of_figures(monkeypatch):
    """What the blocks of a page cite is cited by no test after it."""
    monkeypatch.setattr(present, "_source", None)


def python_of(name):
    return blocks(text_of(DOCS / name), "python")


def done(name):
    """Names and values after all blocks of a page."""
    names = {"__name__": "shown"}
    for block in python_of(name):
        exec(compile(block, name, "exec"), names)
    return names


@pytest.mark.parametrize("page", guides(), ids=lambda page: page.stem)
def test_blocks_can_be_read(page):
    text = text_of(page)
    for block in blocks(text, "python"):
        compile(block, str(page), "exec")
    for block in blocks(text, "toml"):
        tomllib.loads(block)


def test_a_figure_of_ones_own():
    names = done("own-figure.md")
    figure = names["figure"]
    assert {trace.name for trace in figure.data} >= {"8 workers", "64 workers"}
    assert figure.layout.yaxis.title.text == "Jobs that wait"
    assert names["shown"].metadata()["mwlab"]["name"] == "20-1-queue"


def test_a_model_of_ones_own():
    names = done("own-model.md")
    beside = names["beside"].set_index("num_clients")
    few = beside.index.min()
    assert beside.loc[beside.index >= 24, "error"].abs().max() < 0.05
    assert -0.4 < beside.loc[few, "error"] < -0.05
    simulated = names["simulated"].loc["throughput_ops_per_s", "mean"]
    assert simulated == pytest.approx(beside.loc[few, "measured_ops_per_s"], rel=0.05)
    assert names["gains"]["throughput_gain"].iloc[1] > 0.1


def test_work_for_a_cluster(tmp_path):
    [block] = python_of("workers.md")
    script = tmp_path / "script.py"
    script.write_text(block + "    print(means)\n")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    environment.pop("MWLAB_SCHEDULER", None)
    out = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, timeout=120
    )
    assert out.returncode == 0, out.stderr
    means = [float(mean) for mean in re.findall(r"0\.\d+", out.stdout)]
    assert np.array(means) == pytest.approx([0.01, 0.005, 0.0025], rel=0.1)


def small_over_large():
    small, large = (message_bytes("get", value_bytes=size)["reply_bytes"] for size in SIZES)
    return large / small


def measured(ratio):
    """Three repetitions at two loads; at the larger one small values bring `ratio` as many."""
    rows = [
        {
            "section": "mine",
            "value_bytes": size,
            "num_clients": clients,
            "think_time_s": 0.0,
            "repetition": repetition,
            "client_throughput_ops_per_s": clients * (ratio if size == SIZES[0] else 1) + noise,
        }
        for size in SIZES
        for clients in (6, 2880)
        for repetition, noise in enumerate((-1.0, 0.0, 1.0), 1)
    ]
    empty = dict.fromkeys(NAMES, pd.DataFrame())
    return Tables(**{**empty, "runs": pd.DataFrame(rows)})


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(small_over_large(), "supported"), (1.0, "refuted")]
)
def test_the_claim_of_the_tutorial(monkeypatch, capsys, ratio, verdict):
    monkeypatch.setattr(loading, "load_tables", lambda *_: measured(ratio))
    done("tutorial.md")
    told = capsys.readouterr().out
    assert re.search(rf"^verdict\s+{verdict}$", told, re.MULTILINE), told
    assert f"{small_over_large():.2f} times as many" in told


def test_what_the_tutorial_changes_of_a_notebook_stands_in_it():
    table = text_of(DOCS / "tutorial.md").split("| in place of | write |\n|---|---|\n")[1]
    places = re.findall(r"^\| `(.+?)`(, twice)? \| `.+` \|$", table, re.MULTILINE)
    code = code_of(PROJECT / "notebooks" / "11-your-own-system.ipynb")
    assert len(places) == 5
    assert [code.count(place) - (2 if twice else 1) for place, twice in places] == [0] * 5
