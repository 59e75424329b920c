"""A hook of schemathesis: what is asked of a run is, half of the time, asked of one that is there."""

import os
from typing import Any

import schemathesis

IDS = os.environ["REAL_RUNS"].split()


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    body = case.body
    if isinstance(body, dict) and isinstance(body.get("runId"), str):
        number = sum(str(body).encode("utf-8", "surrogatepass"))
        if number % 2 or len(body["runId"]) == 26:
            case.body = body | {"runId": IDS[number // 2 % len(IDS)]}
