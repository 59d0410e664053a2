import getpass
import itertools
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from records.settings import DEFAULTS
from remote.errors import HostUnreachable
from remote.hosts.group import in_parallel
from remote.services import iperf, memcached, monitors
from remote.services.memcached import parse_spans
from remote.services.memtier import Keys, Memtier, prefill

MEMTIER = Memtier(
    program="/opt/my tools/memtier_benchmark",
    server="198.18.0.31",
    port=11211,
    length="--test-time=6",
    json_file="memtier-0.json",
)
SETTINGS = replace(DEFAULTS, threads_per_instance=2, clients_per_thread=8)
QUEUES = replace(
    SETTINGS,
    workload="queue",
    key_prefix="q",
    queue_mix="send:40,pop:50,peek:10,list:10",
    queues=4,
    receivers=3,
)


def test_memtier_command_has_the_studies_options():
    assert MEMTIER.command(SETTINGS) == (
        "'/opt/my tools/memtier_benchmark' --server=198.18.0.31 --port=11211 "
        "--protocol=memcache_text --test-time=6 --ratio=0:1 --key-prefix=memtier- "
        "--key-minimum=1 --key-maximum=10000 --key-pattern=R:R --distinct-client-seed --randomize "
        "--json-out-file=memtier-0.json --hide-histogram --clients=8 --data-size=4096 "
        "--expiry-range=9999-10000 --threads=2"
    )


def test_memtier_prefill_writes_every_key_once():
    run = replace(SETTINGS, workload="multi-get", multi_get_keys=9, pipeline=4, think_time_s=1)
    words = prefill("memtier", "198.18.0.31", 11211, run).split()
    assert {"--key-pattern=P:P", "--requests=allkeys", "--ratio=1:0", "--threads=1"} <= set(words)
    assert not [word for word in words if word.startswith(("--test", "--multi", "--pi", "--think"))]


def test_queues_are_asked_for_in_place_of_keys():
    assert MEMTIER.command(QUEUES) == (
        "'/opt/my tools/memtier_benchmark' --server=198.18.0.31 --port=11211 "
        "--protocol=memcache_text --test-time=6 --key-prefix=q --distinct-client-seed --randomize "
        "--json-out-file=memtier-0.json --hide-histogram --clients=8 --data-size=4096 --threads=2 "
        "--queue-mix=send:40,pop:50,peek:10,list:10 --queues=4 --receivers=3"
    )


@pytest.mark.parametrize(
    ("pace", "words"),
    [
        ({"think_time_s": 0.0002}, "--think-time=0.200000"),
        ({"think_time_s": 0.005 * 3}, "--think-time=15.000000"),
        ({"sending_rate_per_s": 100.0}, "--rate-limiting=100"),
        ({"sending_rate_per_s": 100 / 3}, "--rate-limiting=33.33333333"),
    ],
)
def test_think_times_are_told_in_ms_and_rates_with_their_fractions(pace, words):
    assert f" {words} " in MEMTIER.command(replace(QUEUES, **pace))


@pytest.mark.parametrize(
    ("count", "key_bytes", "first", "last"),
    [
        (10_000, 16, "memtier-00010000", "memtier-00019999"),
        (9_000, 16, "memtier-00001000", "memtier-00009999"),
        (9, 2, "m1", "m9"),
        (10, 4, "me10", "me19"),
        (10_000, None, "memtier-1", "memtier-10000"),
    ],
)
def test_keys_have_the_length_that_is_asked_for(count, key_bytes, first, last):
    keys = Keys.of(count, prefix="memtier-", key_bytes=key_bytes)
    assert (f"{keys.prefix}{keys.first}", f"{keys.prefix}{keys.last}") == (first, last)
    assert keys.last - keys.first + 1 == count
    assert keys.longest_bytes == len(last)


@pytest.mark.parametrize(
    ("count", "prefix", "key_bytes", "message"),
    [
        (10_000, "k", 5, "key_bytes = 5 cannot name 10000 keys"),
        (10, "k" * 249, None, "keys of 251 B are longer than memcached's 250"),
    ],
)
def test_keys_that_memcached_cannot_take_are_refused(count, prefix, key_bytes, message):
    with pytest.raises(ValueError, match=message):
        Keys.of(count, prefix=prefix, key_bytes=key_bytes)


def test_memcached_of_root_runs_in_an_account_without_rights():
    own, roots = (memcached.command("198.18.0.31", user=user) for user in ("lab", "root"))
    assert "-u" not in own.split()
    arguments = subprocess.run(
        ["sh", "-c", f"echo {roots}"], capture_output=True, text=True, check=True
    ).stdout.split()
    me = getpass.getuser()
    assert arguments[-2:] == ["-u", "nobody" if me == "root" else me]


def test_memcached_stats_become_a_mapping():
    text = "STAT pid 4711\r\nSTAT version 1.6.18\r\nSTAT libevent 2.1.12-stable x\r\nEND\r\n"
    assert memcached.parse_stats(text) == {
        "pid": "4711",
        "version": "1.6.18",
        "libevent": "2.1.12-stable x",
    }


