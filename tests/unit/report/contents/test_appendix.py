"""The appendix counts runs; the page of configurations tells all that they were set to."""

from report.contents.appendix import appendix
from report.contents.commands import examples, monitor_commands, run_commands
from report.contents.configurations import configuration_files, configurations
from report.contents.notebook import Prose, Table
from tests.helpers.manifests import manifest_of

MEMTIER = "memtier_benchmark --server=198.18.0.31"
MIDDLEWARE = "bin/middleware -t 64"
DOOL = "python3 dool < /proc/uptime"


def job(host, name, command):
    about = {"exit_status": 0, "started_at_s": 0.0}
    return {"host": host, "name": name, "command": command, **about}


def manifest(config, *, middlewares=(), status="accepted", loaded=True, **more):
    jobs = [job("c1", "memtier-0", MEMTIER), job("c1", "dool", DOOL), job("c2", "dool", DOOL)]
    jobs += [job(host, "middleware", MIDDLEWARE) for host in middlewares]
    jobs += [job("c1", "ping-s1", "ping 198.18.0.31")]
    entries = {
        "section": "9",
        "title": "Routing" if loaded else "Routing: its links",
        "campaign": "trial",
        "profile": "quick",
        "fleet": "local-lab",
        "repetition": 1,
        "status": status,
        "git": {"commit": "0" * 40, "dirty": False},
        "topology": {"name": "azure", "time_dilation": 8.0},
        "config": config,
        "roles": {"clients": ["c1", "c2"], "middlewares": list(middlewares), "servers": ["s1"]},
        "durations": {"stable_s": 20, "warm_up_s": 4},
        "jobs": jobs if loaded else [job("c1", "iperf3-s1", "iperf3 --client 198.18.0.31")],
        **({"generator": {"name": "memtier", "version": "2.3.1"}} if loaded else {}),
        "num_clients": 192,
        **more,
    }
    return manifest_of(**entries)


DIRECT = manifest(
    {"workload": "mixed", "num_middlewares": 0},
    settings={"ratio": "1:99", "key_bytes": 16, "value_bytes": 128},
    plan={"pauses": [{"server": 1, "at_s": 300, "for_s": 1}]},
)
RING = [
    manifest(
        {"workload": "mixed", "num_middlewares": 1, "replicas": replicas, "workers": 64},
        middlewares=["m1"],
        settings={"routing": "consistent-hash", "server_timeout_s": 3.0, "sharded": False},
    )
    for replicas in (1, 3)
]
LINKS = manifest({"kind": "iperf3-parallel"}, loaded=False)
FAILED = manifest(
    {"workload": "mixed", "num_middlewares": 0},
    status="failed",
    error=f"3 of 28 hosts failed:\nc1: connection lost: `{DOOL}` broke off: Channel closed.. "
    "Check.",
)
ALL = [LINKS, DIRECT, *RING, FAILED]


def tables(section):
    parts = section.parts
    return {part.name: part.markdown for part in parts if isinstance(part, Table)}


def rows_of(markdown):
    cells = [line.strip("|").split("|") for line in markdown.splitlines()[2:]]
    return {first.strip(): second.strip() for first, second, *_ in cells}


def test_settings_are_those_of_all_runs_under_load():
    rows = rows_of(tables(configurations(ALL))["99-configuration-9"])
    assert rows["Hosts: middlewares"] == "none, or m1"
    assert rows["Factor: Number of middlewares"] == "0, 1"
    assert rows["Factor: Replicas of each key"] == "1, 3"
    assert rows["Factor: Worker threads per middleware"] == "64"
    assert rows["Key size (B)"] == "16"
    assert rows["Sets to gets"] == "1:99"
    assert rows["Clients in all"] == "192"
    assert rows["Server pauses"] == "server 1 at 300 s for 1 s"
    assert rows["Runs"] == "3 under load and 1 of the network accepted, 1 rejected or failed"
    assert "Multi-get behaviour" not in rows
    assert "Factor: Kind" not in rows


def test_each_topology_has_its_commands_and_monitors_are_shown_once():
    shown = list(examples([DIRECT, *RING]))
    assert [len(one.roles.middlewares) for one in shown] == [0, 1]
    assert run_commands(shown[1]) == f"c1$ {MEMTIER}\n\nm1$ {MIDDLEWARE}"
    assert [command for _, command in monitor_commands(DIRECT)] == [
        f"c1$ {DOOL}",
        "c1$ ping 198.18.0.31",
    ]
    text = "\n".join(part.markdown for part in configurations(ALL).parts if isinstance(part, Prose))
    assert text.count(DOOL) == 1
    assert "-t 1 " in text  # memcached, one thread
    assert "--key-pattern=P:P" in text  # the prefill


def test_errors_name_jobs_and_do_not_count_them_as_hosts():
    runs = configuration_files(ALL)["runs.csv"]
    (reason,) = runs.loc[runs["status"] == "failed", "reason"]
    assert "c1: connection lost: `dool` broke off: Channel closed. Check." in reason
    assert "28 hosts" not in reason


def test_runs_are_counted_by_section_with_what_is_missing():
    shown = tables(appendix(ALL, {"9": ["9 workload=get rep 1"]}))
    header, _, row = shown["99-runs"].splitlines()
    assert [cell.strip() for cell in header.strip("|").split("|")] == [
        *("Section", "Accepted", "Failed", "Missing")
    ]
    assert [cell.strip() for cell in row.strip("|").split("|")] == ["9", "4", "1", "1"]
    assert "c1" in shown["99-discarded"]


def test_hosts_that_are_alike_share_a_row_of_what_they_told():
    told = {"kernel": "6.1", "cores": "1"}
    hosts = {"c1": told, "c2": told, "s1": {**told, "processor": "Xeon @ 2.3 GHz"}}
    header, _, *rows = tables(appendix([DIRECT.model_copy(update={"hosts": hosts})], {}))[
        "99-hosts"
    ].splitlines()
    shown = [[cell.strip() for cell in row.strip("|").split("|")] for row in (header, *rows)]
    assert shown[0] == ["Host", "Kernel", "Processor", "Cores"]
    assert shown[1:] == [["c1 c2", "6.1", "", "1"], ["s1", "6.1", "Xeon @ 2.3 GHz", "1"]]
