"""Moving about with the Tab key, as who has no mouse does."""

from playwright.sync_api import Locator, Page

MOST = 60
# How the focus is shown: an outline, or the caret of a text field inside a marked frame.
SHOWN = """element => {
  const seen = (each) => {
    const style = getComputedStyle(each);
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
  };
  for (let each = element; each && each !== document.body; each = each.parentElement) if (seen(each)) return true;
  return false;
}"""


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus; each place on the way has to show that it has it."""
    wanted = target.element_handle()
    for _ in range(MOST):
        page.keyboard.press("Tab")
        here = page.evaluate_handle("document.activeElement").as_element()
        assert here
        if here.evaluate("element => element === document.body"):
            continue
        assert here.evaluate(SHOWN), f"no visible focus: {here.evaluate('element => element.outerHTML.slice(0, 200)')}"
        if here.evaluate("(element, wanted) => element === wanted", wanted):
            return
    raise AssertionError(f"Tab does not reach {target}")
