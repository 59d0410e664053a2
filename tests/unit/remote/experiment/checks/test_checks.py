import gzip
import json

import pytest

from analysis.results import read_memtier_json
from records.manifest import Manifest
from records.verdict import Verdict
from remote.experiment.checks import run as checks
from remote.experiment.checks.check import outcome
from tests.helpers.campaign import build_run, write_compressed
from tests.helpers.tools import (
    COOL_DOWN_S,
    DOOL_HEADER,
    STABLE_S,
    START_EPOCH_S,
    WARM_UP_S,
    cpu_time,
    dool_csv,
)

CONFIG = {"workload": "get", "clients_per_thread": 8, "workers": 64}
CLIENTS = ("c1", "c2", "c3")


@pytest.fixture
def run(tmp_path):
    """A run folder that passes every check, and the document of its manifest."""
    return sound_run(tmp_path, CONFIG)


def sound_run(tmp_path, config):
    folder = build_run(tmp_path, "3.1", config)
    for host in CLIENTS:
        refuse(folder, host, replies=0)
    manifest = json.loads((folder / "manifest.json").read_text())
    requests = sum(
        round(
            read_memtier_json(folder / host / "memtier-0.json.gz").run.totals["requests"]["total"]
        )
        for host in CLIENTS
    )
    serve(folder, requests)
    durations = {"warm_up_s": WARM_UP_S, "stable_s": STABLE_S, "cool_down_s": COOL_DOWN_S}
    job = {"host": "c1", "name": "memtier-0", "exit_status": 0, "started_at_s": START_EPOCH_S}
    hosts = {name: {} for name in (*CLIENTS, "m1", "s1")}
    return folder, {**manifest, "durations": durations, "jobs": [job], "hosts": hosts}


def evaluate(folder, document) -> Verdict:
    jobs = [{"command": "", "started_at_s": 0.0, **job} for job in document["jobs"]]
    return checks.evaluate(folder, Manifest.read({**document, "jobs": jobs}))


def serve(folder, requests):
    stats = "STAT cmd_get {}\r\nSTAT cmd_set 10000\r\nEND\r\n"
    texts = {"before": stats.format(77), "after": stats.format(77 + requests)}
    write_compressed(folder, {f"s1/memcached-stats-{when}.txt": t for when, t in texts.items()})


def refuse(folder, host, replies):
    path = folder / host / "memtier-0.json.gz"
    document = json.loads(gzip.decompress(path.read_bytes()))
    document["middleware-lab"]["Runs"][0]["Error replies"] = {"Sets": 0, "Gets": replies}
    write_compressed(folder, {f"{host}/memtier-0.json": json.dumps(document)})


def failed(evaluation):
    return {check.name: check.detail for check in evaluation.checks if not check.passed}


def edit_json(folder, change):
    path = folder / "c2/memtier-0.json.gz"
    document = json.loads(gzip.decompress(path.read_bytes()))
    change(document["ALL STATS"])
    write_compressed(folder, {"c2/memtier-0.json": json.dumps(document)})


def test_sound_run_is_accepted_with_its_window(run):
    evaluation = evaluate(*run)
    assert failed(evaluation) == {}
    assert evaluation.status == "accepted"
    window = evaluation.stable
    assert window.start_epoch_s == START_EPOCH_S - 1 + WARM_UP_S  # the last starts at -0.3 s
    assert window.end_epoch_s - window.start_epoch_s == STABLE_S


def test_exit_status_rejects_unless_dool_was_ended_on_purpose(run):
    folder, manifest = run
    manifest["jobs"] += [
        {"host": "s1", "name": "dool", "exit_status": 130},
        {"host": "m1", "name": "middleware", "exit_status": 143},
    ]
    evaluation = evaluate(folder, manifest)
    assert failed(evaluation) == {"exit_statuses": "m1: middleware ended with 143"}
    assert evaluation.status == "rejected"


def without_first_second(stats):
    """Take the first second of the window from a generator's results."""
    for kind in ("Gets", "Totals"):
        second = stats[kind]["Time-Serie"].pop(str(WARM_UP_S))
        stats[kind]["Count"] -= second["Count"]


