"""How `make setup` makes the Python environment: by uv, otherwise by pip, and never half."""

import subprocess
import sys
from pathlib import Path

import pytest

import remote

SCRIPT = Path(remote.__file__).parent / "hosts" / "provision" / "python.sh"
LOCK = "tool==1 \\\n    --hash=sha256:aa\nuv==2 \\\n    --hash=sha256:bb\n    # via x\nzip==3\n"
# In the place of a Python: `-m venv` makes an environment of it and a uv; calls are noted.
PYTHON = """#!/bin/sh
echo "python $*" >>calls
case "$*" in
*sys.version_info*) ;;
*"print(sys.version"*) echo 3.11 ;;
"-m venv --clear .venv")
    rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python
    echo '#!/bin/sh' >.venv/bin/uv
    echo 'echo "uv $* from $UV_DEFAULT_INDEX" >>calls' >>.venv/bin/uv
    echo "exit ${UV_STATUS:-0}" >>.venv/bin/uv
    chmod +x .venv/bin/uv ;;
*"config list"*) echo "${SETTINGS:-}" ;;
*--only-binary*) exit "${NO_UV:-0}" ;;
*pip.txt*) echo "pip says why"; exit "${PIP_STATUS:-0}" ;;
esac
"""


@pytest.fixture
def install(tmp_path):
    """Run the script in a project in a folder with a blank; what it did."""
    project = tmp_path / "a project"
    project.mkdir()
    (project / "requirements.lock").write_text(LOCK)
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)

    def run(**environment: str) -> subprocess.CompletedProcess[str]:
        (project / "calls").write_text("")
        return subprocess.run(
            ["/bin/sh", SCRIPT, python],
            cwd=project,
            env={"PATH": "/usr/bin:/bin", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    run.project = project
    return run


def calls(install, word):
    return [line for line in (install.project / "calls").read_text().splitlines() if word in line]


def test_pip_installs_uv_and_uv_the_rest_by_hash(install):
    done = install()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Installing the Python environment into .venv\n"
    listed = (install.project / "build/set-up/uv.txt").read_text()
    assert listed == "uv==2 \\\n    --hash=sha256:bb\n    # via x\n"
    assert all("--require-hashes" in call for call in calls(install, "--requirement"))
    assert len(calls(install, "--requirement requirements.lock")) == 1
    assert calls(install, "pip.txt") == []
    assert (install.project / ".venv/installed").exists()


@pytest.mark.parametrize("failure", [{"NO_UV": "1"}, {"UV_STATUS": "2"}], ids=["none", "fails"])
def test_pip_does_it_if_uv_cannot(install, failure):
    done = install(**failure)
    assert done.returncode == 0
    assert "pip does, which takes minutes" in done.stdout
    (call,) = calls(install, "pip.txt")
    assert "--require-hashes" in call
    assert (install.project / "build/set-up/pip.txt").read_text() == LOCK.replace(
        "uv==2 \\\n    --hash=sha256:bb\n    # via x\n", ""
    )


def test_uv_asks_where_pip_asks(install):
    assert install(SETTINGS=":env:.index-url='https://mirror.example/simple'").returncode == 0
    asked = calls(install, "--requirement requirements.lock")
    assert asked[0].endswith(" from https://mirror.example/simple")


def test_failure_is_told_whole_and_the_next_call_begins_anew(install):
    done = install(NO_UV="1", PIP_STATUS="1")
    assert done.returncode == 1
    assert done.stderr == "pip says why\n"
    assert not (install.project / ".venv/installed").exists()
    assert install().returncode == 0
    assert len(calls(install, "venv --clear")) == 1
    assert install().returncode == 0
    assert calls(install, "venv --clear") == [], "what is complete is only brought up to date"


def test_python_that_is_too_old_is_refused(tmp_path):
    old = tmp_path / "python"
    old.write_text(f'#!/bin/sh\nexec {sys.executable} -c "import sys; sys.exit(1)"\n')
    old.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", SCRIPT, old], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "make PYTHON=/path/to/python3.11" in done.stderr
