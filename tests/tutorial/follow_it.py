"""The tutorial as a new user follows it, from `lab up` to `lab down`: part `tutorial`, minutes."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from records.paths import DATA, PROJECT
from remote.providers.local_lab import LocalLab
from tests.helpers.documents import blocks, text_of

PAGE = PROJECT / "docs" / "tutorial.md"
ELSEWHERE = ("make", "export", "lab claims reference", "lab export")  # other tests do these
CAMPAIGNS = ("tutorial", "tutorial-4")


def test_it_ends_in_claims_that_hold(lab_is_free, tmp_path):
    there = [name for name in CAMPAIGNS if (DATA / name).exists()]
    assert there == [], "somebody follows it by hand: rename these campaigns first"
    text = text_of(PAGE)
    (tmp_path / "mine.toml").write_text(blocks(text, "toml")[0])
    (tmp_path / "claim.py").write_text(blocks(text, "python")[1])
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    try:
        told = {line: done(line, tmp_path) for line in lines if not line.startswith(ELSEWHERE)}
    finally:
        LocalLab().down()
        for name in CAMPAIGNS:
            shutil.rmtree(DATA / name, ignore_errors=True)
    judged = [out for line, out in told.items() if "claim.py" in line]
    assert len(judged) == len(CAMPAIGNS)
    assert all(re.search(r"^verdict\s+supported$", out, re.MULTILINE) for out in judged), judged


def done(line: str, folder: Path) -> str:
    """Do what a line says, in the folder of the reader's files, and show how long it took."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(PROJECT)}
    started_s = time.monotonic()
    ended = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1200,
    )
    print(f"\n{line}: {time.monotonic() - started_s:.0f} s\n{ended.stdout}", flush=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
