"""`make screenshots`: pictures of every page, light, dark and on a phone, from real runs, into `.screenshots/`."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Page, sync_playwright

from browser.places import PLACES, place
from browser.standalone import ROOT, served

LOOKS: dict[str, dict[str, bool]] = {"light": {}, "dark": {"dark": True}, "phone": {"phone": True}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".screenshots")
    parser.add_argument("--only", default="", help="only pages whose name has this in it")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    with served() as site, sync_playwright() as playwright:
        from browser.scenes import all_of_them
        from browser.windows import Windows, launch

        windows = Windows(launch(playwright), site.url)
        windows.expect_status(404)  # of the page that says so
        ids = {name: run.pk for name, run in all_of_them(site).items()}
        wanted = [name for name in PLACES if options.only in name]
        for look, how in LOOKS.items():
            page = windows.open(site.cookie("ada"), **how)
            stranger = windows.open(**how)
            for name in wanted:
                shoot(stranger if name == "login" else page, place(name, ids), options.folder / f"{name}-{look}.png")
        print(f"{len(wanted) * len(LOOKS)} pictures in {options.folder}")
        windows.close()
        if windows.faults:
            sys.exit("\n".join(windows.faults))


def shoot(page: Page, address: str, file: Path) -> None:
    page.goto(address)
    page.wait_for_load_state("load")
    page.evaluate("document.fonts.ready")
    page.screenshot(path=file, full_page=True)


if __name__ == "__main__":
    main()
