"""A real browser, for tests and for the pictures of the documentation: Chromium, driven through Selenium."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
READY = bool(BROWSER and DRIVER and find_spec("selenium"))
MISSING = "no browser to open the page with: install the Debian packages chromium and chromium-driver (and Selenium)"
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
)  # fmt: skip
WIDE, NARROW = (1280, 800), (375, 800)


@dataclass(frozen=True)
class Window:
    """A browser window that shows one page at a time."""

    driver: Any

    def show(self, path: Path, size: tuple[int, int] = WIDE, *, dark: bool = False, media: str = "screen") -> None:
        """Open a page, as wide and high, as dark and as printed as asked for."""
        width, height = size
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.tell("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.driver.get(path.resolve().as_uri())

    def tell(self, command: str, **values: Any) -> Any:
        """Send a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, values)

    def ask(self, script: str, *values: Any) -> Any:
        """Run a script beside the page, and return what it returns."""
        return self.driver.execute_script(script, *values)

    def unfold(self) -> int:
        """Open every fold, as a click on its summary does; return how many there are."""
        return int(self.ask(UNFOLD))

    def complaints(self) -> list[str]:
        """Return what the console said since the last time."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def picture(self, path: Path, place: str = "") -> None:
        """Save the page as it looks in the window, from its top or from an element on."""
        top = self.ask("return arguments[0] ? document.querySelector(arguments[0]).offsetTop - 12 : 0", place)
        width, height = self.ask("return [innerWidth, innerHeight]")
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        taken = self.tell("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(taken["data"]))


UNFOLD = """
let opened = 0;
for (let fold; (fold = document.querySelector("details:not([open]) > summary")) && opened < 9999; opened++)
    fold.click();
return opened;
"""


@contextmanager
def window() -> Iterator[Window]:
    """Start a browser with an empty profile, and end it."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    with TemporaryDirectory() as profile:
        options = ChromeOptions()
        options.binary_location = BROWSER or ""
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = Chrome(options=options, service=Service(DRIVER))
        try:
            yield Window(driver)
        finally:
            driver.quit()
