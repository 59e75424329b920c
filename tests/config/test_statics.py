"""Static files: addresses with a hash of their contents, kept for good by browsers, and nothing else is."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.test import Client

from config import statics

FOR_GOOD = "max-age=315360000, public, immutable"
A_MINUTE = "max-age=60, public"


def kept(path: str) -> str:
    answer = Client().head(path)
    assert answer.status_code == 200
    return answer.headers["Cache-Control"]


@pytest.mark.django_db
def test_what_pages_ask_for_is_there_and_kept_for_good() -> None:
    for page in ("/login/", "/admin/login/"):
        asked = re.findall(r'(?:src|href)="(/static/[^"]+)"', Client().get(page).content.decode())
        assert asked
        assert {kept(path) for path in asked} == {FOR_GOOD}


@pytest.mark.django_db
def test_what_a_module_imports_has_the_hash_too() -> None:
    module = static("runs/js/run.js")
    answer = Client().get(module)
    source = answer.getvalue().decode()
    answer.close()
    imported = re.findall(r"""(?:from|import) '\./([^']+)'""", source)
    assert len(imported) > 5
    assert {kept(f"{module.rpartition('/')[0]}/{name}") for name in imported} == {FOR_GOOD}


def test_a_plain_address_and_one_of_another_version_are_looked_at_again() -> None:
    assert kept("/static/runs/js/run.js") == A_MINUTE
    assert kept("/static/0123456789ab/runs/js/run.js") == A_MINUTE


@pytest.mark.parametrize(
    "path", ["0123456789ab/no.js", "0123456789ab/../settings.py", "0123456789ab/", "x/runs/js/run.js"]
)
@pytest.mark.django_db
def test_what_is_not_there_is_not_found(path: str) -> None:
    assert Client().get(f"/static/{path}").status_code == 404


def test_the_hash_is_of_names_and_contents(tmp_path: Path, settings: object) -> None:
    def of(**files: str) -> str:
        for old in tmp_path.iterdir():
            old.unlink()
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        finders.get_finder.cache_clear()
        return statics.contents_hash.__wrapped__()

    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]  # type: ignore[attr-defined]
    settings.STATICFILES_DIRS = [tmp_path]  # type: ignore[attr-defined]
    try:
        seen = [of(a="1"), of(a="2"), of(b="1"), of(a="1", b=""), of(a="", b="1"), of(a="1")]
    finally:
        finders.get_finder.cache_clear()
    assert len(set(seen)) == 5
    assert seen[0] == seen[-1]


def test_while_debugging_addresses_are_plain(settings: object) -> None:
    settings.DEBUG = True  # type: ignore[attr-defined]
    assert static("runs/js/run.js") == "/static/runs/js/run.js"
