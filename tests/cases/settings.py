"""The settings of an installation under test: the product's own, with the cases' tools and crash points beside it."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "cases.app"]
