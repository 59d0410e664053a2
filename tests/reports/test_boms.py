"""Bills of materials pass CycloneDX's schema, and list what is there."""

import json
from importlib.metadata import version

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from audit.__main__ import KOTLIN, PROJECT
from audit.boms import read_bom, write_python_bom

JAR_BOM = KOTLIN / "target" / "middleware-sbom.json"


@pytest.fixture(scope="module")
def python_bom(tmp_path_factory):
    path = tmp_path_factory.mktemp("sbom") / "python.json"
    write_python_bom(path, PROJECT / "pyproject.toml")
    return path


def mistakes(path):
    text = path.read_text("utf-8")
    assert json.loads(text)["specVersion"] == "1.6"
    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)


def test_the_bill_of_python_passes_the_schema_and_has_versions_and_licences(python_bom):
    assert mistakes(python_bom) is None
    found = {package.name: package for package in read_bom(python_bom, "environment")}
    assert found["pandas"].version == version("pandas")
    assert found["pyyaml"].licences == "MIT"
    assert found["types-pyyaml"].url.startswith("pkg:pypi/types-pyyaml@")


def test_the_bill_of_the_jar_passes_the_schema_and_lists_what_is_in_it():
    assert mistakes(JAR_BOM) is None
    found = {package.name: package for package in read_bom(JAR_BOM, "jar")}
    assert "Apache" in found["io.ktor/ktor-network-jvm"].licences
    assert "org.hdrhistogram/HdrHistogram" in found
    assert not [name for name in found if "junit" in name], "tests are not in the jar"


def test_a_schema_that_is_broken_is_seen(tmp_path, python_bom):
    broken = json.loads(python_bom.read_text("utf-8"))
    del broken["components"][0]["name"]
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken), encoding="utf-8")
    assert "name" in str(mistakes(path))
