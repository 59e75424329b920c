"""Signing in and out."""

import re

import pytest
from playwright.sync_api import expect

from browser.axe import grave_faults
from browser.site import Site
from browser.windows import Look

pytestmark = pytest.mark.browser


def test_one_signs_in_and_comes_to_where_one_wanted_to_be(site: Site, look: Look) -> None:
    site.ask(site.add_user, "grace", "correct horse 1")
    page = look("/runs/?q=tea", user="")
    page.get_by_label("Username").fill("grace")
    page.get_by_label("Password").fill("correct horse 1")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/runs/\?q=tea$"))
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_wrong_password_is_told_beside_the_form(look: Look) -> None:
    page = look("/login/", user="")
    page.get_by_label("Username").fill("grace")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("password")
    assert not grave_faults(page)