def test_spans_are_read_as_they_are_printed():
    text = "1795000000.501 1795000001.502\n1795000010.5 1795000012.5\nbroken\na b\nnan 1\n1 2 3"
    assert parse_spans(text) == [
        (1795000000.501, 1795000001.502),
        (1795000010.5, 1795000012.5),
    ]


PARENT = """
import os, subprocess
child = subprocess.Popen(["sleep", "600"])
print("started", flush=True)
status = None
while status is None or not os.WIFCONTINUED(status):
    _, status = os.waitpid(child.pid, os.WUNTRACED | os.WCONTINUED)
child.kill()
"""


def test_memcached_stops_and_goes_on_at_the_given_seconds(tmp_path):
    """Who goes on has been stopped; how late the machine was does not matter."""
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        parent.stdout.readline()
        (tmp_path / "x.pid").write_text(str(parent.pid))
        start_s = time.time() + 0.2
        pausing = memcached.pause_command("x.pid", [(start_s, start_s + 0.2)])
        done = subprocess.run(
            pausing, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert parent.wait(60) == 0
    ((began_s, ended_s),) = parse_spans(done.stdout)
    assert start_s - 0.001 <= began_s  # as it was printed
    assert start_s + 0.199 <= ended_s
    assert began_s < ended_s


def test_monitor_commands():
    assert monitors.ping_command("10.0.0.1", count=3).endswith("-i 1 -c 3 10.0.0.1")
    command = monitors.dool_command("python3 dool")
    assert command.endswith("--output dool.csv 1")
    assert "--cpu-adv" in command  # interrupts apart from the user's time
    assert iperf.client_command("10.0.0.1", seconds=2).endswith("--time 2 --omit 1 --json")
    assert iperf.server_command("10.0.0.1", port=5203).endswith("--bind 10.0.0.1 --port 5203")
    assert "--omit" not in iperf.client_command("10.0.0.1", seconds=1, omit_s=0)
    assert "/proc/stat" in monitors.cpu_time_command(None)
    assert "< /cg/usage" in monitors.cpu_time_command("/cg/usage")


def test_each_cut_has_the_head_of_a_recording_and_what_is_new(tmp_path):
    csv, told = tmp_path / "monitors/dool.csv", tmp_path / "monitors/ping-s1.err"
    head = [f"head {number}" for number in range(7)]
    lines: dict[str, dict[str, int]] = {"dool": {}, "ping-s1": {}}
    csv.parent.mkdir()

    def cut(run, wanted):
        command = monitors.cut_command(
            str(csv.parent), lines, wanted=wanted, target=str(tmp_path / run)
        )
        text = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        return sorted(line for line in text.stdout.splitlines() if not line.endswith(" 0"))

    csv.write_text("\n".join([*head, "row 1", "row 2", ""]))
    assert cut("one", ["dool", "ping-s1"]) == ["dool.csv 9"]
    assert (tmp_path / "one/dool.csv").read_text() == csv.read_text()
    assert not (tmp_path / "one/ping-s1.err").exists()

    lines["dool"]["dool.csv"] = 9
    csv.write_text("\n".join([*head, "row 1", "row 2", "row 3", ""]))
    told.write_text("no route\n")
    (tmp_path / "monitors/ping-s1.exit").write_text("1\n")
    assert cut("two", ["dool"]) == ["dool.csv 10", "ping-s1.err 1", "ping-s1.exit 1"]
    assert (tmp_path / "two/dool.csv").read_text() == "\n".join([*head, "row 3", ""])
    assert not (tmp_path / "two/ping-s1.err").exists()


def test_no_monitor_is_asked_to_end_and_judged_by_how_it_does():
    """Programs in Python may end badly when a signal meets them as they write."""
    signalled = []

    class Started:
        def __init__(self, *_):
            self.outcomes = []

        def kill_all(self):
            signalled.append("KILL")

    recording = monitors.Monitors(SimpleNamespace(), {}, "3.1")
    recording._jobs = Started()
    recording.kill()
    assert signalled == ["KILL"]
    assert monitors.ended_well("dool", None)  # while it runs on
    assert not monitors.ended_well("dool", 1)  # of itself, in the middle of runs


class OneGone:
    """Three hosts, of which the second does not answer."""

    def for_each(self, hosts, action, *, at_once=None):
        return in_parallel({name: partial(action, self.connection(name)) for name in hosts})

    def connection(self, name):
        def run(_):
            if name == "c2":
                raise HostUnreachable(name, "no route", "Mend it.")
            return SimpleNamespace(stdout=f"{monitors.time.time()}\nInter-| Receive\n")

        return SimpleNamespace(host=SimpleNamespace(name=name), run=run)


def test_counters_of_hosts_that_answer_are_kept_where_one_does_not(monkeypatch):
    ticks = itertools.count(1_700_000_000)
    monkeypatch.setattr(monitors, "time", SimpleNamespace(time=lambda: next(ticks)))
    kept = {}

    def keep(name, text):
        host_s, asked_s, answered_s = map(float, text.splitlines()[0].split())
        kept[name] = (text.endswith(b"Receive\n"), asked_s < host_s < answered_s)

    with pytest.raises(HostUnreachable, match="c2: cannot connect"):
        monitors.read_counters(OneGone(), ["c1", "c2", "c3"], keep)
    assert kept == {"c1": (True, True), "c3": (True, True)}
