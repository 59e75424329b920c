"""The script library: names, versions by content, and the runs that remember theirs."""

import pytest

from runs import library, queue
from runs.effects.children import prepare_child
from runs.errors import BadInput, BadSource
from runs.family import continued, make_children
from runs.models import Run, Script, ScriptVersion, Source

pytestmark = pytest.mark.django_db


def source(n: int) -> str:
    return f"export default async () => {n}"


def test_versions_count_from_one_and_the_same_content_is_the_same_version() -> None:
    saved = [str(library.save("report", source(n))) for n in (1, 2, 1, 3, 2)]
    assert saved == ["report@1", "report@2", "report@1", "report@3", "report@2"]
    assert str(library.save("other", source(1))) == "other@1"
    assert Source.objects.count() == 3


def test_a_name_is_its_newest_version_and_a_number_is_that_one() -> None:
    library.save("report", source(1))
    library.save("report", source(2))
    assert library.find("report").number == 2
    assert library.find("report@1").source.text == source(1)


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("report@3", "the newest version is report@1"),
        ("report@999999999", "the newest version"),
        ("nothing", "no script of that name"),
        ("report@0", "write name or name@3"),
        ("report@99999999999999999999", "write name or name@3"),
        ("report@1\n", "write name or name@3"),
        ("Report", "write name or name@3"),
        ("", "write name or name@3"),
    ],
)
def test_a_reference_to_nothing_says_what_there_is(reference: str, says: str) -> None:
    library.save("report", source(1))
    with pytest.raises(library.UnknownScript, match=says):
        library.find(reference)


@pytest.mark.parametrize("name", ["", "Report", "a b", "-a", "a@1", "a\n", "x" * 81, "ä"])
def test_a_name_that_cannot_be_referred_to_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="no name of a script"):
        library.save(name, source(1))
    assert not Script.objects.exists()


def test_a_script_that_cannot_run_is_not_saved() -> None:
    with pytest.raises(BadSource):
        library.save("report", "export default async () => Date.now()")
    assert not Script.objects.exists()


def test_a_description_is_kept_until_another_one_is_given() -> None:
    library.save("report", source(1), "The first")
    library.save("report", source(2))
    assert Script.objects.get().description == "The first"
    library.save("report", source(1), "Another")
    assert Script.objects.get().description == "Another"


def test_a_version_never_changes() -> None:
    saved = library.save("report", source(1))
    saved.number = 7
    with pytest.raises(TypeError, match="immutable"):
        saved.save()
    assert ScriptVersion.objects.get().number == 1


def test_a_started_run_remembers_its_version_also_when_there_is_a_newer_one() -> None:
    library.save("report", source(1))
    run = library.start_script("report", input=1).run
    library.save("report", source(2))
    run = Run.objects.get(pk=run.pk)
    assert str(run.script_version) == "report@1"
    assert (run.title, run.input) == ("report", 1)
    assert run.source is not None
    assert run.source.text == source(1)
    assert library.start_script("report@1", title="Other").run.title == "Other"


def test_a_child_of_a_named_script_and_a_successor_remember_the_version() -> None:
    library.save("report", source(1))
    library.save("report", source(2))
    parent = library.start_script("report").run
    child, error = prepare_child(1, {"workflow": "report@1", "input": None})
    assert error is None
    assert child is not None
    make_children(parent, [child])
    assert str(Run.objects.get(pk=child.run_id).script_version) == "report@1"
    queue.claim("w", only=parent.pk)
    assert continued(parent, Run.objects.filter(pk=parent.pk), None)
    assert str(Run.objects.get(continued_from=parent).script_version) == "report@2"
