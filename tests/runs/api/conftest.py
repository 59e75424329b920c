"""Users, and an action of the tests: `Note` writes a script of the library, in a transaction, as verbs do."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pydantic
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import Permission, User
from django.db import IntegrityError, transaction
from pydantic import ConfigDict

from runs.api import limits
from runs.api.actions import ACTIONS
from runs.api.actions.action import Action, Also
from runs.api.caller import Caller
from runs.api.roles import Role
from runs.errors import NotPossible
from runs.models import Script

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from rows import everything, registered  # noqa: E402


class Note(pydantic.BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    name: str
    again: bool = False
    value: Any = None


def note(caller: Caller, params: Note, also: Also) -> dict[str, Any]:
    """`again`: finds nothing to change where the name is there, instead of refusing."""
    with transaction.atomic():
        if Script.objects.filter(name=params.name).exists():
            if params.again:
                return {"name": params.name, "created": False}
            raise NotPossible(f"there is a script {params.name}")
        answer = {"name": params.name, "created": True, "by": caller.user.get_username()}
        try:
            Script.objects.create(name=params.name)
        except IntegrityError:
            raise NotPossible(f"there is a script {params.name} by now") from None
        also(answer)
    return answer


def look(caller: Caller, params: Note, also: Also) -> dict[str, Any]:
    return {"names": sorted(Script.objects.values_list("name", flat=True)), "echo": params.value}


@pytest.fixture(autouse=True)
def actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Note` takes an owner, `Look` a reader."""
    made = [
        Action("Note", Role.OWNER, True, Note, Note, "writes", note),
        Action("Look", Role.READER, False, Note, Note, "reads", look),
    ]
    for action in made:
        monkeypatch.setitem(ACTIONS, action.name, action)


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """`person("ada", "start")` holds the permission runs.start_run."""

    def make(name: str, *verbs: str) -> User:
        user = User.objects.create_user(name)
        user.user_permissions.set(Permission.objects.filter(codename__in=[f"{verb}_run" for verb in verbs]))
        return User.objects.get(pk=user.pk)

    return make


@pytest.fixture
def ada(person: Callable[..., User]) -> User:
    return person("ada", "start")


@pytest.fixture
def owner(ada: User) -> Caller:
    return Caller(ada, Role.OWNER, "key SHA256:test", 1)


@pytest.fixture(autouse=True)
def fresh_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """No request of another test counts, and all of one test are of one minute."""
    limits._own.__init__()  # type: ignore[misc]
    monkeypatch.setattr(limits, "now", lambda: 600.0)


@pytest.fixture
def ada_key(ada: User) -> Ed25519PrivateKey:
    """Registered for ada, as an owner's."""
    return registered(ada, "ada's", Role.OWNER)


@pytest.fixture
def unchanged(db: None) -> Callable[[], Any]:
    """`with unchanged(): ...` fails where any row of any table is another afterwards."""

    @contextmanager
    def watching() -> Iterator[None]:
        before = everything()
        yield
        assert everything() == before

    return watching
