"""Examples of hypothesis that are the same each time, and campaigns that all workers share."""

import os

import pytest
from hypothesis import settings

from analysis.locks import locked
from analysis.tables.tidied import campaign_tables
from tests.helpers.campaign import build_campaign, build_network_runs

settings.register_profile("unit", deadline=None, derandomize=True)
settings.load_profile("unit")


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
