"""The messages of queues are counted while their databases and middlewares are killed."""

import json
import subprocess
import sys

from records.paths import PROJECT


def test_no_message_is_lost_or_comes_twice():
    script = PROJECT / "middleware-kotlin" / "prove" / "queues.py"
    command = [sys.executable, str(script), "--times", "3"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    result = json.loads(ended.stdout.splitlines()[-1])
    assert result["failures"] == 0
    assert result["count"] > 1000
