"""The script library: save a version under a name, find one by `name` or `name@3`, start a run of one."""

import re
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import Max

from runs.errors import BadInput, Refused
from runs.models import Script, ScriptVersion, Source
from runs.models.script import NAME
from runs.starting import Started, check_source, check_text, start

NAMING = "a lower-case letter or digit first, then also '.', '_' and '-', at most 80 characters"
_REFERENCE = re.compile(rf"({NAME})(?:@([1-9][0-9]{{0,8}}))?\Z")


class UnknownScript(Refused):
    code = "unknown-script"


def is_name(name: str) -> bool:
    """Whether a script, or a schedule of one, can be called so."""
    return re.fullmatch(NAME, name) is not None and len(name) <= 80


def save(
    name: str, source: str, description: str | None = None, *, also: Callable[[ScriptVersion], None] | None = None
) -> ScriptVersion:
    """A new version of `name`, or the one that has this content already. `also` is called in the transaction that makes
    one, and not where none is made. Raises `BadInput` and `BadSource`."""
    if not is_name(name):
        raise BadInput(f"{name!r} is no name of a script: {NAMING}")
    check_source(source)
    if description is not None:
        check_text(description, "the description")
    with transaction.atomic():
        script, _ = Script.objects.get_or_create(name=name)
        Script.objects.select_for_update().get(pk=script.pk)  # versions are numbered one at a time
        if description is not None:
            Script.objects.filter(pk=script.pk).update(description=description)
        kept = Source.keep(source)
        if (known := script.versions.filter(source=kept).first()) is not None:
            return known
        newest = script.versions.aggregate(Max("number"))["number__max"] or 0
        version = script.versions.create(number=newest + 1, source=kept)
        if also is not None:
            also(version)
        return version


def named(name: str) -> Script:
    """The script of that name, whatever its versions. Raises `UnknownScript`."""
    if (script := Script.objects.filter(name=name).first()) is None:
        raise UnknownScript(f"the library has no script of that name: {name}; savescript puts one there")
    return script


def find(reference: str) -> ScriptVersion:
    """`name` is its newest version. Raises `UnknownScript`."""
    parsed = _REFERENCE.match(reference)
    if parsed is None:
        raise UnknownScript(f"{reference!r} names no script; write name or name@3")
    name, number = parsed.groups()
    versions = ScriptVersion.objects.filter(script__name=name).select_related("script", "source").order_by("-number")
    found = versions.filter(number=int(number)).first() if number else versions.first()
    if found is None:
        newest = versions.first()
        if newest is None:
            raise UnknownScript(f"the library has no script of that name: {name}; savescript puts one there")
        raise UnknownScript(f"there is no script {reference}: the newest version is {newest}")
    return found


def start_script(reference: str, **fields: Any) -> Started:
    """A run of the version that `reference` names now, which the run remembers; `fields` as for `runs.starting.start`.

    Its title is the script's name unless one is given. Raises `UnknownScript` as well.
    """
    version = find(reference)
    title = fields.pop("title", "") or version.script.name
    return start(version.source.text, title=title, script_version=version, **fields)
