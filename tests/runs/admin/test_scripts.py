"""The script library in the admin: read by who starts runs, added to by who may, and never changed."""

from collections.abc import Callable

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django_q.models import Schedule

from runs import library
from runs.models import Script, ScriptVersion

pytestmark = pytest.mark.django_db
BrowserOf = Callable[..., Client]
FIRST = "export default async function (input, ctx) {\n  return 'first';\n}\n"
SECOND = FIRST.replace("first", "second")
SAVE = ("view_script", "add_script", "add_scriptversion")


def page(of: str = "report") -> str:
    return f"/admin/runs/script/{Script.objects.get(name=of).pk}/change/"


@pytest.fixture(autouse=True)
def report(db: None) -> None:
    library.save("report", FIRST, "What <happened>")
    library.save("report", SECOND)


def test_the_list_shows_the_newest_version_of_each(browser_of: BrowserOf) -> None:
    library.save("other", FIRST)
    html = browser_of("view_script").get("/admin/runs/script/?q=report").content.decode()
    assert "report@2" in html
    assert "What &lt;happened&gt;" in html
    assert "other@1" not in html


def test_a_version_is_shown_with_its_source_and_the_difference_to_the_one_before(browser_of: BrowserOf) -> None:
    html = browser_of("view_script").get(page()).content.decode()
    assert "Lint has nothing to say of it." in html
    assert "From report@1 to report@2" in html
    assert '<tr data-sign="-"><td>2</td><td></td><td>-</td><td><code><bdi>  return &#x27;first&#x27;;' in html
    assert '<tr data-sign="+"><td></td><td>2</td><td>+</td><td><code><bdi>  return &#x27;second&#x27;;' in html
    assert "Save another version" not in html
    first = browser_of("view_script", name="other").get(f"{page()}?version=1").content.decode()
    assert "report@1: source" in first
    assert 'id="difference"' not in first
    back = browser_of("view_script", name="third").get(f"{page()}?version=1&with=2").content.decode()
    assert "From report@2 to report@1" in back


def test_lint_says_what_it_thinks_of_a_version_that_was_saved(browser_of: BrowserOf) -> None:
    library.save("report", "export default async function (input, ctx) {\n  ctx.call('echo', {});\n}\n")
    html = browser_of("view_script").get(page()).content.decode()
    assert 'data-severity="warning"><a href="#line-2">2:3</a>' in html


def test_a_run_is_started_by_a_link_that_only_who_may_start_sees(browser_of: BrowserOf) -> None:
    link = "/runs/new?script=report@1"
    starter = browser_of("start_run")
    assert link in starter.get(f"{page()}?version=1").content.decode()
    assert starter.get(link).status_code == 200
    assert link not in browser_of("view_script", name="reader").get(f"{page()}?version=1").content.decode()


def test_a_new_version_is_saved_and_written_down(browser_of: BrowserOf) -> None:
    third = FIRST.replace("first", "third")
    answer = browser_of(*SAVE).post(page(), {"source": third.replace("\n", "\r\n"), "description": "Now <more>"})
    assert answer.headers["Location"] == f"{page()}?version=3"
    version = library.find("report")
    assert (str(version), version.source.text, version.script.description) == ("report@3", third, "Now <more>")
    entry = LogEntry.objects.get()
    assert (entry.user.get_username(), entry.get_change_message()) == ("olga", "saved report@3")
    history = browser_of("view_script", name="reader").get(page().replace("change", "history"))
    assert "saved report@3" in history.content.decode()


def test_the_same_content_is_no_new_version(browser_of: BrowserOf) -> None:
    browser = browser_of(*SAVE)
    html = browser.post(page(), {"source": FIRST, "description": ""}, follow=True).content.decode()
    assert "That is what report@1 holds already" in html
    assert (ScriptVersion.objects.count(), LogEntry.objects.count()) == (2, 0)


