"""`make screenshots`: pictures of every page, light, dark and on a phone, from real runs, into `.screenshots/`.

`--readme` makes the small ones of the README instead.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import Page, sync_playwright

from browser.places import PLACES, place
from browser.standalone import ROOT, served

if TYPE_CHECKING:
    from browser.site import Site
    from browser.windows import Windows

LOOKS: dict[str, dict[str, bool]] = {"light": {}, "dark": {"dark": True}, "phone": {"phone": True}}
# File -> page, whether it is dark, what of it is shown, how many pixels of that from its top.
README = {
    "runs": ("list", False, ".panel.flush", 351),
    "waiting": ("waiting-activity", False, "body", 410),
    "timeline": ("succeeded-timeline", True, ".run-main", 440),
}
SMALL = {"width": 900, "height": 410}
BAD_LINE = """export default async function (input, ctx) {
  const begun = Date.now();
  return ctx.call('echo', { begun });
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".screenshots")
    parser.add_argument("--only", default="", help="only pages whose name has this in it")
    parser.add_argument("--readme", action="store_true", help="those of the README, into .docs/")
    options = parser.parse_args()
    # As in production: a short sleep does not park.
    with served(DAYBOOK_RESIDENT_SLEEP_MS="1000") as site, sync_playwright() as playwright:
        from browser.scenes import all_of_them
        from browser.windows import Windows, launch

        windows = Windows(launch(playwright), site.url)
        windows.expect_status(404)  # of the page that says so
        ids = {name: run.pk for name, run in all_of_them(site).items()}
        if options.readme:
            small_pictures(site, windows, ids)
        else:
            options.folder.mkdir(exist_ok=True)
            pictures(site, windows, ids, options.folder, options.only)
        windows.close()
        if windows.faults:
            sys.exit("\n".join(windows.faults))


def pictures(site: "Site", windows: "Windows", ids: dict[str, str], folder: Path, only: str) -> None:
    """Each page in each look."""
    for look, how in LOOKS.items():
        page = windows.open(site.cookie("ada"), **how)
        stranger = windows.open(**how)
        for name in PLACES:
            if only in name:
                shown = go(stranger if name == "login" else page, name, ids)
                shown.screenshot(path=folder / f"{name}-{look}.png", full_page=True)


def small_pictures(site: "Site", windows: "Windows", ids: dict[str, str]) -> None:
    for file, (name, dark, part, height) in README.items():
        page = windows.open(site.cookie("ada"), dark=dark)
        page.set_viewport_size(SMALL)
        go(page, name, ids)
        place = page.locator(part).bounding_box()
        assert place
        clip = {**place, "height": min(place["height"], height)}
        page.screenshot(path=ROOT / ".docs" / f"{file}.png", full_page=True, clip=clip)


def go(page: Page, name: str, ids: dict[str, str]) -> Page:
    """To the page, which then shows what there is to see of it."""
    from cases.installation import script

    from browser.editing import write
    from browser.scenes import MENDED

    page.goto(place(name, ids))
    page.wait_for_load_state("load")
    if name == "new":
        write(page, BAD_LINE)
        page.locator(".findings li").wait_for()
    if name == "fix":
        write(page, script(MENDED))
        page.get_by_role("button", name="Dry replay").click()
        page.locator("#dry").wait_for()
    page.evaluate("document.fonts.ready")
    return page


if __name__ == "__main__":
    main()
