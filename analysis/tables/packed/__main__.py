"""`python -m analysis.tables.packed`: bring the released archives of campaigns, or release some."""

import argparse
import sys
import tempfile
from pathlib import Path

from analysis.results import ParseError
from analysis.tables.packed.archives import RAW
from analysis.tables.packed.released import present, released
from analysis.tables.packed.releasing import release


def main() -> None:
    """Read the command line, and do what it says."""
    parser = argparse.ArgumentParser(prog="python -m analysis.tables.packed", description=__doc__)
    parser.add_argument("campaign", type=Path, help="folder of a campaign, such as data/reference")
    parser.add_argument("--release", nargs="+", metavar="SECTION", default=[])
    told = parser.parse_args()
    try:
        if told.release:
            print(f"{release(told.campaign, told.release) / 1e6:.1f} MB are released: now commit")
            return
        for name, known in released(told.campaign / RAW).items():
            with tempfile.TemporaryDirectory() as scratch:
                path = present(told.campaign / RAW / name, Path(scratch))
            print(f"{path}: {known.bytes / 1e6:.1f} MB, SHA-256 {known.sha256}")
    except ParseError as exc:
        sys.exit(str(exc))


if __name__ == "__main__":
    main()
