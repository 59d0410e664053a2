"""Bottlenecks planted on the local lab, each of which the largest elasticity must name.

Of the part `planted`, some three minutes each. What is planted is so narrow that with half as much
again it is still the bottleneck, and half as much again of anything else changes nothing.
"""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from analysis.lab.sensitivity import COUNT, RATE, UNEXPLAINED
from lab.sensitivity import sensitivity_of, table_text
from records.sensitivity import AS_IT_IS, CLIENTS, DELAY, MACHINE_BY_DILATION, WORKERS
from remote.campaign import Campaign
from remote.campaign.changes.cases import plan_cases
from remote.campaign.changes.study import Study
from remote.providers.local_lab import LocalLab, Topology
from tests.helpers import faulty_middleware
from tests.planted.planting import azure

pytestmark = pytest.mark.usefixtures("lab_is_free")

STEP = 0.5
MOST, LEAST = 0.65, 0.35  # at least of what limits, at most of all else
SECTION = """
base = "{base}"
time_dilation = {k}
[generator]
value_bytes = {value_bytes}
[factors]
workload = ["{workload}"]
clients_per_thread = [{clients}]
{workers}
[precision]
throughput = 0.1
repetitions = [2, 2]
budget_s = 60
"""
FAR_MS = 10
SLOW_MIDDLEWARE = '''
command = """
python3 {{ folder }}/faulty_middleware.py -l {{ address }} -p {{ port }} -t {{ workers }}
-s {{ sharded }} -m {{ servers | join(' ') }} --alone-s 0.002"""
files = ["faulty_middleware.py"]
ready = "listening"
'''


def section(base, workload, *, clients, workers=None, k=1, value_bytes=4096):
    own = "" if workers is None else f"workers = [{workers}]"
    return SECTION.format(
        base=base, workload=workload, clients=clients, workers=own, k=k, value_bytes=value_bytes
    )


def planted(role: str, **fields) -> Topology:
    """The studies' topology with something else for a role."""
    data = azure().to_dict()
    data[role] |= fields
    return Topology.from_dict(data)


def elasticities(
    text: str, topology: Topology, folder: Path, *wanted: str, middleware: str = ""
) -> pd.DataFrame:
    """Measure what throughput gains by half as much again of each of some parameters."""
    path = folder / "own.toml"
    path.write_text(text)
    campaign = Campaign.open("planted", data_dir=folder, middleware=middleware)
    plan = campaign.plan(str(path))
    (config,) = plan.configs()
    cases = plan_cases(plan, config, topology, step=STEP)
    assert set(wanted) <= {case.parameter for case in cases}
    study = Study(
        cases=[
            case
            for case in cases
            if case.parameter == AS_IT_IS or (case.parameter in wanted and case.factor > 1)
        ],
        campaign_dir=campaign.path,
        middleware=campaign.middleware,
    )
    with LocalLab(topology):
        table = sensitivity_of(study, report=print)
    print(table_text(table))
    return table.set_index("parameter")


def require_named(table: pd.DataFrame, name: str, kind: str = RATE) -> None:
    """One parameter follows; whatever else of its kind was changed matters little."""
    measured = table.loc[table["kind"] == kind, "measured"].drop(UNEXPLAINED, errors="ignore")
    assert measured.idxmax() == name
    assert measured[name] > MOST
    assert (measured.drop(name).abs() < LEAST).all()


def test_a_slow_server_link_is_named(tmp_path):
    egress = azure().to_dict()["servers"]["egress"] | {"rate_mbit_per_s": 25}
    table = elasticities(
        section("3.1", "get", clients=4, workers=64),
        planted("servers", egress=egress),
        tmp_path,
        *("server link rate", "middleware link rate", DELAY, MACHINE_BY_DILATION),
    )
    require_named(table, "server link rate")


def test_a_starved_servers_cpu_is_named(tmp_path):
    table = elasticities(
        section("2.1", "get", clients=32, k=2, value_bytes=64),
        planted("servers", cpu_quota=0.25),
        tmp_path,
        *("server CPU quota", "server link rate", DELAY, MACHINE_BY_DILATION),
    )
    # Its quota is so small that monitors, which take it by the clock, are felt when k is changed.
    rates = table.loc[table["kind"] == RATE, "measured"].drop(UNEXPLAINED)
    assert rates.idxmax() == "server CPU quota"
    assert rates.max() > MOST


def test_too_few_workers_are_named(tmp_path):
    table = elasticities(
        section("3.1", "set", clients=16, workers=8, k=4, value_bytes=64),
        azure(),
        tmp_path,
        *(WORKERS, CLIENTS, DELAY, "server link rate", MACHINE_BY_DILATION),
    )
    require_named(table, WORKERS, COUNT)
    require_named(table, DELAY)  # for which they wait


def test_one_far_server_is_named(tmp_path):
    name = "1 / s3 network delay"
    table = elasticities(
        section("4.1", "set", clients=8, workers=8),
        planted("servers", own={"s3": {"rtt_ms": FAR_MS}}),
        tmp_path,
        *(name, DELAY, "server link rate", MACHINE_BY_DILATION),
    )
    require_named(table, name)


def test_what_a_slow_middleware_takes_is_nothing_that_is_emulated(tmp_path):
    shutil.copy(faulty_middleware.__file__, tmp_path)
    slow = tmp_path / "slow.toml"
    slow.write_text(SLOW_MIDDLEWARE)
    table = elasticities(
        section("3.1", "get", clients=2, workers=8, k=2),
        azure(),
        tmp_path,
        *("server link rate", "middleware link rate", DELAY, MACHINE_BY_DILATION),
        middleware=str(slow),
    )
    require_named(table, MACHINE_BY_DILATION)  # it sleeps by the clock of the machine
