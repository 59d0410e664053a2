"""What has to be there before anything runs: all of it for the lab, little for reading."""

import subprocess
from pathlib import Path

import pytest

import remote

SCRIPT = Path(remote.__file__).parent / "hosts" / "provision" / "debian.sh"
HELPERS = ("awk", "id")


@pytest.fixture
def missing(tmp_path):
    """Check on a machine that has nothing but a shell; the output."""
    for name in HELPERS:
        found = subprocess.run(["which", name], capture_output=True, text=True, check=True)
        (tmp_path / name).symlink_to(found.stdout.strip())

    def check(*arguments, **environment):
        command = ["/bin/sh", SCRIPT, "--check", *arguments]
        path = {"PATH": str(tmp_path), **environment}
        result = subprocess.run(command, env=path, capture_output=True, text=True, check=False)
        assert result.returncode == 1
        return result.stderr

    return check


def test_lab_needs_all_programs(missing):
    text = missing()
    for name in ("chromium", "mvn", "memcached", "iperf3", "nc", "python3-venv"):
        assert f" {name} " in text
    assert "install them with its package manager" in text


def test_report_needs_a_browser_and_python_only(missing):
    assert missing("report").startswith("Missing programs: chromium python3-venv .")


def test_browser_may_be_anywhere(missing):
    assert "chromium" not in missing("report", BROWSER_PATH="/bin/sh")
