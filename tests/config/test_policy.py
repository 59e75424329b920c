"""The Content-Security-Policy: on every page, and nothing in the pages needs more than it allows."""

import re

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from permissions.people import PEOPLE, scene
from permissions.views import VIEWS

from config.policy import POLICY

PAGES = ["/runs/", "/login/", "/admin/", "/admin/auth/user/add/", "/password/", "/password/reset/", "/no-such-page/"]
PAGES += [f"/admin/{name}/" for name in ("platform", "schedules", "schedules/add", "effects", "tools", "health")]
PAGES += ["/admin/runs/script/", "/admin/runs/script/add/", "/admin/health/late/"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_the_policy_and_nothing_inline(path: str) -> None:
    client = Client()
    if path != "/login/":
        client.force_login(User.objects.create_superuser("root"))
    has_the_policy_and_nothing_inline(client.get(path), path)


@pytest.mark.django_db
def test_so_has_every_other_address_that_shows_a_page() -> None:
    there = scene(PEOPLE["superuser"])
    pages = 0
    for name, view in VIEWS.items():
        answer = there.client.get(view.path.format(**there.names))
        if not answer["Content-Type"].startswith("text/html") or answer.status_code != 200:
            continue
        pages += 1
        has_the_policy_and_nothing_inline(answer, name)
    assert pages > 50


def has_the_policy_and_nothing_inline(answer: HttpResponseBase, name: str) -> None:
    assert answer["Content-Security-Policy"] == POLICY, name
    html = answer.content.decode()  # type: ignore[attr-defined]
    assert not re.search(r"<script(?![^>]*\b(src=|type=\"(application/json|text/template)\"))", html), name
    assert "<style" not in html, name
    assert not re.search(r"<[^>]*\sstyle=", html), name
    assert not re.search(r"<[^>]*\son[a-z]+=", html), name


def test_the_policy_allows_neither_inline_code_nor_other_hosts() -> None:
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "default-src 'none'" in POLICY


@pytest.mark.parametrize("path", ["/login/", "/healthz", "/static/runs/js/run.js", "/no-such-page/"])
@pytest.mark.django_db
def test_every_answer_has_the_other_headers(path: str) -> None:
    headers = Client().head(path).headers
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
