"""What all unit tests have: fixed examples of hypothesis, own signals, no lab, shared campaigns.

They run with git's defaults and in one language, whatever the user and the machine have chosen.
"""

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from analysis.tables.tidy_cache import campaign_tables
from records.files.locks import locked
from tests.helpers.campaign import build_campaign, build_network_runs

settings.register_profile("unit", deadline=None, derandomize=True)
settings.load_profile("unit")
os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
os.environ |= {"LC_ALL": "C.UTF-8"}


def pytest_collection_finish():
    """Keep the garbage collector from searching, again and again, all that was imported."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _own_signals():
    """Undo what commands of `lab` do to the signals of the process that a test calls them in."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _no_lab(monkeypatch):
    """Plan as if no lab were up, whatever is on this machine."""
    none = Path("/nonexistent/inventory.yml")
    monkeypatch.setattr("remote.providers.fleets.LOCAL_LAB_INVENTORY", none)


@pytest.fixture(scope="session")
def synthetic(tmp_path_factory):
    """Return the tidy tables of sections of a synthetic campaign of a given size.

    The first worker that asks for a section writes and tidies it, the others read it.
    """
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "synthetic"
    shared.mkdir(exist_ok=True)

    def tables(*sections, **size):
        levels = (f"{name}={'-'.join(map(str, size[name]))}" for name in sorted(size))
        folder = shared / "_".join(["of", *levels])
        folder.mkdir(exist_ok=True)
        for section in sections:
            with locked(folder):
                if not (folder / section).exists():
                    partial = folder / "partial" / folder.name
                    if section == "0":
                        build_network_runs(partial)
                    else:
                        build_campaign(partial, sections=[section], **size)
                    (partial / section).rename(folder / section)
        return campaign_tables(folder, sections)

    return tables
