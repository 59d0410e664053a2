"""One headless chromium that draws plotly figures, driven by kaleido."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TYPE_CHECKING, Any

from choreographer.errors import ChannelClosedError
from kaleido import Kaleido
from kaleido.errors import BrowserClosedError, BrowserFailedError, ChromeNotFoundError

if TYPE_CHECKING:
    from collections.abc import Coroutine

TIMEOUT_S = 300.0  # a second is usual; the machine may be busy
NOT_INSTALLED = ChromeNotFoundError
BROWSER_ERRORS = (BrowserClosedError, BrowserFailedError, ChannelClosedError, FutureTimeoutError)


class Browser:
    """A chromium, driven from an event loop in a thread of its own.

    Jupyter runs an event loop in the main thread already, and kaleido's own background server
    waits forever when the browser does not start; here that is an exception.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="drawing", daemon=True)
        self._thread.start()
        try:
            self._kaleido: Kaleido = self._run(self._open())
        except BaseException:
            self._stop_loop()
            raise

    @staticmethod
    async def _open() -> Kaleido:
        # Without mathjax=False the page would load MathJax from the internet.
        kaleido = Kaleido(mathjax=False)
        await kaleido.open()
        return kaleido

    def draw(self, spec: dict[str, Any], **options: Any) -> bytes:
        """Draw a figure, plotly's JSON object, with kaleido's options."""
        drawing: bytes = self._run(self._kaleido.calc_fig(spec, opts=options))
        return drawing

    def close(self) -> None:
        """End the browser and the thread."""
        try:
            self._run(self._kaleido.close())
        finally:
            self._stop_loop()

    def _stop_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT_S)
