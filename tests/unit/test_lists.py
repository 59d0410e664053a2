"""Lists of the same things, in rooms that may not use each other, name the same things."""

import json

from analysis.paths import REFERENCE
from analysis.tables.frames import SETTINGS as COLUMNS
from analysis.tables.overview import CHECKS
from analysis.tables.run import MANIFEST
from remote.experiment.settings import SETTINGS
from report.contents import configurations


def test_every_factor_is_a_column_of_the_tidy_tables():
    factors = {name for name, setting in SETTINGS.items() if setting.varies}
    assert set(COLUMNS) == factors - {"workload", "clients_per_thread"}


def test_every_setting_is_told_with_the_configurations():
    assert set(SETTINGS) <= set(configurations._SETTINGS)


def test_every_check_is_told_with_what_it_asks():
    manifests = [json.loads(path.read_text()) for path in REFERENCE.glob(f"*/*/*/{MANIFEST}")]
    names = {check["name"] for manifest in manifests for check in manifest.get("checks", [])}
    assert len(names) > 10
    unknown = {name for name in names if not any(name.endswith(known) for known in CHECKS)}
    assert unknown == set()
