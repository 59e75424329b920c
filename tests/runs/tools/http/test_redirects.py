from typing import Any

import httpx
import pytest

from runs.tools import ToolError
from runs.tools.http.exchange import Network, _without_secrets

PUBLIC = "93.184.215.14"
SECRETS = {"authorization": "Bearer x", "cookie": "a=1"}


@pytest.fixture
def go(ask: Any, names: Any, dialled: Any) -> Any:
    """A GET to names that all resolve to a public address, and all end at the test's site."""
    network = Network(names(shop_test=[[PUBLIC]], other_test=[[PUBLIC]], inside_test=[["10.0.0.1"]]), dialled)
    return lambda url, **other: ask(url, network, **other)


def test_redirects_are_followed_to_their_end(go: Any, site: Any) -> None:
    site.redirect("/a", "/b")
    site.redirect("/b", "http://other.test/")
    told = go("http://shop.test/a")
    assert (told["status"], told["url"], told["body"]) == (200, "http://other.test/", "hello")
    assert [asked["headers"]["host"] for asked in site.asked] == ["shop.test", "shop.test", "other.test"]


def test_a_redirect_is_a_result_where_it_is_not_to_be_followed(go: Any, site: Any) -> None:
    site.redirect("/a", "/b")
    told = go("http://shop.test/a", follow_redirects=False)
    assert (told["status"], told["headers"]["location"]) == (302, "/b")
    assert len(site.asked) == 1


def test_the_sixth_redirect_is_not_followed(go: Any, site: Any) -> None:
    for number in range(6):
        site.redirect(f"/{number}", f"/{number + 1}")
    site.answer("/6", b"end")
    assert go("http://shop.test/1")["body"] == "end"
    with pytest.raises(ToolError) as caught:
        go("http://shop.test/0")
    assert caught.value.code == "too-many-redirects"
    assert not caught.value.retryable


@pytest.mark.parametrize(
    "to",
    ["http://127.0.0.1/", "http://inside.test/", "http://[::1]/", "http://2130706433/", "http://169.254.169.254/latest/",
     "//inside.test/"],
)  # fmt: skip
def test_a_redirect_to_where_a_request_may_not_go_is_refused(go: Any, site: Any, dialled: Any, to: str) -> None:
    site.redirect("/a", to)
    with pytest.raises(ToolError) as caught:
        go("http://shop.test/a")
    assert caught.value.code == "address-refused"
    assert dialled.addresses == [PUBLIC]


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://shop.test/", "http://user:pw@shop.test/", "gopher://x/"])
def test_a_redirect_to_another_kind_of_url_is_refused(go: Any, site: Any, to: str) -> None:
    site.redirect("/a", to)
    with pytest.raises(ToolError) as caught:
        go("http://shop.test/a")
    assert caught.value.code == "redirect-refused"
    assert not caught.value.retryable


@pytest.mark.parametrize("to", ["http://other.test/", "http://shop.test:81/"])
def test_secrets_do_not_follow_to_another_origin(go: Any, site: Any, to: str) -> None:
    site.redirect("/a", to)
    go("http://shop.test/a", headers=SECRETS)
    first, second = (asked["headers"] for asked in site.asked)
    assert SECRETS.items() <= first.items()
    assert not SECRETS.keys() & second.keys()


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("http://shop.test/", "https://shop.test/", False),
        ("https://shop.test/", "http://shop.test/", False),
        ("https://shop.test/", "https://shop.test:8443/", False),
        ("https://shop.test/", "https://shop.test:443/x", True),
    ],
)
def test_an_origin_is_scheme_host_and_port(before: str, after: str, kept: bool) -> None:
    following = _without_secrets(httpx.Request("GET", before), httpx.Request("GET", after, headers=SECRETS))
    assert (SECRETS.items() <= following.headers.items()) is kept
    assert ("cookie" in following.headers) is kept


def test_authorization_stays_within_the_origin(go: Any, site: Any) -> None:
    site.redirect("/a", "/b")
    go("http://shop.test/a", headers=SECRETS)
    assert site.asked[1]["headers"]["authorization"] == "Bearer x"


@pytest.mark.parametrize(
    ("status", "method", "body"), [(303, "GET", b""), (307, "POST", b"text"), (308, "POST", b"text")]
)
def test_the_status_decides_whether_the_body_goes_along(
    go: Any, site: Any, status: int, method: str, body: bytes
) -> None:
    site.redirect("/a", "/b", status)
    go("http://shop.test/a", method="POST", content=b"text")
    assert (site.asked[1]["method"], site.asked[1]["body"]) == (method, body)


def test_a_location_that_is_no_url_fails(go: Any, site: Any) -> None:
    site.redirect("/a", "http://[::1/")
    with pytest.raises(ToolError) as caught:
        go("http://shop.test/a")
    assert caught.value.code in ("http-failed", "redirect-refused")
