"""A row for every address of the site: who gets in by looking, and who by sending something."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from permissions import rules
from permissions.people import SOURCE, Person
from permissions.rules import Rule, may, safe


@dataclass(frozen=True, slots=True)
class View:
    """`path` with the names of a scene. `sends`: what is sent, None where nothing can be. `does`: for whom that changes
    something, where sending it once is enough. `ours`: it is not Django's, so what is refused is in our log."""

    path: str
    looks: Rule
    sends: Rule
    form: dict[str, Any] = field(default_factory=dict)
    does: Rule | None = None
    ours: bool = True


def read(path: str, rule: Rule) -> View:
    return View(path, rule, safe(rule))


def changed(path: str, rule: Rule, form: dict[str, Any], **more: Any) -> View:
    return View(path, rule, rule, form, **more)


def django(path: str, rule: Rule, sends: Rule | None = None) -> View:
    """One of Django's own, or of django-q2's."""
    return View(path, rule, sends or rule, ours=False)


def _mends(person: Person) -> str:
    return may("retry", "start")(person)


def _signed_in_at_the_door(person: Person) -> str:
    return rules.ADMIN if person.staff else rules.IN


_signed_out_at_the_door: tuple[Rule, Rule] = (
    lambda person: rules.NO_SUCH_METHOD if person.staff else rules.ADMIN,
    lambda person: rules.SIGN_IN if person.staff else rules.ADMIN,
)
_no_method = rules.only(rules.NO_SUCH_METHOD)
_TOKEN = {"token-name": "cron", "token-role": "reader", "token-days": "30", "make": "1"}
_CRON = {"script": "report", "cron": "30 6 * * *", "queue": "background"}
_BULK = {"once": "a1", "name": "go", "reason": "all of them"}
_PASSWORD = "/password/reset/"

