"""The recipe in CONTRIBUTING.md is enough: its lines alone make an option a factor everywhere."""

import json
import os
import shutil
import subprocess
import sys

from records.paths import PROJECT

BEFORE = "\n    @property\n    def instances"  # what follows the last field of `Settings`
SECTION = """
[hosts]
clients = 1
servers = 2
middlewares = 1
[generator]
clients_per_thread = 1
[middleware]
workers = 8
[factors]
workload = ["get"]
failover = [false, true]
[profiles.smoke]
repetitions = 1
stable_s = 1
"""
SHOWN = """
import json, sys, tomllib
from pathlib import Path
from types import SimpleNamespace

from analysis.tables.details import settings as columns
from analysis.tables.frames import SETTINGS as COLUMNS
from manual import section_files
from remote.errors import ConfigError
from remote.experiment.describe import configuration_table
from remote.experiment.section_file import section_of
from remote.experiment.sessions.program_options import middleware_launch
from remote.hosts.host import Host
from report.contents import configurations

document = tomllib.loads(sys.stdin.read())
section = section_of(Path("x.toml"), document, "smoke")
settings = [section.settings(config) for config in section.configs()]
m1 = Host(name="m1", role="middlewares", address="m1", data_address="m1", known_hosts=Path("k"))
commands = [
    middleware_launch(
        m1, section.middleware({}), [m1], one, programs="bin", time_dilation=1.0
    ).command
    for one in settings
]
run = SimpleNamespace(config={}, manifest=SimpleNamespace(settings=settings[1].to_dict()))
document["factors"]["failover"] = ["yes"]
try:
    section_of(Path("x.toml"), document, "smoke")
except ConfigError as exc:
    refusal = str(exc)
table = configuration_table(section).set_index("parameter")["value"]
print(json.dumps({
    "levels": [one.failover for one in settings],
    "refusal": refusal,
    "commands": commands,
    "is_column": "failover" in COLUMNS,
    "column": columns(run)["failover"],
    "row": table.get("Failover"),
    "label": configurations._LABELS["failover"],
    "manual": next(line for line in section_files.write().splitlines() if "`failover`" in line),
}))
"""


def recipe():
    text = (PROJECT / "CONTRIBUTING.md").read_text().split("## Adding a factor")[1]
    return text.split("```python\n")[1].split("```")[0]


def test_an_option_becomes_a_factor_of_sections_commands_tables_and_the_manual(tmp_path):
    """A project differs from this one by the lines of the recipe alone."""
    shutil.copytree(PROJECT / "records", tmp_path / "records")
    register = tmp_path / "records" / "settings.py"
    source = register.read_text()
    assert source.count(BEFORE) == 1
    register.write_text(source.replace(BEFORE, f"{recipe()}{BEFORE}"))
    done = subprocess.run(
        [sys.executable, "-c", SHOWN],
        input=SECTION,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(PROJECT)])},
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["levels"] == [False, True]
    assert shown["refusal"] == "x.toml: factors.failover[1] must be true or false, got 'yes'"
    off, on = shown["commands"]
    assert " --failover off " in off
    assert " --failover on " in on
    assert shown["is_column"]
    assert shown["column"] is True
    assert shown["row"] == "false, true"
    assert shown["label"] == "Failover"
    row = (
        "yes | true or false | `false` | `--failover {}` | Reads that a server fails go to another"
    )
    assert row in shown["manual"]
