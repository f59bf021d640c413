"""The browser that tests look through: one for each process, started when it is needed."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.pages import PROBE, Error, expect

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

__all__ = ["WINDOW", "Looks"]

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE_MS = 20_000
SIZE = (1280, 720)


class Window:
    """A browser, and two tabs of it that tests use one after the other: one for files, one for pages that are served.

    A new tab, or one that goes from files to a server, is a new process of the browser and takes most of a second.
    """

    def __init__(self) -> None:
        self._playwright: Any = None
        self._browser: Any = None
        self._shared: dict[bool, Page] = {}

    def start(self) -> Any:
        if self._browser is None:
            program = next((found for name in NAMES if (found := shutil.which(name))), None)
            if program is None:
                missing(f"there is no browser: none of {', '.join(NAMES)} is on the PATH")
            if expect is None:
                missing("playwright is not there: pip install playwright")
            from playwright.sync_api import sync_playwright

            expect.set_options(timeout=PATIENCE_MS)
            self._playwright = sync_playwright().start()
            self._browser = self._playwright.chromium.launch(executable_path=program, args=FLAGS)
        return self._browser

    def context(self, **options: Any) -> BrowserContext:
        context = self.start().new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(PROBE)
        return context

    def shared(self, *, served: bool) -> Page:
        if served not in self._shared:
            self._shared[served] = self.context().new_page()
        return self._shared[served]

    def stop(self) -> None:
        if self._browser is not None:
            self._browser.close()
            self._playwright.stop()
        self._playwright = self._browser = None
        self._shared = {}


WINDOW = Window()


def missing(reason: str) -> None:
    """Skip where there is no browser; fail where CI could have installed one."""
    if os.environ.get("CI") == "true" and os.geteuid() == 0 and shutil.which("apt-get"):
        pytest.fail(reason)
    pytest.skip(reason)


class Looks:
    """What a test looks at. Whatever pages complain of, ask for or ask about is put down as a fault."""

    def __init__(self, faults: list[str]) -> None:
        self._faults = faults
        self._contexts: list[BrowserContext] = []
        self._heard: list[tuple[Page, str, Any]] = []
        self._changed: list[Page] = []

    def __call__(
        self,
        place: Path | str,
        *,
        scheme: str = "light",
        size: tuple[int, int] = SIZE,
        own: bool = False,
        **options: Any,
    ) -> Page:
        """Open a page, from disk or by its address, and wait until all of it is there.

        With `own`, or with options of a browser context, it is in one of its own, which takes longer.
        """
        home = place.as_uri() if isinstance(place, Path) else place
        if own or options:
            self._contexts.append(WINDOW.context(**options))
            page = self._contexts[-1].new_page()
        else:
            page = WINDOW.shared(served=home.startswith("http"))
        self.listen(page, home)
        if (scheme, size) != ("light", SIZE):
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": size[0], "height": size[1]})
            self.will_change(page)
        page.goto(home, wait_until="commit")
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready=true]", state="attached")
        return page

    def will_change(self, page: Page) -> None:
        """Remember that a page is shown otherwise than others want it."""
        self._changed.append(page)

    def listen(self, page: Page, home: str) -> None:
        def complained(message: Any) -> None:
            if message.type in ("error", "warning"):
                self._faults.append(f"{message.type}: {message.text}")

        def asked(request: Any) -> None:
            if not belongs(request.url, home):
                self._faults.append(f"request: {request.url[:200]}")

        def talked(dialog: Any) -> None:
            self._faults.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        def failed(error: Any) -> None:
            self._faults.append(f"pageerror: {error}")

        heard = {"console": complained, "request": asked, "dialog": talked, "pageerror": failed}
        for event, action in heard.items():
            page.on(event, action)
            self._heard.append((page, event, action))

    def end(self) -> None:
        """Hear what there is still to hear, and leave everything as it was."""
        for page in dict.fromkeys(page for page, _, _ in self._heard):
            with suppress(Error):
                page.evaluate("0")
        for page, event, action in self._heard:
            page.remove_listener(event, action)
        for context in self._contexts:
            context.close()
        for page in self._changed:
            if not page.is_closed():
                page.emulate_media(color_scheme="light", media="screen")
                page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})


def belongs(url: str, home: str) -> bool:
    """Tell whether an address is that of a page, on the server it came from, or made by the page itself."""
    if home.startswith("http") and url.startswith(home.partition("?")[0]):
        return True
    return url.partition("#")[0] == home or url.startswith("blob:") or url == "about:blank"