BEFORE_THE_END_MS = (START_EPOCH_S - 1 + WARM_UP_S + STABLE_S) * 1000 - 100


@pytest.mark.parametrize(
    ("table", "change", "check"),
    [
        ("Runtime", {"Interrupted": "true"}, "durations"),
        ("Runtime", {"Finish time": START_EPOCH_S * 1000}, "durations"),
        ("Runtime", {"Finish time": BEFORE_THE_END_MS}, "window_inside"),
        ("Gets", {"Misses/sec": 0.25}, "no_misses"),
    ],
)
def test_what_a_generator_says_rejects(run, table, change, check):
    edit_json(run[0], lambda stats: stats[table].update(change))
    assert check in failed(evaluate(*run))


def test_error_replies_reject(run):
    refuse(run[0], "c3", replies=7)
    assert "7 error replies" in failed(evaluate(*run))["no_errors"]


def test_second_in_which_a_server_was_paused_may_be_without_requests(run):
    folder, manifest = run
    edit_json(folder, without_first_second)
    began_s = START_EPOCH_S + WARM_UP_S - 0.2
    pause = {"host": "s1", "began_epoch_s": began_s, "ended_epoch_s": began_s + 1}
    assert "window_covered" not in failed(evaluate(folder, {**manifest, "pauses": [pause]}))


@pytest.mark.parametrize(("arrivals_per_s", "is_chance"), [(0.5, True), (100, False)])
def test_second_may_be_empty_where_arrivals_are_rare(run, arrivals_per_s, is_chance):
    folder, manifest = run
    edit_json(folder, without_first_second)
    generators = len(manifest["roles"]["clients"]) * manifest["instances_per_client"]
    rate_per_s = arrivals_per_s * generators * manifest["topology"]["time_dilation"]
    manifest["settings"]["arrival_rate_per_s"] = rate_per_s
    assert ("window_covered" not in failed(evaluate(folder, manifest))) == is_chance


def test_arrivals_that_were_never_sent_are_recorded_without_rejecting(run):
    folder, manifest = run
    manifest["settings"]["arrival_rate_per_s"] = 100
    assert failed(evaluate(folder, manifest)) == {}
    path = folder / "c1/memtier-0.json.gz"
    document = json.loads(gzip.decompress(path.read_bytes()))
    document["middleware-lab"]["Runs"][0]["Unsent arrivals"] = 12
    write_compressed(folder, {"c1/memtier-0.json": json.dumps(document)})
    evaluation = evaluate(folder, manifest)
    assert "12 arrivals were still waiting" in failed(evaluation)["arrivals_sent"]
    assert evaluation.status == "accepted"


def test_damaged_file_rejects_and_is_named(run):
    path = run[0] / "c2/memtier-0.json.gz"
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())[:-40]))
    evaluation = evaluate(*run)
    assert "c2/memtier-0.json.gz" in failed(evaluation)["files_readable"]
    assert evaluation.status == "rejected"


def test_busy_machine_is_recorded_without_rejecting(run):
    write_compressed(run[0], {"s1/dool.csv": dool_csv(cpu_user_percent=89)})
    evaluation = evaluate(*run)
    assert list(failed(evaluation)) == ["machine_not_the_limit"]
    detail = failed(evaluation)["machine_not_the_limit"]
    assert "the machine was 1.0 % idle" in detail and "0.0 % stolen" in detail
    assert "it limits the result" in detail
    assert evaluation.status == "accepted"


def share(run, *, of_server, others=0.1):
    """The outcome of a run whose server has a processor of its own and uses so much of it."""
    folder, manifest = run
    used = {"c1": others, "s1": of_server}
    write_compressed(folder, {f"{host}/cpu-time.out": cpu_time(n) for host, n in used.items()})
    topology = {**manifest["topology"], "own_processors": "servers"}
    evaluation = evaluate(folder, {**manifest, "topology": topology})
    return {check.name: check for check in evaluation.checks}


