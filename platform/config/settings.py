"""All settings of Daybook, and the only reader of the environment: everything else asks `django.conf.settings`.

The embedded default needs no other service: SQLite, the ORM broker, one host. `DATABASE_URL` and `REDIS_URL` take it
to PostgreSQL and Redis; the table of `DAYBOOK_*` names below holds the product's own settings.
"""

import os
from pathlib import Path
from typing import Any

import dj_database_url

from config.environment import flag, networks, number, numbers, words
from config.exposure import debug_at_home, good_key
from config.secret import secret_key

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = Path(os.environ.get("DAYBOOK_DATA_DIR") or BASE_DIR).expanduser().resolve()
# What the platform keeps for itself beside the database: the secret key, the file cache.
PRIVATE_DIR = DATA_DIR / ".daybook"

SECRET_KEY = good_key(os.environ.get("SECRET_KEY") or secret_key(PRIVATE_DIR / "secret-key"))
ALLOWED_HOSTS = words(os.environ, "DAYBOOK_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
DEBUG = debug_at_home(flag(os.environ, "DAYBOOK_DEBUG", default=False), ALLOWED_HOSTS)
CSRF_TRUSTED_ORIGINS = words(os.environ, "DAYBOOK_TRUSTED_ORIGINS", default=[])
X_FRAME_OPTIONS = "DENY"

# Served over HTTPS, by a proxy that ends it and says so in X-Forwarded-Proto, which it takes from nobody else.
HTTPS = flag(os.environ, "DAYBOOK_HTTPS", default=False)
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]  # whoever looks after the process asks it directly
# An hour, until somebody has seen that all works: a browser keeps to it, whatever the server says later.
SECURE_HSTS_SECONDS = number(os.environ, "DAYBOOK_HSTS_SECONDS", default=3600) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = flag(os.environ, "DAYBOOK_HSTS_SUBDOMAINS", default=True)
SECURE_HSTS_PRELOAD = flag(os.environ, "DAYBOOK_HSTS_PRELOAD", default=False)
# To be on the list that browsers are delivered with is a promise for a whole domain, and to be without it no fault.
SILENCED_SYSTEM_CHECKS = ["security.W021"]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/runs/"
LOGOUT_REDIRECT_URL = "login"

# `runs` and `journal` come first so that their management commands (qcluster) and templates win over Django's and q2's.
INSTALLED_APPS = [
    "runs",
    "journal",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "channels",
    "django_ace",
    "django_q",
    *words(os.environ, "DAYBOOK_APPS", default=[]),
]

MIDDLEWARE = [
    "config.exposure.DebugAtHome",
    "django.middleware.security.SecurityMiddleware",
    "config.policy.SecurityHeaders",
    "config.statics.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "runs.pages.outage.DatabaseOutage",
    "config.signing_in.TooManyAttempts",
]

AUTHENTICATION_BACKENDS = ["config.signing_in.Limit", "django.contrib.auth.backends.ModelBackend"]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# Served straight from the apps' static folders.
STATIC_URL = "static/"
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.statics.HashedAddresses"},
}

# --- Database ---------------------------------------------------------------------------------------------------------

DATABASE_URL = os.environ.get("DATABASE_URL", "")
DATABASES: dict[str, Any]
if DATABASE_URL:
    # No driver pool: q2 forks its workers, and a pool's threads and sockets do not survive a fork.
    DATABASES = {"default": dict(dj_database_url.parse(DATABASE_URL, conn_max_age=60, conn_health_checks=True))}
    if "postgresql" in DATABASES["default"]["ENGINE"]:
        DATABASES["default"]["OPTIONS"] = {
            # The few statements that every run takes are kept by the server, parsed and planned (journal/hot.py).
            "prepare_threshold": 2,
            # A server whose host is gone says nothing any more; without these a process would wait for it for hours.
            "connect_timeout": 10,
            "keepalives_idle": 20,
            "keepalives_interval": 5,
            "keepalives_count": 4,
            "tcp_user_timeout": 40_000,  # milliseconds
            **DATABASES["default"].get("OPTIONS", {}),  # what the address says comes first
        }
else:
    DATABASES = {
        "default": {
            "ENGINE": "config.sqlite",
            "NAME": DATA_DIR / "daybook.sqlite3",
            # Opening a connection costs as much as a commit; a worker's threads keep theirs from run to run.
            "CONN_MAX_AGE": 60,
            "OPTIONS": {
                # Seconds that a writer waits for the one before it.
                "timeout": 30,
                # Take the write lock at BEGIN: a transaction that reads first and writes later could otherwise fail
                # with "database is locked" however long it is willing to wait.
                "transaction_mode": "IMMEDIATE",
                # FULL: what was committed is on disk, also after a power cut. WAL: readers and the writer do not wait
                # for each other.
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
            },
        }
    }

# --- Redis, cache, channel layer --------------------------------------------------------------------------------------

REDIS_URL = os.environ.get("REDIS_URL", "")

