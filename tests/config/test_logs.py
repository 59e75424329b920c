"""The log: what a client has sent badly is one line, a fault of ours has its traceback."""

import io
import logging
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIRequest
from django.test import Client
from django.test.client import MULTIPART_CONTENT


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the handler of the settings writes."""
    (handler,) = [each for each in logging.getLogger().handlers if each.get_name() == "console"]
    assert isinstance(handler, logging.StreamHandler)
    before = handler.setStream(written := io.StringIO())
    yield written
    handler.setStream(before)


@pytest.fixture
def client(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def test_a_form_that_is_too_large_is_one_line(client: Client, log: io.StringIO) -> None:
    assert client.post("/runs/lint/", {"source": "x" * 3_000_000}).status_code == 400
    (line,) = log.getvalue().splitlines()
    assert "ERROR django.security.RequestDataTooBig Request body exceeded" in line


def test_a_foreign_host_is_one_line(client: Client, log: io.StringIO) -> None:
    assert client.get("/runs/", headers={"host": "elsewhere.example"}).status_code == 400
    (line,) = log.getvalue().splitlines()
    assert "elsewhere.example" in line


def test_a_form_that_cannot_be_read_is_one_line(log: io.StringIO) -> None:
    sent = Client().generic("POST", "/login/", b"no parts", MULTIPART_CONTENT.partition(";")[0])
    assert sent.status_code == 400
    (line,) = log.getvalue().splitlines()
    assert "Bad request" in line


def test_a_fault_of_ours_has_its_traceback(client: Client, log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_request: WSGIRequest, _filters: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr("runs.pages.lists._again", broken)
    client.raise_request_exception = False
    assert client.get("/runs/?ids=").status_code == 500
    assert "Traceback" in log.getvalue()
    assert "KeyError: 'ours'" in log.getvalue()
