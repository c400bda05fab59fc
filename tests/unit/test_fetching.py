"""What is fetched, from where, and what a hostile server cannot bring about."""

import datetime
import gzip
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_django import Settings

from costcodle.photos import addresses
from costcodle.photos.fetching import UnfetchableError, fetch
from tests.hostile import Hostile, answer, hostile_server

MOST = 100_000


@pytest.fixture
def server() -> Iterator[Hostile]:
    with hostile_server() as server:
        yield server


@pytest.fixture
def lifted(settings: Settings) -> None:
    """The ban on private addresses is off, as only a test may have it."""
    settings.FETCH_PRIVATE_ADDRESSES = True


def refusal(address: str, *, seconds: float = 20) -> str:
    with pytest.raises(UnfetchableError) as refused:
        fetch(address, most_bytes=MOST, seconds=seconds)
    return str(refused.value)


# Which addresses are asked at all


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("", "no scheme is neither http nor https"),
        ("//photos.example/a.jpg", "no scheme is neither"),
        ("photos/a.jpg", "no scheme is neither"),
        ("demo:honey", "demo is neither http nor https"),
        ("file:///etc/passwd", "file is neither http nor https"),
        ("ftp://photos.example/a.jpg", "ftp is neither http nor https"),
        ("gopher://photos.example/a.jpg", "gopher is neither http nor https"),
        ("data:image/png;base64,AAAA", "data is neither http nor https"),
        ("http://", "its address names no host"),
        ("http:///a.jpg", "its address names no host"),
        ("http://user@photos.example/", "a user name or a password"),
        ("http://photos.example:80@10.0.0.1/", "a user name or a password"),
        ("http://photos.example\\@10.0.0.1/", "a backslash"),
        ("http://photos.example/a\r\nX-Evil: 1", "a control character"),
        ("http://photos.example/a b", "a space"),
        ("http://photos.example:22/", "port 22 is not one of the web"),
        ("http://photos.example:0/", "port 0 is not one of the web"),
        ("http://photos.example:99999/", "its address cannot be read"),
        ("http://[::1/", "its address cannot be read"),
        ("http://[fe80::1%25eth0]/", "its address"),
        ("http://photos.example%2f@x/", "a user name or a password"),
        ("http://photos..example/", "its address cannot be read"),
        ("http://" + "a" * 64 + ".example/", "its address cannot be read"),
        ("http://pho'tos.example/", "its address names no host"),
    ],
)
def test_an_address_that_is_none_of_the_web_is_refused_unasked(
    address: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(socket, "getaddrinfo")
    assert reason in refusal(address)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "0",
        "0.0.0.0",  # noqa: S104 - to be refused
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::10.0.0.1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]",
        "[ff02::1]",
    ],
)
def test_no_spelling_of_an_inner_address_is_asked(host: str, server: Hostile) -> None:
    told = refusal(f"http://{host}/")
    if "leads nowhere" not in told:  # as some spellings do, depending on the resolver
        assert "is not on the public internet" in told
    assert server.requests == []


@pytest.mark.parametrize(
    ("ip", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::8.8.8.8", True),
        ("2002:808:808::1", True),
        ("192.0.0.8", False),
        ("192.0.2.1", False),
        ("192.88.99.1", False),
        ("198.18.0.1", False),
        ("198.51.100.1", False),
        ("203.0.113.1", False),
        ("240.0.0.1", False),
        ("239.255.255.250", False),
        ("::8.8.8.8", False),
        ("64:ff9b::169.254.169.254", False),
        ("64:ff9b:1::8.8.8.8", False),
        ("2002:a9fe:a9fe::1", False),
        ("2001::1", False),
        ("2001:db8::1", False),
        ("3fff::1", False),
        ("4000::1", False),
        ("fec0::1", False),
        ("100::1", False),
    ],
)
def test_only_one_hosts_address_on_the_internet_is_public(ip: str, public: bool) -> None:  # noqa: FBT001 - a table
    assert addresses.is_public(ipaddress.ip_address(ip)) is public


def test_one_inner_place_among_public_ones_is_enough_for_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resolve_to(monkeypatch, ["8.8.8.8", "10.0.0.1"])
    assert "photos.example leads to 10.0.0.1, which" in refusal("http://photos.example/")


def test_a_name_in_another_script_is_asked_for_as_the_web_knows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = resolve_to(monkeypatch, ["10.0.0.1"])
    assert "10.0.0.1" in refusal("https://Bücher.example/a.jpg")
    assert asked == ["xn--bcher-kva.example"]


