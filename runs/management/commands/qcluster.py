"""`manage.py qcluster`: the workers. Takes the place of django-q2's command of the same name and options."""

import logging
import sys
from typing import Any

from django.db import DatabaseError, InterfaceError, connections
from django_q.management.commands import qcluster

_AGAIN = "start qcluster again."
logger = logging.getLogger("runs")


class Command(qcluster.Command):  # type: ignore[misc]  # q2 publishes no types
    """Runs until SIGTERM or Ctrl-C; stop it by its main process. Exit code 1 when its sentinel died on its own."""

    help = "Starts the workers (a django-q2 cluster that survives the sudden death of any of its processes)."

    def handle(self, *args: Any, **options: Any) -> None:
        from django_q.cluster import Cluster
        from django_q.conf import Conf

        from runs.cluster.install import install

        install()
        _keep_schedules()
        if options.get("cluster_name"):
            Conf.CLUSTER_NAME = options["cluster_name"]
        # A connection opened by a system check must not be shared with the processes forked from here.
        connections.close_all()
        cluster = Cluster()
        try:
            cluster.start()
        except RuntimeError as error:  # the sentinel died before it had begun; q2 has logged how
            sys.exit(f"{error}; {_AGAIN}")
        if options.get("run_once"):
            cluster.stop()
        cluster.sentinel.join()
        if not cluster.has_stopped:
            sys.exit(f"The sentinel of the workers ended unexpectedly; {_AGAIN}")


def _keep_schedules() -> None:
    """Those that settings ask for; a database that is away is no reason not to start."""
    from runs.pruning.retention import keep_schedule

    try:
        keep_schedule()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("the schedule of retention was not looked at: %s", str(error).strip())
