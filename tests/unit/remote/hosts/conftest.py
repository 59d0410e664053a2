import os
import shutil

import pytest


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with an ssh_config of its own, which ssh would look for by the user's name alone."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "config").touch()
    monkeypatch.setenv("HOME", str(home))
    (home / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {home}/.ssh/config "$@"\n')
    (home / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")
    return home
