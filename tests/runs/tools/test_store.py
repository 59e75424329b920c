from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from helpers import House

from runs.tools import find

Call = Callable[..., Any]


@pytest.mark.parametrize("name", ["store.get", "store.put", "store.delete"])
def test_the_store_is_in_the_transaction_of_the_call(name: str) -> None:
    assert find(name).transactional


@pytest.mark.django_db
@pytest.mark.parametrize("value", [None, 0, False, "", [], {"b": 1, "a": [None]}, "a\0\ud800", 1.5, 2**53 - 1])
def test_what_is_put_is_got(gives: Call, value: Any) -> None:
    assert gives("store.put", {"key": "k", "value": value}) == {"created": True}
    assert repr(gives("store.get", {"key": "k", "default": "none"})) == repr(value)


@pytest.mark.django_db
def test_a_second_put_replaces_and_says_so(gives: Call) -> None:
    gives("store.put", {"key": "k", "value": 1})
    assert gives("store.put", {"key": "k", "value": 2}) == {"created": False}
    assert gives("store.get", {"key": "k"}) == 2


@pytest.mark.django_db
def test_a_put_moves_the_time_of_the_item(gives: Call) -> None:
    from runs.models.store import StoreItem

    gives("store.put", {"key": "k", "value": 1})
    first = StoreItem.objects.get().updated_at
    gives("store.put", {"key": "k", "value": 1})
    assert StoreItem.objects.get().updated_at > first


@pytest.mark.django_db
def test_put_if_absent_leaves_what_is_there(gives: Call) -> None:
    assert gives("store.put", {"key": "k", "value": 1, "if_absent": True}) == {"created": True}
    assert gives("store.put", {"key": "k", "value": 2, "if_absent": True}) == {"created": False}
    assert gives("store.get", {"key": "k"}) == 1


@pytest.mark.django_db
def test_an_absent_key_is_the_default_else_null(gives: Call) -> None:
    assert gives("store.get", {"key": "k"}) is None
    assert gives("store.get", {"key": "k", "default": [1]}) == [1]


@pytest.mark.django_db
def test_delete_tells_whether_there_was_something(gives: Call) -> None:
    gives("store.put", {"key": "k", "value": 1})
    assert gives("store.delete", {"key": "k"}) == {"deleted": True}
    assert gives("store.delete", {"key": "k"}) == {"deleted": False}
    assert gives("store.get", {"key": "k"}) is None


@pytest.mark.django_db
def test_keys_differ_by_case_and_spaces(gives: Call) -> None:
    keys = ["k", "K", " k", "k ", "ä", "\U0001f600", "a/b?c#d", "x" * 200]
    for key in keys:
        assert gives("store.put", {"key": key, "value": key}) == {"created": True}
    assert [gives("store.get", {"key": key}) for key in keys] == keys


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "a\0b", "\ud800", 5, None])
def test_a_key_that_no_database_could_keep_is_refused_by_name(fails: Call, key: Any) -> None:
    for name, more in (("store.get", {}), ("store.put", {"value": 1}), ("store.delete", {})):
        error = fails(name, {"key": key, **more})
        assert error["code"] == "invalid-input"
        assert error["detail"][0]["field"] == "key"


@pytest.mark.django_db
def test_a_put_goes_back_with_its_transaction(gives: Call) -> None:
    with transaction.atomic():
        gives("store.put", {"key": "k", "value": 1})
        transaction.set_rollback(True)
    assert gives("store.get", {"key": "k"}) is None


# Every thread puts to the same few keys, deletes some in between, and must never fail or leave a key that nobody put.
STORM = """
import threading
from django.db import connection, transaction
from runs.models.store import StoreItem
from runs.tools import ToolContext, execute, find

with connection.schema_editor() as editor:
    if StoreItem._meta.db_table not in connection.introspection.table_names():
        editor.create_model(StoreItem)
failures, created, deleted = [], [], []
start = threading.Barrier(8)

def one(number):
    start.wait()
    for turn in range(40):
        for name, given in (
            ("store.put", {"key": f"k{turn % 3}", "value": [number, turn]}),
            ("store.put", {"key": f"once{turn}", "value": number, "if_absent": True}),
            ("store.delete", {"key": f"k{turn % 3}"}),
        ):
            with transaction.atomic():
                outcome = execute(find(name), given, ToolContext("r", turn))
            if not outcome.ok:
                failures.append(outcome.value)
            elif outcome.value == {"created": True}:
                created.append(given["key"])
            elif outcome.value == {"deleted": True}:
                deleted.append(given["key"])
    connection.close()

threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
keys = sorted(StoreItem.objects.values_list("key", flat=True))
answer([failures, sorted(created), sorted(deleted), keys])
"""


def assert_puts_do_not_collide(house: House) -> None:
    failures, created, deleted, keys = house.shell(STORM)
    assert failures == []
    once = sorted(f"once{turn}" for turn in range(40))
    assert [key for key in created if key.startswith("once")] == once, "just one of eight creates each"
    for key in ("k0", "k1", "k2"):
        assert created.count(key) - deleted.count(key) == keys.count(key), "each creation and deletion is told once"


def test_puts_do_not_collide_on_sqlite(tmp_path: Path) -> None:
    assert_puts_do_not_collide(House(tmp_path))


@pytest.mark.postgres
def test_puts_do_not_collide_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    assert_puts_do_not_collide(House(tmp_path, DATABASE_URL=postgres_url))
