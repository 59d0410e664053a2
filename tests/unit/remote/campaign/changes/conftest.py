import pytest

from remote.campaign.changes import in_turns


@pytest.fixture
def without_model(monkeypatch):
    def no_tables(*_):
        raise ValueError("made up")

    monkeypatch.setattr(in_turns, "campaign_tables", no_tables)
