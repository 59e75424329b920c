"""Browser windows that note what no page may do: errors in the console, broken policies, failed requests."""

from collections.abc import Callable
from typing import Any

import services
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request, expect

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}
PATIENCE_MS = 15_000
expect.set_options(timeout=PATIENCE_MS)
Look = Callable[..., Page]


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=services.browser_path(), args=list(FLAGS))


class Windows:
    """Opens windows on one site; `faults` lists what went wrong in any of them.

    What a test brings about on purpose (a web process that is gone) it names in `expected`, by words of the message.
    """

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self._contexts: list[BrowserContext] = []
        self._noted: list[str] = []
        self.expected: list[str] = []

    def open(self, session: str = "", *, dark: bool = False, phone: bool = False, **options: Any) -> Page:
        """A window of its own, signed in where a session is given; `options` as of Playwright's contexts."""
        context = self._browser.new_context(
            base_url=self._url,
            color_scheme="dark" if dark else "light",
            viewport=PHONE if phone else DESK,
            has_touch=phone,
            locale="en-GB",
            timezone_id="Europe/Berlin",
            **options,
        )
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        if session:
            context.add_cookies([{"name": "sessionid", "value": session, "url": self._url}])
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self._noted.append(f"uncaught: {error.error}"))
        context.on("requestfailed", self._on_failed_request)
        return context.new_page()

    def expect_status(self, status: int) -> None:
        """Of an answer that a page is to get; Chromium notes all but the good ones in its console."""
        self.expected.append(f"with a status of {status} ")

    @property
    def faults(self) -> list[str]:
        return [fault for fault in self._noted if not any(words in fault for words in self.expected)]

    def take_faults(self) -> list[str]:
        """Those since it was asked last."""
        faults, self._noted = self.faults, []
        return faults

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _on_console(self, message: ConsoleMessage) -> None:
        # Chromium reports a broken Content-Security-Policy as an error, too.
        if message.type in ("error", "warning"):
            self._noted.append(f"console {message.type}: {message.text} ({message.location.get('url')})")

    def _on_failed_request(self, request: Request) -> None:
        # A page that is left cancels what it still asks for.
        if request.failure != "net::ERR_ABORTED":
            self._noted.append(f"failed: {request.method} {request.url} {request.failure}")
