"""Counts of a run: 1 000 sends and 800 pops, 600 with a message, by each of two instances."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest

from remote.experiment.checks.queues import message_checks
from tests.helpers.campaign import write_compressed
from tests.helpers.manifests import manifest_of

STOCK = 100


def generators():
    rows = {
        "send": {"requests": 1000, "hits_per_s": 0.0, "misses_per_s": 0.0},
        "pop": {"requests": 800, "hits_per_s": 60.0, "misses_per_s": 20.0},
        "total": {"requests": 1800, "hits_per_s": 60.0, "misses_per_s": 20.0},
    }
    totals = pd.DataFrame.from_dict(rows, orient="index")
    return [SimpleNamespace(totals=totals)] * 2


def manifest(databases=("d1",)):
    roles = {"clients": ["c1"], "middlewares": ["m1", "m2"], "servers": []}
    return {
        "settings": {"workload": "queue", "queued_messages": STOCK},
        "num_clients": 4,
        "roles": {**roles, "databases": list(databases)} if databases else roles,
        "targets": {"c1": ["m1", "m2"]},
    }


def count(folder, database, sent, taken, left):
    counted = json.dumps({"sent": sent, "taken": taken, "left": left})
    write_compressed(folder, {f"{database}/message-queue.json": f"{counted}\n"})


@pytest.fixture(autouse=True)
def passed(monkeypatch):
    """What each middleware counted; the first has also passed on the stock."""
    requests = {"m1": 1800 + STOCK, "m2": 1800}

    def read(folder, _):
        return {
            name: SimpleNamespace(
                windows=pd.DataFrame({"request_type": ["set"], "requests": [number]})
            )
            for name, number in requests.items()
        }

    monkeypatch.setattr("remote.experiment.checks.queues.read_middlewares", read)
    return requests


def failed(folder, document):
    checks = message_checks(folder, manifest_of(**document), generators())
    return sorted(check.name for check in checks if not check.passed)


@pytest.mark.parametrize(("left", "found"), [(900, []), (899, ["d1_messages_kept"])])
def test_a_single_message_that_is_lost_is_found(tmp_path, left, found):
    count(tmp_path, "d1", sent=2000 + STOCK, taken=1200, left=left)
    assert failed(tmp_path, manifest()) == found


def test_messages_that_generators_know_nothing_of_are_found(tmp_path, passed):
    count(tmp_path, "d1", sent=2200 + STOCK, taken=1100, left=1200)
    assert failed(tmp_path, manifest()) == ["databases_sent_counts", "databases_taken_counts"]
    passed["m1"] -= STOCK
    assert "m1_requests_counts" in failed(tmp_path, manifest())


def test_middlewares_that_echo_have_only_requests_to_compare(tmp_path, passed):
    passed["m1"] -= STOCK
    assert failed(tmp_path, manifest(databases=())) == []
    passed["m2"] -= 100
    assert failed(tmp_path, manifest(databases=())) == ["m2_requests_counts"]
