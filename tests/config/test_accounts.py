"""Signing in and out, changing a password, and getting a new one by mail."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

pytestmark = pytest.mark.django_db
SECRET = "a long enough secret"


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", "ada@example.com", SECRET)


def test_signing_in_leads_to_where_one_wanted_to_go(ada: User) -> None:
    browser = Client()
    answer = browser.post("/login/?next=/runs/new", {"username": "ada", "password": SECRET, "next": "/runs/new"})
    assert answer["Location"] == "/runs/new"


def test_a_next_page_elsewhere_is_not_followed(ada: User) -> None:
    answer = Client().post("/login/", {"username": "ada", "password": SECRET, "next": "//evil.example.com/"})
    assert answer["Location"] == "/runs/"


def test_a_wrong_password_is_told_without_saying_which_part_is_wrong(ada: User) -> None:
    for name in ("ada", "nobody"):
        answer = Client().post("/login/", {"username": name, "password": "no"})
        html = answer.content.decode()
        assert 'role="alert"' in html
        assert "Please enter a correct username and password." in html
        assert f'value="{name}"' in html


def test_signing_out_takes_a_click_and_not_a_link(ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    assert browser.get("/logout/").status_code == 405
    assert browser.post("/logout/")["Location"] == "/login/"
    assert browser.get("/runs/").status_code == 302


def test_a_password_is_changed(ada: User) -> None:
    browser = Client()
    browser.force_login(ada)
    new = "another long secret"
    wrong = browser.post("/password/", {"old_password": "no", "new_password1": new, "new_password2": new})
    assert re.search(r'aria-describedby="[^"]*id_old_password_error"', wrong.content.decode())
    given = {"old_password": SECRET, "new_password1": new, "new_password2": new}
    answer = browser.post("/password/", given, follow=True)
    assert "Password changed" in answer.content.decode()
    assert User.objects.get().check_password(new)


def test_a_forgotten_password_is_replaced_by_way_of_mail_once(ada: User) -> None:
    browser = Client()
    answer = browser.post("/password/reset/", {"email": "ada@example.com"}, follow=True)
    assert "Look into your mail" in answer.content.decode()
    (sent,) = mail.outbox
    assert sent.subject == "A new password for Daybook"
    link = re.search(r"http://testserver(/password/reset/\S+)", sent.body)
    assert link
    page = browser.get(link.group(1), follow=True)
    assert "Choose a new password" in page.content.decode()
    new = "another long secret"
    done = browser.post(page.redirect_chain[-1][0], {"new_password1": new, "new_password2": new}, follow=True)
    assert "Password set" in done.content.decode()
    assert User.objects.get().check_password(new)
    assert "does not work any more" in Client().get(link.group(1), follow=True).content.decode()


def test_an_address_that_nobody_has_is_answered_the_same(ada: User) -> None:
    answer = Client().post("/password/reset/", {"email": "nobody@example.com"}, follow=True)
    assert "Look into your mail" in answer.content.decode()
    assert not mail.outbox
