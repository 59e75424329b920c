"""Effect search: every criterion finds its calls and no others, whatever the bytes, and a cut search goes on."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from plans import asked as asking
from plans import plan, scans

from journal import bodies, store
from journal.entries import Entry
from runs.errors import BadInput
from runs.finding import Asked
from runs.models import Run
from runs.searching import Effects, search
from runs.searching import search as searching
from runs.searching.matching import inside, same
from runs.seeding import plan as planned
from runs.seeding import seed
from runs.starting import start

pytestmark = pytest.mark.django_db
SOURCE = "export default async function (input, ctx) { return input }"


@pytest.fixture
def vera() -> User:
    return User.objects.create_superuser("vera")


def lived(title: str, *told: dict[str, Any], owner: User | None = None) -> Run:
    run = start(SOURCE, title=title, owner=owner).run
    store.append(run.journal_id, 0, [Entry.of(seq, 1000 + seq, body) for seq, body in enumerate(told, 1)])
    return run


def call(seq: int, tool: str, given: Any, narration: str | None = None) -> dict[str, Any]:
    return bodies.call(seq, tool, given, 3, narration)


def well(seq: int, output: Any) -> dict[str, Any]:
    return bodies.result(seq, "k", True, output)


def badly(seq: int, message: str) -> dict[str, Any]:
    error = {"code": "tool-error", "message": message, "retryable": False, "detail": None}
    return bodies.result(seq, "k", False, error)


@pytest.fixture
def scene() -> dict[str, Run]:
    return {
        "paid": lived(
            "paid",
            call(1, "bank.charge", {"order": {"number": "2024-7", "lines": [1, 250]}}, "Charging order 7"),
            well(1, {"receipt": "R-77", "paid": True}),
        ),
        "refused": lived(
            "refused",
            call(1, "bank.charge", {"order": {"number": "2024-8", "lines": []}}, "Charging order 8"),
            badly(1, "no cover on the account"),
            call(2, "mail.send", {"to": "ana", "text": "bank.charge status failed"}),
            well(2, None),
        ),
        "out": lived("out", call(1, "http.request", {"url": "https://bank.example/2024-7"}, "Asking")),
        "odd": lived("odd", call(1, "echo", {"v": "lone \ud800 surrogate", "n": -1.5}), well(1, "ünï 2024-7")),
        "child": lived("child", bodies.delegate(1, {"agent": "triage", "input": {"q": 250}}, None, 4, None)),
    }


@pytest.mark.parametrize(
    ("effects", "expected"),
    [
        ({"tool": "bank.charge"}, {"paid", "refused"}),
        ({"tool": "bank"}, set()),
        ({"tool": "triage"}, {"child"}),
        ({"narration": "order 8"}, {"refused"}),
        ({"narration": "Order 8"}, set()),
        ({"status": "failed"}, {"refused"}),
        ({"status": "failed", "tool": "mail.send"}, set()),
        ({"status": "succeeded", "tool": "bank.charge"}, {"paid"}),
        ({"status": "open"}, {"out", "child"}),
        ({"text": "2024-7"}, {"paid", "out", "odd"}),
        ({"text": "2024-7", "where": "arguments"}, {"paid", "out"}),
        ({"text": "2024-7", "where": "result"}, {"odd"}),
        ({"text": "no cover", "where": "result", "tool": "bank.charge"}, {"refused"}),
        ({"text": "receipt"}, {"paid"}),
        ({"text": "lone \ud800"}, {"odd"}),
        ({"text": "ünï"}, {"odd"}),
        ({"text": "inputs"}, set()),
        ({"text": "input"}, set()),
        ({"value": 250}, {"paid", "child"}),
        ({"value": 250.0, "tool": "bank.charge"}, {"paid"}),
        ({"value": True}, {"paid"}),
        ({"value": 1}, {"paid"}),
        ({"value": None, "where": "result"}, {"refused"}),
        ({"value": -1.5}, {"odd"}),
        ({"value": "2024-7"}, {"paid"}),
        ({"value": {"lines": [1, 250], "number": "2024-7"}}, {"paid"}),
        ({"value": []}, {"refused"}),
        ({"value": 250, "text": "R-77"}, {"paid"}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_what_is_looked_for_is_found(
    vera: User, scene: dict[str, Run], effects: dict[str, Any], expected: set[str]
) -> None:
    found = search(vera, Effects(**effects))
    assert {match.run.title for match in found.matches} == expected
    assert (found.partial, found.looked_at) == (False, 5)


def test_a_match_says_where_and_shows_what_is_around_it(vera: User, scene: dict[str, Run]) -> None:
    [match] = search(vera, Effects(text="cover")).matches
    assert (match.run.pk, match.call_seq, match.seq, match.tool) == (scene["refused"].pk, 1, 1, "bank.charge")
    assert (match.status, match.narration, match.superseded) == ("failed", "Charging order 8", None)
    assert (match.where, match.excerpt) == ("error.message", "no cover on the account")
    [match] = search(vera, Effects(value=250, tool="bank.charge")).matches
    assert (match.where, match.excerpt) == ("input.order.lines[1]", "250")


def test_what_an_attempt_has_left_behind_is_marked(vera: User, scene: dict[str, Run]) -> None:
    store.supersede(scene["paid"].pk, [1, 2], attempt=2)
    [match] = search(vera, Effects(text="R-77")).matches
    assert match.superseded == 2


def test_the_error_of_an_attempt_before_the_last_is_found_too(vera: User) -> None:
    error = {"code": "busy", "message": "all lines are busy", "retryable": True, "detail": None}
    lived("again", call(1, "phone", {}), bodies.backoff(1, "k", 2000, 1, error), bodies.fired(1, "k", 0, 1), well(1, 1))
    [match] = search(vera, Effects(text="lines are busy")).matches
    assert (match.status, match.where) == ("succeeded", "error.message")


def test_runs_of_others_are_not_looked_into(scene: dict[str, Run]) -> None:
    bob = User.objects.create_user("bob")
    lived("mine", call(1, "bank.charge", {}), owner=bob)
    assert [match.run.title for match in search(bob, Effects(tool="bank.charge")).matches] == ["mine"]


def test_the_filters_of_lists_narrow_it(vera: User, scene: dict[str, Run]) -> None:
    found = search(vera, Effects(tool="bank.charge"), Asked(text="refus"))
    assert [match.run.title for match in found.matches] == ["refused"]


@pytest.mark.parametrize("batch", [1, 2, 3, 500])
@pytest.mark.parametrize("size", [1, 2, 50])
def test_a_search_that_was_cut_goes_on_without_gap_or_double(
    vera: User, monkeypatch: pytest.MonkeyPatch, batch: int, size: int
) -> None:
    module = __import__("sys").modules["runs.searching.search"]
    monkeypatch.setattr(module, "_BATCH", batch)
    monkeypatch.setattr(module, "_JUDGED", 2)
    runs = [lived(f"{n}", call(1, "echo" if n % 3 else "other", {"v": n})) for n in range(7)]
    seen: list[str] = []
    before, rounds = "", 0
    while rounds == 0 or before:
        found = search(vera, Effects(tool="echo"), before=before, size=size, seconds=0 if rounds % 2 else 60)
        seen += [match.run.pk for match in found.matches]
        assert (found.searched_to is not None) == found.partial
        before, rounds = found.older, rounds + 1
        assert rounds < 20
    assert seen == sorted((run.pk for n, run in enumerate(runs) if n % 3), reverse=True)


def test_large_journals_are_taken_a_few_at_a_time(vera: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(__import__("sys").modules["runs.searching.search"], "_BATCH_BYTES", 10)
    for n in range(3):
        lived(f"{n}", call(1, "echo", {"v": n}))
    assert len(search(vera, Effects(tool="echo")).matches) == 3


def test_of_one_run_so_many_are_told(vera: User) -> None:
    run = lived("many", *(call(seq, "echo", {"v": seq}) for seq in range(1, 31)))
    found = search(vera, Effects(tool="echo"))
    assert (len(found.matches), found.more) == (20, {run.pk: 10})


@pytest.mark.parametrize("effects", [Effects(), Effects(status="lost"), Effects(text="x", where="above")])
def test_what_makes_no_sense_is_refused(vera: User, effects: Effects) -> None:
    with pytest.raises(BadInput):
        search(vera, effects)


def test_journals_are_found_by_their_runs_and_never_read_whole(vera: User) -> None:
    seed(planned(200), with_entries=True)
    with asking() as queries:
        found = search(vera, Effects(tool="http.request", status="failed", text="503"))
    assert found.matches
    assert searching is search
    for sql, params in queries:
        if "run_journal" in sql:
            assert not scans(plan(sql, params), "run_journal"), plan(sql, params)


def test_values_are_the_same_as_json_has_them() -> None:
    assert same(1, 1.0)
    assert not same(1, True)
    assert not same("1", 1)
    assert same({"a": [1, None]}, {"a": [1.0, None]})
    assert not same({"a": 1}, {"a": 1, "b": 2})
    assert [path for path, _ in inside("output", {"a": [1, {"b": 2}]})] == [
        "output",
        "output.a",
        "output.a[0]",
        "output.a[1]",
        "output.a[1].b",
    ]
