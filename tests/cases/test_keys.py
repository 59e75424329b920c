"""C42 and idempotency keys: the same key again is the same run, whoever asks and how many at once."""

import pytest
from cases.engines import BOTH
from cases.installation import Installation, script
from django.contrib.auth.models import User
from django.test import Client

from journal.models import Journal
from runs.errors import BadInput
from runs.models import Run
from runs.starting import start

pytestmark = BOTH
RUNNING = False


@pytest.mark.parametrize("key", ["", " ", "\t\n", "\0", "\ud800", "k" * 501])
def test_c42_a_key_that_names_nothing_is_refused_and_leaves_no_row(house: Installation, key: str) -> None:
    """C42: an idempotency key that is empty or blank is refused."""
    before = Run.objects.count(), Journal.objects.count()
    with pytest.raises(BadInput, match="idempotency key"):
        start(script("return 1"), key=key)
    assert (Run.objects.count(), Journal.objects.count()) == before


@pytest.mark.parametrize("key", ["k" * 300, "a/b?c#d", "\U0001f600", "ключ", "' OR 1=1 --", "%00"])
def test_c42_any_other_key_is_kept_and_its_run_has_a_working_link(house: Installation, key: str) -> None:
    """C42: a key of 300 characters, a/b?c#d, an emoji: the runs have working links."""
    first, again = start(script("return 1"), key=key), start(script("return 2"), key=key)
    assert (first.created, again.created) == (True, False)
    assert first.run.pk == again.run.pk
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get_or_create(username="reader", is_superuser=True)[0])
    assert client.get(f"/runs/{first.run.pk}/").status_code == 200


def test_one_key_from_eight_processes_at_once_starts_one_run(house: Installation) -> None:
    """The same idempotency key started from 8 processes at once: one run, the others get it."""
    before = Journal.objects.count()
    rounds = house.shell(
        "from cases.app.stampede import start_with_key\n"
        "answer([start_with_key(8, f'key {number}') for number in range(10)])"
    )
    for answers in rounds:
        assert len(answers) == 8, answers
        assert len({run_id for run_id, _ in answers}) == 1, answers
        assert [created for _, created in answers].count(True) == 1
    assert Journal.objects.count() == before + 10, "a journal without its run is left behind"
