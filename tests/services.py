"""What of the outside world is there for tests (PostgreSQL, Redis, a browser, Node), asked once and when needed."""

import os
import shutil
from functools import cache

POSTGRES = os.environ.get("DAYBOOK_TEST_POSTGRES", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("DAYBOOK_TEST_REDIS", "redis://127.0.0.1:6379")
BROWSER = os.environ.get("DAYBOOK_TEST_BROWSER", "")
# The pages are served by two web processes, with two clusters and two clocks, on PostgreSQL and Redis; and any of them
# is killed now and then (`make storm`).
SEVERAL = os.environ.get("DAYBOOK_TEST_SITE", "") == "several"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@cache
def missing(service: str) -> str:
    """Why tests marked with `service` cannot run here; empty when they can."""
    return {"postgres": _postgres, "redis": _redis, "browser": _browser, "node": _node}[service]()


def _postgres() -> str:
    import psycopg

    try:
        psycopg.connect(POSTGRES, connect_timeout=3).close()
    except psycopg.Error as error:
        return f"PostgreSQL does not answer at {_place(POSTGRES)}: {_first_line(error)}"
    return ""


def _redis() -> str:
    import redis

    try:
        with redis.Redis.from_url(REDIS, socket_connect_timeout=3, socket_timeout=3) as client:
            client.ping()
    except redis.RedisError as error:
        return f"Redis does not answer at {_place(REDIS)}: {_first_line(error)}"
    return ""


def _browser() -> str:
    looked = f"for {BROWSER}" if BROWSER else f"on the path for {', '.join(BROWSERS)}"
    return "" if browser_path() else f"no browser (looked {looked})"


def _node() -> str:
    absent = [name for name in ("node", "npm") if shutil.which(name) is None]
    return f"no {' and no '.join(absent)} on the path" if absent else ""


def browser_path() -> str | None:
    """The one that DAYBOOK_TEST_BROWSER names, or else the first Chromium or Chrome on the path."""
    return next(filter(None, map(shutil.which, [BROWSER] if BROWSER else BROWSERS)), None)


def _place(url: str) -> str:
    """Host, port and name: an address without the password it may carry."""
    return url.rpartition("@")[2].rpartition("//")[2]


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
