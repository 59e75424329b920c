"""Keys that can be guessed, and debug pages where others could see them: refused, each with what to do."""

import http.client
from typing import Any

import pytest
from commanding import command
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from helpers import House, free_port

from config.exposure import debug_at_home, fault_of_key, good_key

DEFAULT_HOSTS = ["localhost", "127.0.0.1", "[::1]"]


@pytest.mark.parametrize(
    "key",
    [
        "secret",
        "changeme",
        "changeme-changeme-changeme-changeme-1234567890",
        "django-insecure-4f0c9e1b7a6d2835f1e0c9b8a7d6e5f4c3b2a190",
        "a" * 64,
        "abcabcabc" * 8,
        "0123456789abcdef0123456789abcde",
    ],
)
def test_a_key_that_can_be_guessed_is_refused(key: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"secret key .* Make one with: python -c"):
        good_key(key)


def test_a_random_key_is_good() -> None:
    assert good_key("9f8e7d6c5b4a39281706f5e4d3c2b1a0") == "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
    assert fault_of_key("q3J8vXz0nW5rT1yK7mB2cD9fG4hL6pS0aE3uI8oN5tR1wQ7x") == ""


def test_no_command_starts_with_a_placeholder_for_a_key(house: House) -> None:
    for name in ("check", "up", "qcluster", "runclock"):
        done = house.manage(name, check=False, SECRET_KEY="changeme")
        assert done.returncode != 0
        assert "The secret key is a placeholder" in done.stderr


def test_debugging_is_for_this_machine_alone() -> None:
    assert debug_at_home(True, DEFAULT_HOSTS) is True
    assert debug_at_home(True, ["127.0.0.9", ".localhost", "daybook.localhost", "[::ffff:127.0.0.1]"]) is True
    assert debug_at_home(False, ["daybook.example.com"]) is False
    for name in ("*", "daybook.example.com", ".example.com", "10.0.0.1", "localhost.example.com", "0.0.0.0"):
        with pytest.raises(ImproperlyConfigured, match="Set DAYBOOK_DEBUG=0"):
            debug_at_home(True, [*DEFAULT_HOSTS, name])


def test_no_command_starts_with_debug_pages_under_a_public_name(house: House) -> None:
    done = house.manage("check", check=False, DAYBOOK_DEBUG="1", DAYBOOK_ALLOWED_HOSTS="daybook.example.com")
    assert done.returncode != 0
    assert "DAYBOOK_DEBUG is on and DAYBOOK_ALLOWED_HOSTS names daybook.example.com" in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.5", "daybook.example.com"])
def test_up_does_not_serve_debug_pages_to_others(settings: Any, host: str) -> None:
    settings.DEBUG = True
    command("up", "--host", host).refused("Set DAYBOOK_DEBUG=0")


@pytest.mark.parametrize(
    ("server", "status"),
    [("127.0.0.1", 200), ("::1", 200), ("localhost", 200), ("10.0.0.5", 403), ("0.0.0.0", 403), ("", 403)],
)
def test_while_debugging_what_comes_in_elsewhere_is_refused_whatever_host_it_names(
    settings: Any, server: str, status: int
) -> None:
    settings.DEBUG, settings.ALLOWED_HOSTS = True, DEFAULT_HOSTS
    assert Client(SERVER_NAME=server).get("/healthz", headers={"host": "localhost"}).status_code == status


def test_a_web_process_that_listens_everywhere_shows_its_debug_pages_to_this_machine_alone(house: House) -> None:
    port = free_port()
    house.serve(port, "0.0.0.0", DAYBOOK_DEBUG="1")
    assert asked("127.0.0.1", port) == 404
    assert asked(own_address(), port) == 403


def asked(address: str, port: int) -> int:
    web = http.client.HTTPConnection(address, port, timeout=30)
    try:
        web.request("GET", "/no-such-page/", headers={"host": "localhost"})
        return web.getresponse().status
    finally:
        web.close()


def own_address() -> str:
    """One of this machine that is not its loopback address."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
            return str(probe.getsockname()[0])
        except OSError:
            pytest.skip("this machine has no address but its loopback one")
