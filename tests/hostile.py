"""A web server on loopback that does what a test tells it to: for each path an answer, as bytes."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class Hostile:
    """`answers` are raw bytes by path; a tuple goes on with its last part for ever.

    `*` answers for every path that is not named.
    """

    port: int
    answers: dict[str, bytes | tuple[bytes, bytes]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "/", *, scheme: str = "http", host: str = "127.0.0.1") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def redirect(self, path: str, location: str, status: int = 302) -> str:
        """Let a path lead on; its address."""
        self.answers[path] = answer(b"", status=status, headers={"Location": location})
        return self.url(path)

    def give(self, path: str, body: bytes, **headers: str) -> str:
        """Let a path answer with a body; its address."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = answer(body, headers=named)
        return self.url(path)

    def _serve(self, listener: socket.socket, context: ssl.SSLContext | None) -> None:
        while True:
            try:
                connected, _ = listener.accept()
            except OSError:
                return
            with connected, contextlib.suppress(OSError):
                if context:
                    with context.wrap_socket(connected, server_side=True) as secured:
                        self._answer(secured)
                else:
                    self._answer(connected)

    def _answer(self, connected: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            received = connected.recv(65_536)
            if not received:
                return
            request += received
        self.requests.append(request.decode())
        path = request.split(b" ", 2)[1].decode()
        given = self.answers.get(path, self.answers.get("*", answer(b"", status=404)))
        if isinstance(given, bytes):
            connected.sendall(given)
            return
        once, for_ever = given
        connected.sendall(once)
        pause = 0.01 if len(for_ever) < 100 else 0  # a drip, or a flood
        while not self.is_over.wait(pause):
            connected.sendall(for_ever)


def answer(body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """A whole answer, with the right length unless the headers say otherwise."""
    lines = {"Content-Length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Whatever\r\n{head}\r\n".encode() + body


@contextlib.contextmanager
def hostile_server(context: ssl.SSLContext | None = None) -> Iterator[Hostile]:
    """A server of its own; with a context it speaks TLS."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Hostile(port=listener.getsockname()[1])
        thread = threading.Thread(target=server._serve, args=(listener, context))
        thread.start()
        try:
            yield server
        finally:
            server.is_over.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