VIEWS: dict[str, View] = {
    # The pages
    "healthz": django("/healthz", rules.everybody),
    "readyz": read("/readyz", rules.only(rules.NOT_READY)),  # here, where there is neither clock nor worker
    "home": django("/", rules.everybody),
    "run-list": View("/runs/", rules.signed_in, rules.signed_in),
    "run-new": changed("/runs/new", rules.starts, {"source": SOURCE, "once": "a1"}, does=rules.starts),
    "run-lint": View("/runs/lint/", safe(rules.signed_in), rules.starts, {"source": SOURCE}),
    "run-detail": read("/runs/{live}/", rules.sees),
    "run-part": read("/runs/{live}/part/overview/", rules.sees),
    "run-entries": read("/runs/{live}/entries/", rules.sees),
    "run-call": read("/runs/{live}/call/1/", rules.sees),
    "run-export": read("/runs/{live}/export.json", rules.sees),
    "run-signal": changed("/runs/{live}/signal/", may("signal"), {"name": "go", "once": "a"}, does=may("signal")),
    "run-cancel": changed("/runs/{live}/cancel/", may("cancel"), {}, does=may("cancel")),
    "run-retry": changed("/runs/{failed}/retry/", may("retry"), {"how": "retry", "step": "dry", "attempt": 1}),
    "run-fork": changed("/runs/{failed}/fork/", may("fork"), {"how": "fork", "call": 1, "step": "dry"}),
    "run-fix": changed("/runs/{failed}/fix/", _mends, {"how": "retry", "source": f"{SOURCE}\n", "step": "dry"}),
    # Accounts
    "login": django("/login/", rules.everybody),
    "logout": django("/logout/", safe(rules.everybody), lambda _: rules.SIGN_IN),
    "password_change": django("/password/", rules.signed_in),
    "password_change_done": django("/password/done/", rules.signed_in, safe(rules.signed_in)),
    "password_reset": django(_PASSWORD, rules.everybody),
    "password_reset_done": django(f"{_PASSWORD}sent/", rules.everybody, safe(rules.everybody)),
    "password_reset_confirm": django(f"{_PASSWORD}MQ/wrong/", rules.everybody),
    "password_reset_complete": django(f"{_PASSWORD}done/", rules.everybody, safe(rules.everybody)),
    "key-list": changed("/keys/", rules.signed_in, _TOKEN, does=rules.signed_in),
    "key-revoke": changed("/keys/token/{token}/revoke/", rules.owner_of_keys, {}, does=rules.owner_of_keys, ours=False),
    # The API, whose actions have a matrix of their own: tests/runs/api/actions/test_matrix.py
    "api-index": read("/api/", rules.everybody),
    "api-openapi": read("/api/openapi.json", rules.everybody),
    "api-message": View("/api/message", _no_method, rules.only(rules.NOT_CBOR)),
    "api-action": View("/api/ListRuns", _no_method, rules.only(rules.NOT_CBOR)),
    # The pages for operators
    "operating-effects": View("/admin/effects/", rules.staff, rules.staff),
    "operating-health": View("/admin/health/", rules.staff, rules.staff),
    "operating-health-sign": View("/admin/health/late/", rules.staff, rules.staff),
    "operating-platform": View("/admin/platform/", rules.staff_with("view_run"), rules.staff_with("view_run")),
    "operating-tools": View("/admin/tools/", rules.staff, rules.staff),
    "operating-schedules": View(
        "/admin/schedules/",
        rules.staff_with("view_run", "start_run"),
        rules.staff_with("view_run", "start_run"),
    ),
    "operating-schedules-add": changed(
        "/admin/schedules/add/",
        rules.staff_with("start_run"),
        {"name": "hourly", **_CRON},
        does=rules.staff_with("start_run"),
    ),
    "operating-schedule": View(
        "/admin/schedules/nightly/change/",
        rules.staff_with("view_run", "start_run"),
        rules.staff_with("start_run"),
        _CRON,
        does=rules.staff_with("start_run"),
    ),
    "operating-schedule-remove": changed(
        "/admin/schedules/nightly/remove/", rules.staff_with("start_run"), {}, does=rules.staff_with("start_run")
    ),
    # Runs in the admin
    "admin:runs_run_changelist": View("/admin/runs/run/", rules.staff, rules.staff),
    "admin:runs_run_change": View("/admin/runs/run/{live}/change/", rules.staff_who_see, safe(rules.staff)),
    "admin:runs_run_call": View("/admin/runs/run/{live}/call/1/", rules.staff_who_see, safe(rules.staff)),
    "admin:runs_run_history": View("/admin/runs/run/{live}/history/", rules.staff_who_see, rules.staff_who_see),
    "admin:runs_run_bulk": changed("/admin/runs/run/bulk/cancel/?ids={live}", rules.staff, _BULK, does=may("cancel")),
    "admin:runs_run_add": django("/admin/runs/run/add/", rules.staff_get(rules.FORBIDDEN)),
    "admin:runs_run_delete": django("/admin/runs/run/{live}/delete/", rules.staff_get(rules.FORBIDDEN)),
    # The library in the admin
    "admin:runs_script_changelist": django(
        "/admin/runs/script/",
        rules.staff_with("view_script", "start_run"),
        rules.staff_with("view_script", "start_run"),
    ),
    "admin:runs_script_change": View(
        "/admin/runs/script/{script}/change/",
        rules.staff_with("view_script", "start_run"),
        rules.staff_with("add_scriptversion"),
        {"source": f"{SOURCE}\n"},
        does=rules.staff_with("add_scriptversion"),
    ),
    "admin:runs_script_add": changed(
        "/admin/runs/script/add/",
        rules.staff_with_all("add_script", "add_scriptversion"),
        {"name": "another", "source": SOURCE},
        does=rules.staff_with_all("add_script", "add_scriptversion"),
    ),
    "admin:runs_script_history": django(
        "/admin/runs/script/{script}/history/", rules.staff_with("view_script", "start_run")
    ),
    "admin:runs_script_delete": django("/admin/runs/script/{script}/delete/", rules.staff_get(rules.FORBIDDEN)),
    # The admin itself
    "admin:index": django("/admin/", rules.staff),
    "admin:login": django("/admin/login/", _signed_in_at_the_door, rules.everybody),
    "admin:logout": django("/admin/logout/", *_signed_out_at_the_door),
    "admin:password_change": django("/admin/password_change/", rules.staff),
    "admin:password_change_done": django("/admin/password_change/done/", rules.staff, safe(rules.staff)),
    "admin:autocomplete": django("/admin/autocomplete/", rules.staff_get(rules.FORBIDDEN), safe(rules.staff)),
    "admin:jsi18n": django("/admin/jsi18n/", rules.staff, safe(rules.staff)),
    "admin:view_on_site": django("/admin/r/0/0/", rules.staff_get(rules.MISSING)),
    "admin:app_list": django("/admin/runs/", rules.staff),
    "admin/(?P<url>.*)$": django("/admin/no-such-page/", rules.staff_get(rules.MISSING)),
}
# What Django and django-q2 have of their own: its object, beside the views that each has.
STOCK = {
    "auth_user": "{user}",
    "auth_group": "{group}",
    "django_q_schedule": "{theirs}",
    "django_q_success": "{success}",
    "django_q_failure": "{failure}",
    "django_q_ormq": "{queued}",
}
# Tasks are queued by programs, and only they come to anything.
_NEVER = {"django_q_success_add", "django_q_failure_add", "django_q_ormq_add"}


