"""Lists of the same things, in rooms that may not use each other, name the same things."""

from analysis.tables.frames import SETTINGS as COLUMNS
from remote.experiment.settings import SETTINGS
from report.contents import configurations


def test_every_factor_is_a_column_of_the_tidy_tables():
    factors = {name for name, setting in SETTINGS.items() if setting.varies}
    assert set(COLUMNS) == factors - {"workload", "clients_per_thread"}


def test_every_setting_is_told_with_the_configurations():
    assert set(SETTINGS) <= set(configurations._SETTINGS)
