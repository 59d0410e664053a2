"""What no report can be made of is named."""

import pytest

from remote.errors import ConfigError
from report import make
from report.contents.notebook import ReportError
from report.make import make_report
from tests.helpers.campaign import build_campaign


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(make, "EXECUTED", tmp_path / "build")
    return tmp_path / "data"


def test_campaign_that_is_not_there_or_empty_is_named(data, tmp_path):
    with pytest.raises(ConfigError, match="no such campaign"):
        make_report("trial", tmp_path / "out", data=data, progress=lambda _: None)
    (data / "trial").mkdir(parents=True)
    with pytest.raises(ConfigError, match="holds no measured runs: measure first"):
        make_report("trial", tmp_path / "out", data=data, progress=lambda _: None)


def test_notebook_that_cannot_be_read_is_named(data, tmp_path):
    build_campaign(data / "trial", sections=["2.1"], clients_per_thread=[1], repetitions=1)
    damaged = tmp_path / "02-damaged.ipynb"
    damaged.write_text("{")
    with pytest.raises(ReportError, match=r"02-damaged\.ipynb: not a readable notebook"):
        make_report("trial", tmp_path / "out", notebooks=[damaged], data=data)
