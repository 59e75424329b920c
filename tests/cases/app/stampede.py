"""Many processes that do one thing at the same moment: forked ahead, held at a pipe, let go together."""

import json
import os
from collections.abc import Callable
from typing import Any

from django.db import connections


def stampede(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(number)` returned, a JSON value, in each of `count` processes of this one."""
    connections.close_all()
    start, go = os.pipe()
    answers, answer = os.pipe()
    pids = []
    for number in range(count):
        if (pid := os.fork()) == 0:
            os.close(go)
            try:
                os.read(start, 1)  # ends for all when the last writer, the parent, lets go
                line = json.dumps(work(number))
            except BaseException as error:  # noqa: BLE001  (told to the parent; a child must not go on in its place)
                line = json.dumps(repr(error))
            os.write(answer, line.encode() + b"\n")
            os._exit(0)
        pids.append(pid)
    os.close(answer)
    os.close(go)
    with os.fdopen(answers) as lines:
        found = [json.loads(line) for line in lines]
    for pid in pids:
        os.waitpid(pid, 0)
    return found


def start_with_key(count: int, key: str) -> list[Any]:
    """[id, created] as each of `count` processes got them, who started a run with one idempotency key at once."""

    def begin(number: int) -> Any:
        from runs.starting import start

        started = start("export default async () => 1", key=key, title=f"by {number}")
        return [started.run.pk, started.created]

    return stampede(count, begin)
