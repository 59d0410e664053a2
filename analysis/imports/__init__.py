"""Other people's raw files become a campaign: manifests and tidy tables, without run folders.

`sorting` tells from paths which file belongs to which run, `reading` reads the files of a run,
`tables` reduces them, `checks` looks for contradictions, and `campaign` writes the result.
"""

from analysis.imports.campaign import Imported, import_campaign
from analysis.imports.sorting import PlanError

__all__ = ["Imported", "PlanError", "import_campaign"]
