"""Transactions that are left open on purpose: when they fit, when they are open, what is kept."""

from dataclasses import replace

import pytest

from remote.errors import ConfigError
from remote.experiment.queues import transactions
from remote.experiment.section_file import read_section
from tests.helpers.hosts import host
from tests.unit.remote.experiment.queues.test_messages import SETTINGS

SECTION = """
[hosts]
clients = 1
middlewares = 1
databases = 1
[generator]
workload = "queue"
clients_per_thread = 4
queue_mix = "send:1,pop:1"
[middleware]
backend = "postgresql"
workers = 2
[factors]
open_transaction_s = [2, 4]
[profiles.smoke]
repetitions = 1
stable_s = 6
"""


def read(folder, text):
    (folder / "x.toml").write_text(text)
    return read_section("x", "smoke", folder=folder)


def test_a_transaction_is_a_factor(tmp_path):
    section = read(tmp_path, SECTION)
    assert [section.settings(c).open_transaction_s for c in section.configs()] == [2, 4]


@pytest.mark.parametrize(
    ("given", "instead", "words"),
    [
        ("[2, 4]", "[2, 5]", "a transaction of 5 s needs a stable window of 7.5 s at least"),
        (
            "repetitions = 1\nstable_s = 6",
            "precision = { throughput = 0.1, repetitions = [3, 3], budget_s = 60 }",
            "needs stable_s",
        ),
        ("[2, 4]", "[0]", "open_transaction_s"),
    ],
)
def test_a_transaction_that_does_not_fit_is_refused_by_name(tmp_path, given, instead, words):
    with pytest.raises(ConfigError, match=words):
        read(tmp_path, SECTION.replace(given, instead))


def test_it_begins_after_a_sixth_of_the_window_and_is_stretched_as_the_system_is():
    one = replace(SETTINGS, open_transaction_s=60.0)
    begins_s, ends_s = transactions.left_open(
        one, window_epoch_s=1000.0, stable_s=180.0, time_dilation=2.0
    )
    assert (begins_s, ends_s) == (1030.0, 1150.0)
    assert not transactions.left_open(
        SETTINGS, window_epoch_s=0.0, stable_s=180.0, time_dilation=1.0
    )


def test_what_was_open_is_kept_and_what_broke_off_is_not():
    hosts = [host(name, "databases") for name in ("d1", "d2")]
    files = {
        "d1/open-transaction.out": b"1795518422.061806\n1795518426.022664\n",
        "d2/open-transaction.out": b"1795518422.1\n",
    }
    (found,) = transactions.opened(files, hosts)
    assert dict(found) == {
        "host": "d1",
        "kind": "open transaction",
        "began_epoch_s": 1795518422.061806,
        "ended_epoch_s": 1795518426.022664,
    }
