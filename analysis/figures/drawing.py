"""Static drawings of plotly figures, for places where no JavaScript runs.

kaleido draws with a headless chromium. Starting it costs about 1.5 s, a figure 0.25 s, so one
browser is kept per process: started by the first figure, closed when the process ends.
"""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.figures.browser import Browser

_browser: Browser | None = None
_one_at_a_time = threading.Lock()


class DrawingError(RuntimeError):
    """No static drawing could be made; the message says what to do about it."""


def draw_svg(spec: dict[str, Any], width_px: int, height_px: int) -> str:
    """Draw a figure as SVG.

    Raises
    ------
    DrawingError
        No chromium is installed, it did not start, or it failed on this figure.
    """
    from analysis.figures import browser  # here: kernels whose figures others draw need none

    global _browser
    with _one_at_a_time:
        try:
            if _browser is None:
                _browser = browser.Browser()
                atexit.register(close)
            svg = _browser.draw(spec, format="svg", width=width_px, height=height_px)
        except browser.NOT_INSTALLED as exc:
            raise DrawingError(
                "static figures are drawn by chromium, which is not installed: "
                "`apt-get install chromium`, or set BROWSER_PATH to a Chrome or Chromium"
            ) from exc
        except browser.BROWSER_ERRORS as exc:
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
