"""`make screenshots`: pictures of every page, light, dark and on a phone, from real runs, into `.screenshots/`."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Page, sync_playwright

from browser.standalone import ROOT, served

if TYPE_CHECKING:
    from browser.site import Site

LOOKS: dict[str, dict[str, bool]] = {"light": {}, "dark": {"dark": True}, "phone": {"phone": True}}
TABS = ("activity", "calls", "timeline", "source", "io")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".screenshots")
    parser.add_argument("--only", default="", help="only pages whose name has this in it")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    with served() as site, sync_playwright() as playwright:
        from browser.windows import Windows, launch

        windows = Windows(launch(playwright), site.url)
        wanted = {name: place for name, place in places(site).items() if options.only in name}
        for look, how in LOOKS.items():
            page = windows.open(site.cookie("ada"), **how)
            stranger = windows.open(**how)
            for name, place in wanted.items():
                shoot(stranger if name == "login" else page, place, options.folder / f"{name}-{look}.png")
        print(f"{len(wanted) * len(LOOKS)} pictures in {options.folder}")
        windows.close()
        if windows.faults:
            sys.exit("\n".join(windows.faults))


def places(site: "Site") -> dict[str, str]:
    """Name of a page -> its address."""
    from browser.scenes import all_of_them

    runs = all_of_them(site)
    of = {name: f"/runs/{run.pk}/" for name, run in runs.items()}
    tabs = {
        f"{name}-{tab}": f"{of[name]}?tab={tab}"
        for name in ("succeeded", "failed", "waiting", "family")
        for tab in TABS
    }
    return {
        "login": "/login/",
        "list": "/runs/",
        "list-nothing": "/runs/?q=no+such+run",
        "new": "/runs/new",
        **tabs,
        "sleeping": of["sleeping"],
        "running": of["running"],
        "canceled": of["canceled"],
        "cancel": f"{of['family']}cancel/",
        "retry": f"{of['failed']}retry/",
        "fork": f"{of['succeeded']}fork/",
        "fix": f"{of['failed']}fix/",
        "missing": "/runs/no-such-run/",
        "password": "/password/",
    }


def shoot(page: Page, place: str, file: Path) -> None:
    page.goto(place)
    page.wait_for_load_state("load")
    page.evaluate("document.fonts.ready")
    page.screenshot(path=file, full_page=True)


if __name__ == "__main__":
    main()
