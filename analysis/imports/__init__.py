"""Other people's raw files become a campaign: manifests and tidy tables, without run folders.

`sorting` assigns files to runs by their paths, and `reading` reads the files of a run. `tables`
makes tidy tables of them, `checks` looks for contradictions, and `campaign` writes the result.
"""

from analysis.imports.campaign import Imported, import_campaign
from analysis.imports.sorting import PlanError

__all__ = ["Imported", "PlanError", "import_campaign"]
