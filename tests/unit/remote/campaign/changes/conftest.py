import pytest


@pytest.fixture
def without_model(monkeypatch):
    def no_tables(*_):
        raise ValueError("made up")

    monkeypatch.setattr("remote.campaign.changes.study.campaign_tables", no_tables)