def test_a_script_that_cannot_run_is_refused_and_stays_in_the_form(browser_of: BrowserOf) -> None:
    bad = "export default async function () { return Date.now() }"
    answer = browser_of(*SAVE).post(page(), {"source": bad, "description": "kept"})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert "The script has 1 error." in html
    assert "return Date.now()" in html
    assert 'value="kept"' in html
    assert ScriptVersion.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "reason"),
    [("Bad Name", "is no name of a script"), ("report", "There is a script “report” already"), ("", "required")],
)
def test_a_new_script_with_a_name_that_will_not_do_is_refused_beside_the_name(
    browser_of: BrowserOf, name: str, reason: str
) -> None:
    answer = browser_of(*SAVE).post("/admin/runs/script/add/", {"name": name, "source": FIRST, "description": ""})
    assert answer.status_code == 422
    assert reason in answer.context["form"].errors["name"][0]
    assert Script.objects.count() == 1


def test_a_new_script_is_saved_as_its_first_version(browser_of: BrowserOf) -> None:
    answer = browser_of(*SAVE).post("/admin/runs/script/add/", {"name": "fresh", "source": FIRST, "description": "New"})
    assert answer.headers["Location"] == f"{page('fresh')}?version=1"
    assert LogEntry.objects.get().is_addition()


def test_who_may_not_is_refused_and_nothing_is_saved(browser_of: BrowserOf) -> None:
    nobody, reader = browser_of(name="nobody"), browser_of("view_script", "start_run", name="reader")
    given = {"name": "fresh", "source": FIRST + "\n", "description": ""}
    assert nobody.get("/admin/runs/script/").status_code == 403
    assert nobody.get(page()).status_code == 403
    assert reader.get("/admin/runs/script/add/").status_code == 403
    assert reader.post("/admin/runs/script/add/", given).status_code == 403
    assert reader.post(page(), given).status_code == 403
    assert browser_of("all", name="root").get(f"{page().removesuffix('change/')}delete/").status_code == 403
    assert (Script.objects.count(), ScriptVersion.objects.count()) == (1, 2)


def test_a_script_that_is_not_there_is_not_found(browser_of: BrowserOf) -> None:
    assert browser_of("view_script").get("/admin/runs/script/999/change/").status_code == 404


KEEP = ("view_script", "change_script", "delete_run")


def test_how_long_runs_are_kept_is_said_shown_scheduled_and_written_down(browser_of: BrowserOf) -> None:
    browser = browser_of(*KEEP)
    assert "For ever: neither the script nor the setting" in browser.get(page()).content.decode()
    given = {"keep": "1", "keep_days": "30", "keep_failed": "on", "reason": "the law"}
    html = browser.post(page(), given, follow=True).content.decode()
    assert "deleted after 30 days, but not those that failed" in html
    script = Script.objects.get(name="report")
    assert (script.keep_days, script.keep_failed, ScriptVersion.objects.count()) == (30, True, 2)
    assert LogEntry.objects.get().change_message == (
        "ended runs are deleted after 30 days; those that failed are kept: the law"
    )
    assert Schedule.objects.get().name == "daybook retention"
    browser.post(page(), {"keep": "1", "keep_days": "", "reason": ""})
    assert Script.objects.get(name="report").keep_days is None
    assert not Schedule.objects.exists()


@pytest.mark.parametrize("days", ["-1", "32768", "many"])
def test_a_number_of_days_that_is_none_is_refused(browser_of: BrowserOf, days: str) -> None:
    answer = browser_of(*KEEP).post(page(), {"keep": "1", "keep_days": days})
    assert answer.status_code == 422
    assert answer.context["retention"].errors["keep_days"]
    assert (Script.objects.get(name="report").keep_days, LogEntry.objects.count()) == (None, 0)


@pytest.mark.parametrize("missing", KEEP[1:])
def test_it_takes_the_right_to_change_the_script_and_that_to_delete_runs(browser_of: BrowserOf, missing: str) -> None:
    browser = browser_of(*(name for name in KEEP if name != missing))
    assert "Save how long" not in browser.get(page()).content.decode()
    assert browser.post(page(), {"keep": "1", "keep_days": "1"}).status_code == 403
    assert Script.objects.get(name="report").keep_days is None
