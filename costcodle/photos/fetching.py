"""Fetches a file from an address that somebody else wrote, without being led astray.

Each connection goes to a place that was checked, never to a name that could lead elsewhere by then;
redirects are followed by hand and checked alike. One limit of time holds for the whole of it: when
it is over the connection is cut, however slowly the other side goes on. Proxies of the environment
are not asked, and nothing is remembered between two requests.
"""

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPException
from typing import Final

from django.conf import settings
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from costcodle import clock
from costcodle.photos import addresses
from costcodle.photos.addresses import Address, Place, RefusedAddressError

SECONDS: Final = 20.0
MOST_REDIRECTS: Final = 3

_PIECE = 65_536
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class UnfetchableError(Exception):
    """What could not be fetched; its text is the reason, for people."""


class _Deadline:
    """The time that one fetch has, all in all."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._elapsed = clock.stopwatch()

    def left(self) -> float:
        """The seconds that are left. Raises `UnfetchableError` when none are."""
        left = self._seconds - self._elapsed()
        if left <= 0:
            raise UnfetchableError(f"it takes longer than {self._seconds:g} seconds")
        return left

    @contextlib.contextmanager
    def cutting(self, connected: socket.socket) -> Iterator[None]:
        """Cut this connection when the time is over, whoever reads from it by then."""
        left = self.left()
        twin = connected.dup()  # TLS takes the socket itself over
        timer = threading.Timer(left, _hang_up, [twin])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            twin.close()


def fetch(text: str, *, most_bytes: int, seconds: float = SECONDS) -> bytes:
    """The body of a 200 from this address, or from where it redirects to.

    Raises `UnfetchableError`.
    """
    deadline, lifted = _Deadline(seconds), settings.FETCH_PRIVATE_ADDRESSES
    try:
        address = addresses.taken_apart(text, any_port=lifted)
        for _ in range(1 + MOST_REDIRECTS):
            with _answer(address, deadline, private=lifted) as response:
                if response.status not in _REDIRECTS:
                    return _body(response, most_bytes, deadline)
                location = response.headers.get("Location", "")
            address = addresses.led_on(address, location, any_port=lifted)
    except RefusedAddressError as refusal:
        raise UnfetchableError(str(refusal)) from None
    except (HTTPException, HTTPError, OSError, ValueError) as error:
        deadline.left()  # a connection that was cut breaks in one way or another
        raise UnfetchableError(f"the transfer broke off: {_first_line(error)}") from error
    raise UnfetchableError(f"it leads on more than {MOST_REDIRECTS} times")


@contextlib.contextmanager
def _answer(address: Address, deadline: _Deadline, *, private: bool) -> Iterator[BaseHTTPResponse]:
    """The head of the answer to one GET, on a connection of its own."""
    found = addresses.places(address, seconds=deadline.left(), private=private)
    with contextlib.ExitStack() as opened:
        connected = _connected(found, deadline)
        opened.callback(_let_go, connected)
        opened.enter_context(deadline.cutting(connected))
        if address.scheme == "https":
            context = ssl.create_default_context()
            connected = context.wrap_socket(connected, server_hostname=address.host)
            opened.callback(_let_go, connected)
        yield opened.enter_context(contextlib.closing(_asked(connected, address)))


def _connected(found: list[Place], deadline: _Deadline) -> socket.socket:
    """A connection to the first of the places that takes one."""
    refusal: OSError = OSError("there is no place to connect to")
    for place in found:
        left = deadline.left()
        connected = socket.socket(place.family, socket.SOCK_STREAM)
        try:
            connected.settimeout(left)
            connected.connect(place.address)
        except OSError as error:
            connected.close()
            refusal = error
        else:
            return connected
    raise refusal


def _asked(connected: socket.socket, address: Address) -> BaseHTTPResponse:
    connection = HTTPConnection(address.host, address.port, timeout=connected.gettimeout())
    connection.auto_open = 0  # it has no business to open another
    connection.sock = connected
    headers = {
        "Host": address.authority,
        "User-Agent": f"Costcodle (+{settings.SITE_ORIGIN})",
        "Accept": "image/webp, image/png, image/jpeg",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    connection.request("GET", address.target, headers=headers, preload_content=False)
    return connection.getresponse()


def _body(response: BaseHTTPResponse, most_bytes: int, deadline: _Deadline) -> bytes:
    if response.status != HTTPStatus.OK:
        raise UnfetchableError(f"the answer is a {response.status}, not a 200")
    if response.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise UnfetchableError("the answer is compressed, which was not asked for")
    body = bytearray()
    for piece in response.stream(_PIECE, decode_content=False):
        body += piece
        if len(body) > most_bytes:
            raise UnfetchableError(f"it is larger than {most_bytes // 1_000_000} MB")
    deadline.left()  # without a length, a connection that was cut looks like the end
    return bytes(body)


def _let_go(connected: socket.socket) -> None:
    """Close a connection for good, even where an answer that broke off still holds it."""
    with contextlib.suppress(OSError):  # it is closed already, or TLS has taken it over
        socket.close(connected.detach())


def _hang_up(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the other side was quicker
        connected.shutdown(socket.SHUT_RDWR)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
