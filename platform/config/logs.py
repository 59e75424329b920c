"""One line of the log for each event; the traceback of an exception follows where the fault is ours."""

import copy
import logging


class Line(logging.Formatter):
    """Django logs the exception also for what a client has sent badly (too large, of a foreign host, unreadable), and
    so would let anybody fill the log with tracebacks. Such a request is answered with a status below 500."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name.startswith("django.") and getattr(record, "status_code", 500) < 500:
            record = copy.copy(record)
            record.exc_info = record.exc_text = None
        return super().format(record)