def test_processors_that_hosts_share_may_be_full_while_the_machine_is_not(run):
    """Of two processors 1.2 are idle in all: the server's, and a fifth of the others'."""
    found = share(run, of_server=0.0)
    assert found["machine_not_the_limit"].passed
    assert found["shared_part_not_the_limit"].passed
    assert "the shared part was 20.0 % idle" in found["shared_part_not_the_limit"].detail
    write_compressed(run[0], {"s1/dool.csv": dool_csv(cpu_user_percent=39)})
    found = share(run, of_server=0.0)
    assert found["machine_not_the_limit"].passed
    assert not found["shared_part_not_the_limit"].passed
    assert "the shared part was 2.0 % idle" in found["shared_part_not_the_limit"].detail
    assert found["shared_part_not_the_limit"].severity == "advisory"


def test_machine_whose_monitor_saw_nothing_is_not_said_to_have_had_time(run):
    rows = dool_csv().splitlines()
    write_compressed(run[0], {"s1/dool.csv": "\n".join(rows[: len(DOOL_HEADER) + 1]) + "\n"})
    folder, manifest = run
    evaluation = evaluate(folder, {**manifest, "fleet": "azure"})
    assert "its monitor saw nothing" in failed(evaluation)["s1_not_the_limit"]


def test_each_machine_of_a_fleet_speaks_for_itself(run):
    folder, manifest = run
    write_compressed(folder, {"s1/dool.csv": dool_csv(cpu_user_percent=89)})
    evaluation = evaluate(folder, {**manifest, "fleet": "azure"})
    assert list(failed(evaluation)) == ["s1_not_the_limit"]
    assert "c1_not_the_limit" in {check.name for check in evaluation.checks}


def test_generator_without_cpu_left_rejects(run):
    folder, manifest = run
    first = f"epoch {START_EPOCH_S}.0 uptime 100.00 ticks 100 cores 2"
    rows = [f"{100 + s}.00 {int((50 + 1.9 * s) * 1e9)}" for s in range(9)]
    write_compressed(folder, {"c2/cpu-time.out": "\n".join([first, *rows]) + "\n"})
    detail = failed(evaluate(folder, manifest))["generator_not_cpu_bound"]
    assert "c2 95%" in detail and "at most 90%" in detail


@pytest.mark.parametrize(
    ("job", "text", "check"),
    [
        ("memtier-0", "[RUN #1] 1%\rconnection error: Connection reset by peer\n", "stderr"),
        ("memtier-0", "Saving JSON output file: memtier-0.json\nJson file closed.\n", None),
        ("dool", "Traceback (most recent call last):\n", "monitors_stderr"),
    ],
)
def test_trouble_on_stderr_is_told(run, job, text, check):
    folder, manifest = run
    manifest["jobs"].append({"host": "c1", "name": job, "exit_status": 0, "started_at_s": 0.0})
    write_compressed(folder, {f"c1/{job}.err": text})
    evaluation = evaluate(folder, manifest)
    assert set(failed(evaluation)) == ({check} if check else set())
    assert evaluation.status == ("rejected" if check == "stderr" else "accepted")


def test_of_many_jobs_that_complain_a_few_are_quoted(run):
    folder, manifest = run
    jobs = [f"memtier-{n}" for n in range(60)]
    manifest["jobs"] = [
        {"host": "c1", "name": job, "exit_status": 0, "started_at_s": 0.0} for job in jobs
    ]
    write_compressed(folder, {f"c1/{job}.err": "connection error\n" for job in jobs})
    detail = failed(evaluate(folder, manifest))["stderr"]
    assert detail.startswith("c1: memtier-0: connection error; c1: memtier-1: ")
    assert detail.endswith("; c1: memtier-4: connection error; and 55 jobs more")


def test_advice_that_cannot_be_given_rejects_no_run(run):
    folder, manifest = run
    del manifest["settings"]["workload"]
    rates = dict.fromkeys((*CLIENTS, "m1", "s1"), 100)
    manifest["topology"] = {**manifest["topology"], "rates_mbit_per_s": rates}
    evaluation = evaluate(folder, {**manifest, "fleet": "local-lab"})
    assert "could not be made: " in failed(evaluation)["machine_latency_small"]
    assert evaluation.status == "accepted"


def test_what_a_check_quotes_of_a_host_steers_no_terminal():
    assert outcome(name="stderr", passed=False, detail="c1: \x1b[2J").detail == r"c1: \x1b[2J"
