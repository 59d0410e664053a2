"""A clock that stands still until a test moves it, for code that waits or measures time."""

import threading


class FakeClock:
    """Seconds of the thread that asks: called, it tells them; `sleep` lets them pass at once."""

    def __init__(self) -> None:
        self._own = threading.local()

    def __call__(self) -> float:
        return getattr(self._own, "now_s", 0.0)

    def sleep(self, seconds: float) -> None:
        self._own.now_s = self() + seconds
