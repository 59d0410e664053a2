"""What is read from the directory of a running lab."""

import pytest

from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.topology import Topology


@pytest.fixture
def complete(tmp_path):
    files = LabFiles(tmp_path)
    files.write_topology(Topology.named("unshaped"))
    for path in (files.inventory, files.identity, files.known_hosts):
        path.touch()
    return files


def test_topology_of_a_complete_lab_is_read_back(complete):
    assert complete.read_topology() == Topology.named("unshaped")


@pytest.mark.parametrize("missing", ["inventory", "identity", "known_hosts", "topology"])
def test_lab_with_a_file_missing_is_not_complete(complete, missing):
    getattr(complete, missing).unlink()
    assert complete.read_topology() is None


def test_unreadable_topology_is_not_complete(complete):
    complete.topology.write_text('{"name": "unsh')
    assert complete.read_topology() is None
