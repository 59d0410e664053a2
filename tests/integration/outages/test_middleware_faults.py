"""Each fault once, under load whose every reply is checked."""

import json
import subprocess
import sys
from pathlib import Path

FAULTS = Path(__file__).parents[3] / "middleware-kotlin" / "prove" / "faults.py"


def test_no_fault_leads_to_a_wrong_or_a_missing_reply():
    command = [sys.executable, str(FAULTS), "--times", "1", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["part"], result["failures"]) == ("faults", 0)
    assert result["count"] > 12 * 100
