import ipaddress

import pytest

from runs.tools.http.addresses import is_allowed, literal, why_refused


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255",
        "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255",
        "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b::7f00:1",
        "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1",
        "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "4000::1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_on_the_public_internet_is_refused(text: str) -> None:
    assert why_refused(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("127.0.0.1", "loopback"),
        ("169.254.169.254", "metadata"),
        ("168.63.129.16", "metadata"),
        ("64:ff9b::808:808", "NAT64"),
        ("64:ff9b:1::1", "NAT64"),
        ("::ffff:8.8.8.8", "IPv4"),
        ("2002:7f00:1::", "IPv4"),
        ("fd00::1", "private"),
    ],
)
def test_the_refusal_says_what_kind_of_address_it_is(text: str, kind: str) -> None:
    assert kind in str(why_refused(ipaddress.ip_address(text)))


@pytest.mark.parametrize(
    "text",
    ["1.1.1.1", "8.8.8.8", "9.255.255.255", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
     "192.167.255.255", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::8a"],
)  # fmt: skip
def test_a_public_address_is_not(text: str) -> None:
    assert why_refused(ipaddress.ip_address(text)) is None


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "127.0.0.01", "1.2.3.4.5", "256.1.1.1",
     "foo.1", "0x", "127.0.0.1.", "a.0x7f"],
)  # fmt: skip
def test_a_number_in_disguise_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        literal(host)


def test_an_address_is_told_from_a_name() -> None:
    assert literal("127.0.0.1") == ipaddress.ip_address("127.0.0.1")
    assert literal("::1") == ipaddress.ip_address("::1")
    for name in ("example.com", "localhost", "1.example.com", "0x7f.example", "127-0-0-1.example"):
        assert literal(name) is None


@pytest.mark.parametrize(
    ("pattern", "host", "port"),
    [
        ("api.example.com", "api.example.com", 443),
        ("API.example.com", "api.EXAMPLE.com.", 443),
        ("api.example.com:8443", "api.example.com", 8443),
        ("*.example.com", "a.b.example.com", 80),
        ("*.example.com:80", "a.example.com", 80),
        ("127.0.0.1:8000", "127.0.0.1", 8000),
        ("::1", "::1", 80),
        ("[::1]", "::1", 80),
        ("[::1]:80", "::1", 80),
    ],
)
def test_a_listed_host_is_allowed(pattern: str, host: str, port: int) -> None:
    assert is_allowed(host, port, ["other", pattern])


@pytest.mark.parametrize(
    ("pattern", "host", "port"),
    [
        ("api.example.com", "example.com", 443),
        ("example.com", "api.example.com", 443),
        ("example.com", "notexample.com", 443),
        ("api.example.com:8443", "api.example.com", 443),
        ("*.example.com", "example.com", 80),
        ("*.example.com", "badexample.com", 80),
        ("*.example.com:80", "a.example.com", 81),
        ("127.0.0.1:8000", "127.0.0.1", 8001),
        ("[::1]:80", "::1", 81),
        ("*", "example.com", 80),
        ("", "example.com", 80),
    ],
)
def test_any_other_host_is_not(pattern: str, host: str, port: int) -> None:
    assert not is_allowed(host, port, [pattern])
