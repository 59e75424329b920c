"""Who may do what: owners with their own runs, holders of a permission with all."""

import logging

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User

from runs.access import Forbidden, Verb, may, require, told_refused, visible_runs
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
SOURCE = "export default async function (input, ctx) { return input }"
ON_RUNS = [verb for verb in Verb if verb != Verb.START]


def user(name: str, *codenames: str) -> User:
    made = User.objects.create_user(name)
    made.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return made


@pytest.fixture
def ada() -> User:
    return user("ada")


@pytest.fixture
def run(ada: User) -> Run:
    return start(SOURCE, owner=ada).run


@pytest.mark.parametrize("verb", ON_RUNS)
def test_an_owner_may_do_everything_to_the_own_run_but_delete_it(ada: User, run: Run, verb: Verb) -> None:
    assert may(ada, verb, run) == (verb != Verb.DELETE)


@pytest.mark.parametrize("verb", ON_RUNS)
def test_others_may_only_what_their_permission_says(run: Run, verb: Verb) -> None:
    assert not may(user("bob"), verb, run)
    holder = user("cleo", f"{verb}_run")
    assert [each for each in ON_RUNS if may(holder, each, run)] == [verb]


def test_starting_takes_the_permission_even_from_an_owner(ada: User, run: Run) -> None:
    assert not may(ada, Verb.START)
    assert not may(ada, Verb.START, run)
    assert may(user("cleo", "start_run"), Verb.START)


def test_a_run_without_an_owner_is_not_that_of_who_is_not_signed_in() -> None:
    run = start(SOURCE).run
    assert not may(AnonymousUser(), Verb.VIEW, run)
    assert not visible_runs(AnonymousUser()).exists()


def test_who_is_no_longer_active_sees_and_does_nothing(ada: User, run: Run) -> None:
    ada.is_active = False
    assert not may(ada, Verb.VIEW, run)
    assert not visible_runs(ada).exists()


def test_own_runs_are_visible_and_all_for_who_may_view_runs(ada: User, run: Run) -> None:
    assert list(visible_runs(ada)) == [run]
    assert not visible_runs(user("bob")).exists()
    assert list(visible_runs(user("cleo", "view_run"))) == [run]


def test_a_refusal_says_what_it_takes_and_is_logged(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    bob = user("bob")
    with caplog.at_level(logging.WARNING, "runs.access"), pytest.raises(Forbidden, match=r"runs\.cancel_run"):
        require(bob, Verb.CANCEL, run)
    assert caplog.messages == [f"refused user={bob.pk} verb=cancel run={run.pk}"]


@pytest.mark.parametrize("sent", ["x\nrefused user=1 verb=cancel run=y", "B" * 100_000, "01kg8q3v5n7w9y2c4e6g8j0m1P"])
def test_the_log_does_not_repeat_what_is_no_id(sent: str, caplog: pytest.LogCaptureFixture) -> None:
    bob = user("bob")
    with caplog.at_level(logging.WARNING, "runs.access"):
        told_refused(bob, Verb.CANCEL, sent)
    assert caplog.messages == [f"refused user={bob.pk} verb=cancel run=?"]
