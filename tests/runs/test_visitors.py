"""Where a request comes from."""

from typing import Any

import pytest

from runs.visitors import address_of, place_of
from runs.watching import identified


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("", "nowhere"),
        ("unix:", "nowhere"),
    ],
)
def test_what_counts_as_one_place(address: str, place: str) -> None:
    assert place_of(address_of({"REMOTE_ADDR": address})) == place


@pytest.mark.parametrize(
    ("proxies", "address", "place"),
    [
        ((), "10.0.0.7", "10.0.0.7"),
        (("10.0.0.0/24",), "10.0.0.7", "192.0.2.9"),
        (("10.0.0.0/24",), "10.0.1.7", "10.0.1.7"),
    ],
)
def test_a_socket_comes_from_where_a_request_would(
    settings: Any, proxies: tuple[str, ...], address: str, place: str
) -> None:
    settings.DAYBOOK = settings.DAYBOOK | {"proxies": proxies}
    said = [(b"x-forwarded-for", b"198.51.100.1"), (b"host", b"testserver"), (b"x-forwarded-for", b"192.0.2.9")]
    assert identified.place_of({"client": (address, 5000), "headers": said}) == place


def test_a_socket_without_an_address_comes_from_nowhere() -> None:
    assert identified.place_of({"headers": []}) == "nowhere"
