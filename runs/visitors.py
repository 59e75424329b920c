"""Where a request comes from: its own address, or what a proxy that is trusted says of it."""

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

from runs.conf import conf

IP = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def address_of(meta: Mapping[str, Any]) -> IP | None:
    """Of a request's `META`; None where there is none, as behind a Unix socket.

    `X-Forwarded-For` counts as far as it was written by the proxies of the setting `proxies`: whoever sends a request
    can begin that list with anything. So it is read from its end, until an address that is none of them.
    """
    trusted = [ipaddress.ip_network(text) for text in conf().proxies]
    address = _address(str(meta.get("REMOTE_ADDR", "")))
    hops = str(meta.get("HTTP_X_FORWARDED_FOR", "")).split(",") if trusted else []
    for hop in reversed(hops):
        if address is not None and not _within(address, trusted):
            break
        address = _address(hop)
    return address


def place_of(address: IP | None) -> str:
    """What one visitor has: an address of IPv4, of IPv6 the half that a provider gives to one customer; "nowhere" where
    there is none."""
    if address is None:
        return "nowhere"
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def is_loopback(host: str) -> bool:
    """Whether that name or address, as in a URL, leads nowhere but to this machine."""
    name = host.removeprefix("[").removesuffix("]").rstrip(".").lower()
    address = _address(name)
    return address.is_loopback if address else name == "localhost" or name.endswith(".localhost")


def _address(text: str) -> IP | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _within(address: IP, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
