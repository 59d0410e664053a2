"""The three lists of packages agree: pyproject.toml, requirements.lock, environment.yml."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pins(lines: list[str]) -> dict[str, str]:
    found = {}
    for line in lines:
        if match := re.match(r"([A-Za-z0-9._-]+)==([^\s;\\]+)", line):
            found[re.sub(r"[-_.]+", "-", match[1]).lower()] = match[2]
    return found


def test_every_dependency_is_pinned_and_locked_in_the_same_version():
    optional = project()["optional-dependencies"]
    declared = project()["dependencies"] + optional["dev"] + optional["ansible"]
    locked = pins((ROOT / "requirements.lock").read_text().splitlines())
    wanted = pins(declared)
    assert len(wanted) == len(declared), "a dependency is not pinned with =="
    assert {name: locked.get(name) for name in wanted} == wanted


def test_lock_has_hashes_and_names_no_index():
    text = (ROOT / "requirements.lock").read_text()
    assert text.count("--hash=sha256:") > text.count("==")
    assert not re.search(r"https?://|--index-url|--extra-index-url|--find-links", text)


def test_conda_environment_has_the_pins_of_the_project():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    conda = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    (pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert pip[-1] == "-e ."
    assert pip[:-1] == project()["dependencies"] + project()["optional-dependencies"]["ansible"]
    assert {"python=3.11", "openjdk=17", "maven", "pip"} <= set(conda)


def test_fixed_packages_and_folders_are_there():
    names = pins(project()["dependencies"])
    assert {"jupyterlab", "paramiko", "pandas", "statsmodels", "plotly"} <= set(names)
    for folder in ("notebooks", "middleware-kotlin", "remote", "data", "figures"):
        assert (ROOT / folder).is_dir()


def test_binder_installs_what_reading_needs_and_no_more():
    lines = (ROOT / "binder" / "requirements.txt").read_text().splitlines()
    slim = pins(lines)
    locked = pins((ROOT / "requirements.lock").read_text().splitlines())
    assert {name: locked.get(name) for name in slim} == slim
    assert set(pins(project()["dependencies"])) <= set(slim)
    assert not {"ansible-core", "pytest", "playwright"} & set(slim)
    assert "pip install --no-deps --editable ." in (ROOT / "binder" / "postBuild").read_text()
