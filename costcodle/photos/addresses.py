"""Addresses that a bank, or a server's redirect, wants us to fetch: which may be asked, and where.

An address is taken apart once, and what was taken apart is what gets connected to; a name is
resolved once, and every place that it leads to has to be on the public internet.
"""

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

PORTS: Final = {"http": 80, "https": 443}
MORE_PORTS: Final = {8080, 8443}

Ip = IPv4Address | IPv6Address

_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_LITERAL = "!$%&'()*+,-./:;=?@_~[]"  # what stays as it is written in a path and its query
_UNICAST = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")
_NOT_FOR_HOSTS = [ip_network(each) for each in ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")]


class RefusedAddressError(Exception):
    """An address that is not fetched from; its text is the reason, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An http or https address, taken apart; `target` is its path and query."""

    scheme: str
    host: str
    port: int
    target: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def authority(self) -> str:
        """The host, with its port where that is not the scheme's own: the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a connection is made to: what the name was resolved to, once."""

    family: socket.AddressFamily
    address: tuple[Any, ...]


def taken_apart(text: str, *, any_port: bool) -> Address:
    """An address from its text. Raises `RefusedAddressError`."""
    if _UNSAFE.search(text):
        raise RefusedAddressError("its address holds a space, a backslash or a control character")
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname or ""
        host = host if ":" in host else host.encode("idna").decode("ascii").lower()
    except ValueError:
        raise RefusedAddressError("its address cannot be read") from None
    if parts.scheme not in PORTS:
        raise RefusedAddressError(f"{parts.scheme or 'no scheme'} is neither http nor https")
    if "@" in parts.netloc:
        raise RefusedAddressError("its address holds a user name or a password")
    if not (_HOST.fullmatch(host) or _is_plain_ipv6(host)):
        raise RefusedAddressError("its address names no host")
    port = PORTS[parts.scheme] if port is None else port
    if not any_port and port not in {*PORTS.values(), *MORE_PORTS}:
        raise RefusedAddressError(f"port {port} is not one of the web")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(scheme=parts.scheme, host=host, port=port, target=quote(target, safe=_LITERAL))


def led_on(address: Address, location: str, *, any_port: bool) -> Address:
    """Where a redirect leads to. Raises `RefusedAddressError`, also when it leaves https."""
    further = taken_apart(urljoin(str(address), location), any_port=any_port)
    if (address.scheme, further.scheme) == ("https", "http"):
        raise RefusedAddressError("it leads from https back to http")
    return further


def places(address: Address, *, seconds: float, private: bool) -> list[Place]:
    """What the host's name leads to, asked once and for `seconds` at most.

    Raises `RefusedAddressError` when there is nothing, or when one of the places is not on the
    public internet, unless `private` ones are allowed.
    """
    with_limit = ThreadPoolExecutor(max_workers=1)  # a resolver takes no limit of ours
    asked = with_limit.submit(
        socket.getaddrinfo, address.host, address.port, type=socket.SOCK_STREAM
    )
    with_limit.shutdown(wait=False)
    try:
        found = asked.result(timeout=seconds)
    except TimeoutError:
        raise RefusedAddressError(f"the name {address.host} takes too long to look up") from None
    except (OSError, UnicodeError):
        raise RefusedAddressError(f"the name {address.host} leads nowhere") from None
    for _, _, _, _, place in found:
        if not (private or is_public(ip_address(place[0]))):
            raise RefusedAddressError(
                f"{address.host} leads to {place[0]}, which is not on the public internet"
            )
    return [Place(family=family, address=place) for family, _, _, _, place in found]


def is_public(ip: Ip) -> bool:
    """Whether it is an address of one host on the public internet, not of a network inside it."""
    if any(ip in network for network in _NOT_FOR_HOSTS):
        return False
    if isinstance(ip, IPv4Address):
        return ip.is_global and not ip.is_multicast and not ip.is_reserved
    inner = ip.ipv4_mapped or ip.sixtofour
    if ip in _NAT64:
        inner = IPv4Address(int(ip) & 0xFFFFFFFF)
    return is_public(inner) if inner else ip in _UNICAST and ip.is_global


def _is_plain_ipv6(host: str) -> bool:
    try:
        return IPv6Address(host).scope_id is None
    except ValueError:
        return False