def _stock() -> Iterator[tuple[str, View]]:
    for name, thing in STOCK.items():
        base = f"/admin/{name.rpartition('_')[0]}/{name.rpartition('_')[2]}"
        for view in ("changelist", "add", "change", "delete", "history"):
            own = {"changelist": "", "add": "add/"}.get(view, f"{thing}/{view}/")
            rule = rules.staff_get(rules.FORBIDDEN) if f"{name}_{view}" in _NEVER else rules.superusers
            yield f"admin:{name}_{view}", django(f"{base}/{own}", rule)
    yield "admin:auth_user_password_change", django("/admin/auth/user/{user}/password/", rules.superusers)


def _credentials() -> Iterator[tuple[str, View]]:
    """Keys and tokens of all users, which are made and revoked, and neither changed nor deleted."""
    for of, given in {"apikey": {"text": "ab" * 32}, "apitoken": {}}.items():
        base, name = f"/admin/runs/{of}/", f"admin:runs_{of}"
        reads = rules.staff_with(f"view_{of}", f"change_{of}")
        yield f"{name}_changelist", django(base, reads)
        yield f"{name}_history", django(f"{base}{{{of[3:]}}}/history/", reads)
        yield f"{name}_change", django(f"{base}{{{of[3:]}}}/change/", reads, rules.staff_get(rules.FORBIDDEN))
        yield f"{name}_delete", django(f"{base}{{{of[3:]}}}/delete/", rules.staff_get(rules.FORBIDDEN))
        form = {"user": "{user_name}", "name": "made", "role": "reader", "expires_at": "", **given}
        makes = rules.staff_with(f"add_{of}")
        yield f"{name}_add", changed(f"{base}add/", makes, form, does=makes, ours=False)


def _redirects() -> Iterator[tuple[str, View]]:
    """The old addresses of rows, which lead to the new ones and tell nothing."""
    for name in (*STOCK, "runs_run", "runs_script", "runs_apikey", "runs_apitoken"):
        base = f"admin/{name.rpartition('_')[0]}/{name.rpartition('_')[2]}"
        yield f"{base}/<path:object_id>/", django(f"/{base}/1/", rules.staff)


VIEWS |= dict(_stock()) | dict(_credentials()) | dict(_redirects())
OPERATING = {name for name in VIEWS if name.startswith(("operating-", "admin:runs_"))}


def addresses() -> list[str]:
    """The name of every address that the site has; of one without a name its pattern."""
    return list(_walk(get_resolver()))


def _walk(resolver: Any, route: str = "", space: str = "") -> Iterator[str]:
    for each in resolver.url_patterns:
        if isinstance(each, URLResolver):
            inner = f"{each.namespace}:" if each.namespace else ""
            yield from _walk(each, route + str(each.pattern), space + inner)
        elif isinstance(each, URLPattern):
            yield f"{space}{each.name}" if each.name else route + str(each.pattern)
