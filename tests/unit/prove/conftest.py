"""The proofs are scripts in a folder of their own, not a package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "middleware-kotlin" / "prove"))