# q2 writes its cluster's status to the cache twice a second. The database cache would make that two synchronous commits
# a second for a status line, and the in-process cache cannot be read by the web process; files are shared by all
# processes of a host and cost neither a service nor an fsync.
CACHES: dict[str, Any] = {
    "default": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(PRIVATE_DIR / "cache"),
    },
    # Failures to sign in, which are forgotten after five minutes.
    "counters": {
        "BACKEND": "config.counting.CountingFiles",
        "LOCATION": str(PRIVATE_DIR / "counters"),
        "TIMEOUT": 600,
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
}
CHANNEL_LAYERS: dict[str, Any] = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
if REDIS_URL:
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # What stands in it is never worth a long wait.
    _soon = {"socket_timeout": 2, "socket_connect_timeout": 2, "retry": Retry(NoBackoff(), 1)}
    _shared = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL, "OPTIONS": _soon}
    CACHES = {"default": _shared, "counters": _shared | {"TIMEOUT": CACHES["counters"]["TIMEOUT"]}}
    CHANNEL_LAYERS = {
        # Its messages are hints, which may be lost: what publishes and forgets is the fastest.
        "default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}},
    }

# --- Workers (django-q2) ----------------------------------------------------------------------------------------------

WORKERS = number(os.environ, "DAYBOOK_WORKERS", default=2, least=1)
Q_CLUSTER: dict[str, Any] = {
    "name": "daybook",
    "label": "Queue",
    "workers": WORKERS,
    # A task is a nudge that claims for a bounded time, so one that takes minutes is stuck. `retry` is when the broker
    # hands out again what nobody acknowledged and must exceed `timeout`, or one nudge works twice (check daybook.E001).
    "timeout": number(os.environ, "DAYBOOK_TASK_TIMEOUT", default=120, least=1),
    "retry": number(os.environ, "DAYBOOK_TASK_RETRY", default=180, least=1),
    # A failed nudge is not worth repeating: the row is the truth and the clock nudges again.
    "ack_failures": True,
    "max_attempts": 1,
    # Successful nudges leave no row behind; failures are always kept.
    "save_limit": -1,
    # A recycled worker drops its compiled state and its connections; leaks were not seen, so seldom.
    "recycle": 10_000,
    # Not daemonic: a worker may start child processes, and nothing terminates it while its resident runs drain.
    "daemonize_workers": False,
    "scheduler": True,
    "catch_up": False,
    # q2 wants this key when Q_CLUSTER_NAME chooses another queue.
    "ALT_CLUSTERS": {},
}
if REDIS_URL:
    Q_CLUSTER["redis"] = REDIS_URL
else:
    Q_CLUSTER["orm"] = "default"
    # Seconds between looks at an empty queue: about 25 ms until a nudge is seen, at the cost of one indexed read.
    Q_CLUSTER["poll"] = 0.05

# --- The product's own settings ---------------------------------------------------------------------------------------

# Each may be set as DAYBOOK_<NAME>; `runs/conf.py` holds the defaults and what each means.
DAYBOOK: dict[str, Any] = numbers(
    os.environ,
    "SLOTS",  # resident runs per worker process
    "LEASE_SECONDS",
    "RENEW_SECONDS",
    "FUEL_MS",
    "CPU_MS",
    "WALL_SECONDS",
    "MEMORY_BYTES",
    "STACK_BYTES",
    "SOURCE_MAX_BYTES",
    "JOURNAL_MAX_ENTRIES",
    "JOURNAL_MAX_BYTES",
    "RESULT_MAX_BYTES",
    "RESIDENT_SLEEP_MS",
    "TOOL_TIMEOUT_MS",
    "DRAIN_SECONDS",
    "MAX_CRASHES",
    "CLOCK_SECONDS",
    "RENUDGE_SECONDS",
    "DEPTH_LIMIT",  # levels of children below a root
    "FANOUT_LIMIT",  # children of one run
    "LLM_TIMEOUT_SECONDS",
    "API_RATE",  # requests a minute of one key or token
    "API_MAX_BYTES",
    "RETENTION_DAYS",  # 0 keeps runs for ever
)
if "DAYBOOK_HTTP_ALLOW_HOSTS" in os.environ:
    DAYBOOK["http_allow_hosts"] = tuple(words(os.environ, "DAYBOOK_HTTP_ALLOW_HOSTS", default=[]))
if _proxies := networks(os.environ, "DAYBOOK_PROXIES"):
    DAYBOOK["proxies"] = _proxies
for _name in ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY"):  # the agent `llm`; off while one of the first two is empty
    if _value := os.environ.get(f"DAYBOOK_{_name}", "").strip():
        DAYBOOK[_name.lower()] = _value
if "DAYBOOK_BASE_URL" in os.environ:
    DAYBOOK["base_url"] = os.environ["DAYBOOK_BASE_URL"].rstrip("/")

# --- Mail, logs -------------------------------------------------------------------------------------------------------

EMAIL_BACKEND = os.environ.get("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend")
EMAIL_HOST = os.environ.get("EMAIL_HOST", "localhost")
EMAIL_PORT = number(os.environ, "EMAIL_PORT", default=25, least=1)
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "daybook@localhost")

LOG_LEVEL = os.environ.get("LOG_LEVEL", "INFO").upper()
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "config.logs.Line",
            "format": "{asctime} {levelname} {name} {message}",
            "datefmt": "%Y-%m-%dT%H:%M:%S%z",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        # Django's own handlers would print the same event a second time, or mail it.
        "django": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
        "django.server": {"handlers": [], "level": LOG_LEVEL, "propagate": True},
        # One line for each task is the log of the nudges, not of the runs.
        "django-q": {"level": "WARNING" if LOG_LEVEL == "INFO" else LOG_LEVEL},
        # Three lines that it listens; `up` says so in one.
        "daphne": {"level": "WARNING" if LOG_LEVEL == "INFO" else LOG_LEVEL},
        # httpx logs each request with its full address, query included.
        "httpx": {"level": "WARNING"},
    },
}
