"""A real browser: chromium, driven by Playwright, that may not leave the machine."""

import os
import shutil

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("BROWSER_PATH") or shutil.which("chromium")  # as figures are drawn with
WAIT_S = 300  # for what a page takes seconds for
FLAGS = [
    "--no-sandbox",  # tests may run as root
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")  # its event loop must not run on under other tests
def browser():
    assert CHROMIUM, "no chromium: apt-get install chromium, or name a Chrome in BROWSER_PATH"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page with what it asked for and what went wrong on it."""

    def __init__(self, page):
        self.page = page
        self.requests = []
        self.problems = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on(
            "console",
            lambda message: self.problems.append(message.text) if message.type == "error" else None,
        )

    def outside(self, *allowed):
        """Return the addresses asked for that begin with none of `allowed`."""
        return [url for url in self.requests if not url.startswith(("data:", "blob:", *allowed))]


@pytest.fixture
def open_page(browser):
    """Open an address in a page that is watched; `javascript` False reads without it."""
    contexts = []

    def _open(url, *, javascript=True):
        context = browser.new_context(
            java_script_enabled=javascript, viewport={"width": 1300, "height": 900}
        )
        context.set_default_timeout(WAIT_S * 1000)
        contexts.append(context)
        watched = Watched(context.new_page())
        watched.page.goto(url)
        return watched

    yield _open
    for context in contexts:
        context.close()
