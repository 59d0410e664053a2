"""What a run is set to: what may be set at all, one run's settings, and which go together."""

from remote.experiment.settings.allowed import (
    NETWORK_SETTINGS,
    OBSERVERS,
    OF_CACHES,
    OF_MIDDLEWARES,
    OF_QUEUES,
    SETTINGS,
    Level,
    Setting,
)
from remote.experiment.settings.one_run import Settings
from remote.experiment.settings.together import mistakes

__all__ = [
    "NETWORK_SETTINGS",
    "OBSERVERS",
    "OF_CACHES",
    "OF_MIDDLEWARES",
    "OF_QUEUES",
    "SETTINGS",
    "Level",
    "Setting",
    "Settings",
    "mistakes",
]
