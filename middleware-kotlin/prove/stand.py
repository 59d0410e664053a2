"""What the proofs share: processes on loopback, as those of the benches, and the line of a result.

Import it first: it makes `processes` and the other modules of `bench` importable.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "bench"))


def print_result(part: str, count: int, failures: int, seconds: float, notes: str) -> None:
    """Print what a part found out, as `prove.py` wants it: the last line."""
    result = {
        "part": part,
        "count": count,
        "failures": failures,
        "seconds": round(seconds, 1),
        "notes": notes,
    }
    print(json.dumps(result), flush=True)
