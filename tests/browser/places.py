"""The pages there are, by name, of the runs in scenes.py."""

# Run -> its tabs that have something of their own to show.
TABS = {
    "succeeded": ("activity", "calls", "timeline", "source", "values"),
    "failed": ("activity", "calls", "source"),
    "waiting": ("activity", "calls"),
    "family": ("activity", "timeline"),
}

# Name -> address; {name} is the id of the run of that name.
PLACES = {
    "login": "/login/",
    "list": "/runs/",
    "list-nothing": "/runs/?q=no+such+run",
    "new": "/runs/new",
    **{f"{run}-{tab}": f"/runs/{{{run}}}/?tab={tab}" for run, tabs in TABS.items() for tab in tabs},
    "sleeping": "/runs/{sleeping}/",
    "running": "/runs/{running}/",
    "canceled": "/runs/{canceled}/",
    "cancel": "/runs/{family}/cancel/",
    "retry": "/runs/{failed}/retry/",
    "fork": "/runs/{succeeded}/fork/",
    "fix": "/runs/{failed}/fix/",
    "missing": "/runs/no-such-run/",
    "password": "/password/",
    "keys": "/keys/",
    "api": "/api/",
    "admin": "/admin/",
    "admin-keys": "/admin/runs/apikey/",
    "admin-new-key": "/admin/runs/apikey/add/",
    "admin-new-token": "/admin/runs/apitoken/add/",
    "admin-new-schedule": "/admin/schedules/add/",
    "admin-health-sign": "/admin/health/late/",
    "admin-platform": "/admin/platform/",
    "admin-schedules": "/admin/schedules/",
    "admin-effects": "/admin/effects/?tool=echo",
    "admin-tools": "/admin/tools/",
    "admin-health": "/admin/health/",
    "admin-new-script": "/admin/runs/script/add/",
    "admin-list": "/admin/runs/run/",
    "admin-run": "/admin/runs/run/{failed}/change/",
    "admin-call": "/admin/runs/run/{failed}/call/3/",
    "admin-cancel": "/admin/runs/run/bulk/cancel/?ids={waiting},{family},{succeeded}",
    "admin-delete": "/admin/runs/run/bulk/delete/?ids={waiting},{failed},{succeeded}",
    "admin-signal": "/admin/runs/run/bulk/signal/?ids={waiting}",
    "admin-export": "/admin/runs/run/bulk/export/?ids={waiting},{failed}",
}


def place(name: str, ids: dict[str, str]) -> str:
    """The address of the page; `ids` gives the run of each scene."""
    return PLACES[name].format(**ids)