def test_a_name_that_is_not_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    assert refusal("http://nowhere.example/") == "the name nowhere.example leads nowhere"


def test_a_name_that_takes_too_long_to_look_up_is_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: is_over.wait(60) and [])
    told = refusal("http://slow.example/", seconds=0.2)
    is_over.set()
    assert told == "the name slow.example takes too long to look up"


def resolve_to(
    monkeypatch: pytest.MonkeyPatch, *answers: list[str], port: int | None = None
) -> list[str]:
    """Let names lead to these places, one list for each time that one is asked; the names asked."""
    asked: list[str] = []

    def resolved(host: str, asked_port: int, **_: object) -> list[tuple[Any, ...]]:
        given = answers[min(len(asked), len(answers) - 1)]
        asked.append(host)
        place = port or asked_port
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, place)) for ip in given]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    return asked


@pytest.mark.usefixtures("lifted")
def test_a_name_is_asked_once_and_the_connection_goes_to_that_answer(
    server: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.give("/a", b"photo")
    asked = resolve_to(monkeypatch, ["127.0.0.1"], ["127.0.0.2"])
    body = fetch(server.url("/a", host="rebinding.example"), most_bytes=MOST)
    assert (body, asked) == (b"photo", ["rebinding.example"])


@pytest.mark.usefixtures("lifted")
def test_the_next_place_is_tried_when_the_first_takes_no_connection(
    server: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.give("/a", b"photo")
    resolve_to(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    assert fetch(server.url("/a", host="two.example"), most_bytes=MOST) == b"photo"


# What is asked, and what comes back


@pytest.mark.usefixtures("lifted")
def test_a_request_says_little_and_asks_for_plain_bytes(
    server: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    server.give("/a%20b/%C3%BC?x=1&y=%5B", b"photo")
    assert fetch(server.url("/a%20b/ü?x=1&y=%5B#part"), most_bytes=MOST) == b"photo"
    head = server.requests[0].split("\r\n")
    assert head[0] == "GET /a%20b/%C3%BC?x=1&y=%5B HTTP/1.1"
    assert sorted(head[1:-2]) == [
        "Accept-Encoding: identity",
        "Accept: image/webp, image/png, image/jpeg",
        "Connection: close",
        f"Host: 127.0.0.1:{server.port}",
        "User-Agent: Costcodle (+http://127.0.0.1:8000)",
    ]


@pytest.mark.usefixtures("lifted")
def test_a_body_in_chunks_or_up_to_the_end_is_read_whole(server: Hostile) -> None:
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nphoto\r\n0\r\n\r\n"
    server.answers["/chunks"] = chunks
    server.answers["/end"] = b"HTTP/1.0 200 OK\r\n\r\nphoto"
    for path in ("/chunks", "/end"):
        assert fetch(server.url(path), most_bytes=MOST) == b"photo"


HEAD = b"HTTP/1.1 200 OK\r\n"
ANSWERS: dict[str, tuple[bytes | tuple[bytes, bytes], str]] = {
    "404": (answer(b"", status=404), "the answer is a 404, not a 200"),
    "500": (answer(b"", status=500), "the answer is a 500, not a 200"),
    "204": (answer(b"", status=204), "the answer is a 204, not a 200"),
    "206": (answer(b"part", status=206), "the answer is a 206, not a 200"),
    "gzip": (
        answer(gzip.compress(bytes(10_000)), headers={"Content-Encoding": "gzip"}),
        "the answer is compressed",
    ),
    "too large": (answer(bytes(MOST + 1)), "it is larger than"),
    "endless": ((HEAD + b"\r\n", bytes(65_536)), "it is larger than"),
    "endless chunks": (
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + bytes(65_536) + b"\r\n"),
        "it is larger than",
    ),
    "shorter than it says": (
        HEAD + b"Content-Length: 100\r\n\r\nphoto",
        "the transfer broke off: ",
    ),
    "no length that is one": (HEAD + b"Content-Length: 5, 6\r\n\r\nphoto", "broke off"),
    "chunks that are none": (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "broke off"),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n", "the transfer broke off: "),
    "nothing": (b"", "the transfer broke off: "),
    "a huge header": (HEAD + b"X: " + bytes(100_000) + b"\r\n\r\n", "broke off"),
    "many headers": (HEAD + b"X: y\r\n" * 500 + b"\r\n", "the transfer broke off: "),
    "headers without end": ((HEAD, b"X: " + b"y" * 1000 + b"\r\n"), "broke off"),
}


@pytest.mark.usefixtures("lifted")
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_is_no_file_is_refused_with_its_reason(name: str, server: Hostile) -> None:
    server.answers["/"], reason = ANSWERS[name]
    assert reason in refusal(server.url())


@pytest.mark.usefixtures("lifted")
@pytest.mark.parametrize(
    "slow",
    [
        (b"", b"H"),
        (HEAD, b"X"),
        (HEAD + b"\r\n", b"x"),
        (HEAD + b"Content-Length: 90000\r\n\r\n", b"x"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["status", "headers", "body", "long body", "chunks", "continue"],
)
def test_a_server_that_drips_for_ever_is_cut_off(
    slow: tuple[bytes, bytes], server: Hostile
) -> None:
    server.answers["/"] = slow
    assert refusal(server.url(), seconds=0.3) == "it takes longer than 0.3 seconds"


@pytest.mark.usefixtures("lifted")
def test_a_server_that_takes_the_connection_and_never_answers_is_cut_off() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for scheme in ("http", "https"):
            told = refusal(f"{scheme}://127.0.0.1:{port}/", seconds=0.3)
            assert told == "it takes longer than 0.3 seconds"


@pytest.mark.usefixtures("lifted")
def test_a_port_that_nobody_listens_at_is_a_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    assert "Connection refused" in refusal(f"http://127.0.0.1:{port}/")


# Where it leads on to


@pytest.mark.usefixtures("lifted")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(status: int, server: Hostile) -> None:
    server.give("/b", b"photo")
    assert fetch(server.redirect("/a", "b", status), most_bytes=MOST) == b"photo"


@pytest.mark.usefixtures("lifted")
@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "file is neither http nor https"),
        ("ftp://127.0.0.1/x", "ftp is neither http nor https"),
        ("javascript:alert(1)", "javascript is neither"),
        ("http://user:pass@127.0.0.1/", "a user name or a password"),
        ("http://[::1/", "broke off"),
        ("/loop", "it leads on more than 3 times"),
        ("", "it leads on more than 3 times"),
    ],
)
def test_a_redirect_to_anything_else_is_refused(
    location: str, reason: str, server: Hostile
) -> None:
    assert reason in refusal(server.redirect("/loop", location))
    assert len(server.requests) in (1, 4)


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "//10.0.0.1",
    ],
)
def test_a_public_server_cannot_lead_inside(
    location: str, server: Hostile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ban is on; the first address alone is taken for a public one."""
    server.redirect("/", location)
    is_public, verdicts = addresses.is_public, [True]
    monkeypatch.setattr(addresses, "MORE_PORTS", {server.port})
    monkeypatch.setattr(
        addresses, "is_public", lambda ip: verdicts.pop() if verdicts else is_public(ip)
    )
    told = refusal(server.url())
    assert "is not on the public internet" in told
    assert len(server.requests) == 1


# Behind TLS


@pytest.fixture
def certified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's context for photos.example, whose certificate alone is trusted here."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "photos.example")])
    day = datetime.timedelta(days=1)
    beginning = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(beginning)
        .not_valid_after(beginning + 36_500 * day)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("photos.example")]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "photos.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@pytest.mark.usefixtures("lifted")
def test_a_certificate_has_to_be_of_the_name_that_was_asked_for(
    certified: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str | None] = []
    certified.sni_callback = lambda _, name, __: names.append(name)
    resolve_to(monkeypatch, ["127.0.0.1"])
    with hostile_server(certified) as server:
        server.give("/", b"photo")
        assert fetch(server.url(scheme="https", host="photos.example"), most_bytes=MOST) == b"photo"
        assert f"Host: photos.example:{server.port}" in server.requests[0]
        other = refusal(server.url(scheme="https", host="other.example"))
        assert "CERTIFICATE_VERIFY_FAILED" in other
        assert names == ["photos.example", "other.example"]


@pytest.mark.usefixtures("lifted")
def test_a_redirect_from_https_to_http_is_refused(
    certified: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve_to(monkeypatch, ["127.0.0.1"])
    with hostile_server(certified) as server:
        server.redirect("/", "http://photos.example/")
        told = refusal(server.url(scheme="https", host="photos.example"))
        assert told == "it leads from https back to http"
        server.answers["/drip"] = (HEAD + b"\r\n", b"x")
        slow = server.url("/drip", scheme="https", host="photos.example")
        assert refusal(slow, seconds=0.5) == "it takes longer than 0.5 seconds"
