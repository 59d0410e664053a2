"""Send the same commands to memcached and through the middleware, and compare the answers.

Stream number n of a run is made of seed + n, so that a run tells how to repeat what it has found:

    python middleware-kotlin/prove/differential.py --commands 10000000
    python middleware-kotlin/prove/differential.py --commands 1 --seed 104 --lane PIPELINED
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time

from stand import java_with_tests, print_result

LAST_LINE = re.compile(r"compared (\d+) differences (\d+)")


def main() -> None:
    """Compare; exit status 1 if an answer differed, or nothing was compared."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--commands", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time")
    parser.add_argument("--lane", help="one way to run the middleware; default: all")
    arguments = parser.parse_args()
    command = [
        *java_with_tests(),
        "mwlab.prove.differential.MainKt",
        str(arguments.commands),
        str(arguments.seed),
        *([arguments.lane] if arguments.lane else []),
    ]
    begin = time.monotonic()
    last_line = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
                last_line = line
        finally:
            process.terminate()
    result = LAST_LINE.match(last_line)
    count, failures = map(int, result.groups()) if result else (0, 1)
    failures = max(failures, int(process.returncode != 0))
    lanes = arguments.lane or "both dispatches, round-robin and ring, one and three servers"
    notes = f"commands answered as memcached answers them; {lanes}; seeds from {arguments.seed}"
    print_result("differential", count, failures, time.monotonic() - begin, notes)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
