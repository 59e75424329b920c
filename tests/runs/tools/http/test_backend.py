import datetime as dt
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runs.tools import ToolContext, ToolError
from runs.tools.http.exchange import Network

PUBLIC = "93.184.215.14"


def test_a_name_is_resolved_once_and_the_checked_address_connected_to(ask: Any, names: Any, dialled: Any) -> None:
    asked = names(shop_test=[[PUBLIC], ["127.0.0.1"]])
    assert ask("http://shop.test/", Network(asked, dialled))["body"] == "hello"
    assert asked.asked == ["shop.test"]
    assert dialled.addresses == [PUBLIC]


def test_a_name_that_turns_private_between_two_calls_is_refused_the_second_time(
    ask: Any, names: Any, dialled: Any
) -> None:
    network = Network(names(shop_test=[[PUBLIC], ["127.0.0.1"]]), dialled)
    ask("http://shop.test/", network)
    with pytest.raises(ToolError) as caught:
        ask("http://shop.test/", network)
    assert caught.value.code == "address-refused"
    assert dialled.addresses == [PUBLIC]


@pytest.mark.parametrize(
    "answer", [["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["::1"], ["fe80::1%eth0"], ["::ffff:169.254.169.254"]]
)
def test_one_address_that_is_not_public_refuses_the_name(ask: Any, names: Any, dialled: Any, answer: list[str]) -> None:
    with pytest.raises(ToolError) as caught:
        ask("http://shop.test/", Network(names(shop_test=[answer]), dialled))
    assert caught.value.code == "address-refused"
    assert answer[-1] in caught.value.message
    assert "list 'shop.test' in DAYBOOK_HTTP_ALLOW_HOSTS" in caught.value.message
    assert not caught.value.retryable
    assert dialled.addresses == []


def test_an_allowed_name_may_be_anywhere(ask: Any, names: Any, dialled: Any) -> None:
    network = Network(names(shop_test=[["10.0.0.1"]]), dialled)
    assert ask("http://shop.test/", network, allow=("shop.test:80",))["status"] == 200
    assert dialled.addresses == ["10.0.0.1"]
    with pytest.raises(ToolError, match="address-refused"):
        ask("http://shop.test:81/", network, allow=("shop.test:80",))


def test_an_address_that_does_not_answer_gives_way_to_the_next(ask: Any, names: Any, site: Any) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.2", site.server_port))  # bound and not listening: refused
        network = Network(names(shop_test=[["127.0.0.2", "127.0.0.1"]]))
        assert ask(f"http://shop.test:{site.server_port}/", network, allow=("shop.test",))["status"] == 200


def test_a_name_without_an_address_is_a_retryable_failure(ask: Any, names: Any, dialled: Any) -> None:
    with pytest.raises(ToolError) as caught:
        ask("http://shop.test/", Network(names(shop_test=[[]]), dialled))
    assert (caught.value.code, caught.value.retryable) == ("http-failed", True)


def test_a_resolver_that_hangs_ends_with_the_deadline(ask: Any) -> None:
    free = threading.Event()

    def hangs(host: str, port: int) -> list[str]:
        free.wait(10)
        return []

    try:
        with pytest.raises(ToolError) as caught:
            ask("http://shop.test/", Network(hangs), timeout_ms=100)
        assert (caught.value.code, caught.value.retryable) == ("timeout", True)
    finally:
        free.set()


@pytest.fixture
def dripping() -> Iterator[tuple[int, threading.Event]]:
    """A server that never finishes its first header line, a byte every few ms; and the event of its first byte."""
    done, begun = threading.Event(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                begun.set()
                try:
                    while not done.wait(0.01):
                        connection.sendall(b"x")
                except OSError:
                    pass  # the client has gone, as it should

        thread = threading.Thread(target=serve)
        thread.start()
        yield server.getsockname()[1], begun
        done.set()
        thread.join()


def test_a_server_that_drips_ends_with_the_deadline(ask: Any, dripping: tuple[int, threading.Event]) -> None:
    with pytest.raises(ToolError) as caught:
        ask(f"http://127.0.0.1:{dripping[0]}/", Network(), allow=("127.0.0.1",), timeout_ms=300)
    assert (caught.value.code, caught.value.retryable) == ("timeout", True)
    assert "300 ms" in caught.value.message


def test_a_cancel_ends_a_request_that_waits(ask: Any, dripping: tuple[int, threading.Event]) -> None:
    port, begun = dripping
    cancel = threading.Event()
    threading.Thread(target=lambda: (begun.wait(60), cancel.set())).start()
    with pytest.raises(ToolError) as caught:
        ask(
            f"http://127.0.0.1:{port}/",
            Network(),
            ToolContext("r1", 1, cancel=cancel),
            allow=("127.0.0.1",),
            timeout_ms=60_000,
        )
    assert caught.value.code == "canceled"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and self-signed certificate of shop.test, in one PEM file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "shop.test")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("shop.test")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "shop.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


def test_tls_checks_the_name_though_the_connection_is_made_by_address(
    ask: Any, names: Any, dialled: Any, site: Any, certificate: Path
) -> None:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate)
    asked_for: list[str | None] = []
    server.sni_callback = lambda sock, name, context: asked_for.append(name)
    site.socket = server.wrap_socket(site.socket, server_side=True)
    site.handle_error = lambda request, address: None  # a client that hangs up is what the second half is about
    network = Network(
        names(shop_test=[[PUBLIC]], other_test=[[PUBLIC]]), dialled, ssl.create_default_context(cafile=certificate)
    )

    assert ask("https://shop.test/", network)["body"] == "hello"
    assert asked_for == ["shop.test"]
    assert site.asked[0]["headers"]["host"] == "shop.test"
    with pytest.raises(ToolError) as caught:
        ask("https://other.test/", network)
    assert caught.value.code == "http-failed"
    assert "certificate" in caught.value.message.lower()
