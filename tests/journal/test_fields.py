"""JSON values in a column, unchanged, on every database."""

from typing import Any

import pytest

from runs.models import StoreItem
from runs.starting import start

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "value",
    [
        None,
        False,
        0,
        -1.5,
        2**53 - 1,
        "",
        "a\x00b",
        "\ud800",
        "😀",
        [],
        {},
        {"a": [1, {"b": None}]},
        {"": 1, "2": 2, "1": 1},
    ],
    ids=repr,
)
def test_a_value_comes_back_as_it_went_in(value: Any) -> None:
    StoreItem.objects.create(key="k", value=value)
    assert StoreItem.objects.get().value == value


def test_an_absent_value_is_null_in_the_database() -> None:
    run = start("export default async () => null").run
    assert type(run).objects.filter(output__isnull=True).exists()
