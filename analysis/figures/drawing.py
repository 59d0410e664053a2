"""Static drawings of plotly figures, for places where no JavaScript runs.

kaleido draws with a headless chromium. Starting it costs about 1.5 s, a figure 0.13 s, so one
browser is kept per process: started by the first figure, closed when the process ends.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TYPE_CHECKING, Any

from choreographer.errors import ChannelClosedError
from kaleido import Kaleido
from kaleido.errors import BrowserClosedError, BrowserFailedError, ChromeNotFoundError

if TYPE_CHECKING:
    from collections.abc import Coroutine

TIMEOUT_S = 60.0
BROWSER_ERRORS = (BrowserClosedError, BrowserFailedError, ChannelClosedError, FutureTimeoutError)


class DrawingError(RuntimeError):
    """No static drawing could be made; the message says what to do about it."""


class _Browser:
    """One headless chromium, driven from an event loop in a thread of its own.

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
        drawing: bytes = self._run(self._kaleido.calc_fig(spec, opts=options))
        return drawing

    def close(self) -> None:
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


_browser: _Browser | None = None


def draw_svg(spec: dict[str, Any], width_px: int, height_px: int) -> str:
    """Draw a figure as SVG.

    Parameters
    ----------
    spec : dict
        The figure as plotly's JSON object, with `data` and `layout`.
    width_px, height_px : int
        Size of the drawing in CSS pixels (96 to the inch).

    Returns
    -------
    str
        The SVG document.

    Raises
    ------
    DrawingError
        No chromium is installed, it did not start, or it failed on this figure.
    """
    global _browser
    try:
        if _browser is None:
            _browser = _Browser()
            atexit.register(close)
        svg = _browser.draw(spec, format="svg", width=width_px, height=height_px)
    except ChromeNotFoundError as exc:
        raise DrawingError(
            "static figures are drawn by chromium, which is not installed: "
            "`apt-get install chromium`, or set BROWSER_PATH to a Chrome or Chromium"
        ) from exc
    except BROWSER_ERRORS as exc:
        close()
        raise DrawingError(
            f"chromium did not draw the figure ({type(exc).__name__}): check that "
            "`chromium --headless --no-sandbox --dump-dom about:blank` works here"
        ) from exc
    return svg.decode()


def close() -> None:
    """Close the browser, if one was started; the next figure starts another."""
    global _browser
    if _browser is not None:
        _browser.close()
        _browser = None
