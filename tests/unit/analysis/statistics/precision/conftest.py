"""The measuring of coverage is a script in a folder of its own, not a package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "coverage"))
