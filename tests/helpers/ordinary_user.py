"""A user who may nothing, for as long as a test lasts; needs root only to become that user."""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import remote

ROOT = Path(remote.__file__).parents[1]
UID = 54321
NAME = "mwlab-tester"
LAB = ("-c", "from lab.cli import main; main()")
TIMEOUT_S = 200

# In mounts of its own: an account with a shell, and a way to a Python that lies in root's home.
_BECOME = f"""
set -e
{{ cat /etc/passwd; echo "{NAME}:x:{UID}:{UID}::$HOME:/bin/sh"; }} > "$HOME/passwd"
mount -n --bind "$HOME/passwd" /etc/passwd
case $BASE in
    /root/*)
        mkdir -p "$HOME/base"
        mount -n --bind "$BASE" "$HOME/base"
        mount -n -t tmpfs -o mode=755 mwlab /root
        mkdir -p "$BASE"
        mount -n --bind "$HOME/base" "$BASE" ;;
esac
exec setpriv --reuid {UID} --regid {UID} --clear-groups --inh-caps=-all "$@"
"""
# In a user namespace which has room for no other.
_FORBIDDEN = """
echo 0 > /proc/sys/user/max_user_namespaces
exec setpriv --inh-caps=-all --ambient-caps=-all "$@"
"""
_FORBID = ("unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-ec", _FORBIDDEN, "sh")

# One run says that all can be.
_MEASURE = """
import sys
from dataclasses import replace
from pathlib import Path
from remote.campaign import Campaign
from remote.experiment.lengths import Durations
from remote.experiment.section_file import read_section

section, fleet, factors = sys.argv[1], sys.argv[2], eval(sys.argv[3])
one = replace(
    read_section(section, "smoke"),
    factors=factors,
    durations=Durations(repetitions=1, stable_s=3, warm_up_s=1, cool_down_s=1),
    precision=None,
)
campaign = Campaign.open("t", profile="smoke", fleet=fleet, data_dir=Path.home() / "data")
replace(campaign, plans={section: one}).measure(section, progress=False)
"""


class OrdinaryUser:
    """What the user does, in a home outside of pytest's folder, which only root may enter."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.project = ROOT

    def python(
        self, *arguments: str, may_have_namespaces: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run Python as the user and return what it did."""
        become = ["unshare", "--mount", "sh", "-c", _BECOME, "sh"]
        forbid = [] if may_have_namespaces else _FORBID
        return subprocess.run(
            [*become, *forbid, sys.executable, *arguments],
            capture_output=True,
            text=True,
            env={
                "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
                "HOME": str(self.home),
                "BASE": sys.base_prefix,
                "PYTHONPATH": str(self.project),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            cwd=self.home,
            timeout=TIMEOUT_S,
        )

    def lab(
        self, *words: str, may_have_namespaces: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run `lab` as the user and return what it did."""
        return self.python(*LAB, *words, may_have_namespaces=may_have_namespaces)

    def measure(
        self, section: str, fleet: str, **factors: tuple[object, ...]
    ) -> subprocess.CompletedProcess[str]:
        """Measure a section of one run, for some seconds; it is in the campaign `data/t`."""
        return self.python("-c", _MEASURE, section, fleet, repr(factors))

    def processes(self) -> list[str]:
        """Return the command lines of what the user has running; a zombie's is empty."""
        pids = [p for p in Path("/proc").iterdir() if p.name.isdecimal() and p.stat().st_uid == UID]
        return [text for p in pids if (text := (p / "cmdline").read_text().replace("\0", " "))]


@contextlib.contextmanager
def ordinary_user() -> Iterator[OrdinaryUser]:
    """Have a user, with a home of its own, for as long as the block lasts."""
    with tempfile.TemporaryDirectory(prefix="mwlab-home-", dir="/tmp") as folder:
        os.chown(folder, UID, UID)
        yield OrdinaryUser(Path(folder))
