"""Which addresses `http.request` refuses to connect to, and which hosts the setting `http_allow_hosts` exempts."""

import ipaddress
import re
from collections.abc import Iterable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_REFUSED_V4 = {
    "this network": ["0.0.0.0/8"],
    "private": ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
    "shared by carriers (CGNAT)": ["100.64.0.0/10"],
    "loopback": ["127.0.0.0/8"],
    "link-local, where clouds keep their metadata": ["169.254.0.0/16"],
    "a cloud's metadata service": ["168.63.129.16/32", "192.0.0.192/32"],
    "reserved": ["192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4"],
    "for documentation and tests": ["192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
    "multicast": ["224.0.0.0/4"],
}
_REFUSED_V6 = {
    "unspecified": ["::/128"],
    "loopback": ["::1/128"],
    "an IPv4 address in IPv6 dress": ["::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "2002::/16", "2001::/32"],
    "a NAT64 translation": ["64:ff9b::/96", "64:ff9b:1::/48"],
    "private": ["fc00::/7", "fec0::/10"],
    "link-local": ["fe80::/10"],
    "for documentation and tests": ["2001:db8::/32", "3fff::/20", "2001:2::/48"],
    "reserved": ["2001::/23", "5f00::/16", "100::/64"],
    "multicast": ["ff00::/8"],
}
_GLOBAL_V6 = ipaddress.ip_network("2000::/3")
_NETWORKS: list[tuple[str, ipaddress.IPv4Network | ipaddress.IPv6Network]] = [
    (kind, ipaddress.ip_network(text))
    for table in (_REFUSED_V4, _REFUSED_V6)
    for kind, texts in table.items()
    for text in texts
]

_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")


def why_refused(address: Address) -> str | None:
    """What kind of place the address is, if it is none that the public internet reaches; else None."""
    for kind, network in _NETWORKS:
        if address.version == network.version and address in network:
            return kind
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_V6:
        return "not a global address"
    # Python's own table is younger than ours some day; what either of them refuses is refused.
    return None if address.is_global else "not a global address"


def literal(host: str) -> Address | None:
    """The address that a URL's host is, None for a name; raises ValueError for a number in disguise.

    `2130706433`, `0x7f.1`, `0177.0.0.1` and `127.1` are 127.0.0.1 to a resolver, and to nobody who reads the URL.
    """
    if ":" in host:
        return ipaddress.ip_address(host)
    if _NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        return ipaddress.IPv4Address(host)
    return None


def is_allowed(host: str, port: int, patterns: Iterable[str]) -> bool:
    """Whether `http_allow_hosts` lists the host: `name`, `name:port`, `[::1]:port`, `*.name` for all below it."""
    host = host.lower().rstrip(".")
    bracketed = f"[{host}]" if ":" in host else host
    for pattern in patterns:
        wanted = pattern.lower().rstrip(".")
        if wanted in (host, bracketed, f"{bracketed}:{port}"):
            return True
        name, _, only_port = wanted.partition(":")
        if name.startswith("*.") and host.endswith(name[1:]) and only_port in ("", str(port)):
            return True
    return False
