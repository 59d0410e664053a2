"""What no report can be made of is named."""

import pytest

from remote.errors import ConfigError
from report import make
from report.make import make_report


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
