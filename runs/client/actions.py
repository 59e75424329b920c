"""The actions of the API as methods, for both clients: what differs is whether an answer is awaited."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")
Facts = dict[str, Any]


class _Unset(Enum):
    UNSET = "unset"  # where None is a value


UNSET = _Unset.UNSET


class Actions(ABC, Generic[Answer]):
    """Each method gives the fields that `runs/api/README.md` tells of, and raises `DaybookError`. What is None is not
    sent. Those that change something take a `request_id` of yours: the same one again changes nothing more and gives
    the first answer, also days later; without it each call is a new request, however often it has to be sent."""

    @abstractmethod
    def call(self, action: str, fields: Mapping[str, Any]) -> Answer:
        """Any action that only reads, by its name and fields."""

    @abstractmethod
    def change(self, action: str, fields: Mapping[str, Any], request_id: str | None = None) -> Answer:
        """Any action that changes something."""

    # To change something

    def start(
        self,
        source: str | None = None,
        *,
        script: str | None = None,
        input: Any = None,
        title: str | None = None,
        key: str | None = None,
        queue: str | None = None,
        priority: int | None = None,
        max_attempts: int | None = None,
        budget: Mapping[str, Any] | None = None,
        concurrency_key: str | None = None,
        concurrency_limit: int | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """A run of a source, or of a `script` of the library, `name` or `name@3`. Gives `run` and `created`."""
        fields = {"source": source, "script": script, "input": input, "title": title, "key": key, "queue": queue}
        fields |= {"priority": priority, "maxAttempts": max_attempts, "budget": budget}
        fields |= {"concurrencyKey": concurrency_key, "concurrencyLimit": concurrency_limit}
        return self.change("StartRun", _given(fields), request_id)

    def signal(
        self,
        run_id: str,
        name: str,
        payload: Any = None,
        *,
        id: str | None = None,
        wait_id: str | None = None,
        reason: str | None = None,
        request_id: str | None = None,
    ) -> Answer:
        fields = {"runId": run_id, "name": name, "payload": payload, "id": id, "waitId": wait_id, "reason": reason}
        return self.change("SignalRun", _given(fields), request_id)

    def cancel(self, run_id: str, *, reason: str | None = None, request_id: str | None = None) -> Answer:
        return self.change("CancelRun", _given({"runId": run_id, "reason": reason}), request_id)

    def retry(
        self,
        run_id: str,
        *,
        call: int | None = None,
        rewind_to: int | None = None,
        source: str | None = None,
        children: str | None = None,
        reason: str | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """`rewind_to` executes that call and all after it again; `source` goes on with an edited script."""
        fields = {"runId": run_id, "call": call, "rewindTo": rewind_to, "source": source}
        return self.change("RetryRun", _given(fields | {"children": children, "reason": reason}), request_id)

    def fork(
        self,
        run_id: str,
        call: int,
        *,
        result: Any = UNSET,
        source: str | None = None,
        children: str | None = None,
        key: str | None = None,
        reason: str | None = None,
        request_id: str | None = None,
    ) -> Answer:
        """A new run from that call on; `result` (None is one) is what the call gives there."""
        fields = {"runId": run_id, "call": call, "source": source, "children": children, "key": key, "reason": reason}
        return self.change("ForkRun", _given(fields) | _result(result), request_id)

    # To read

    def get(self, run_id: str) -> Answer:
        return self.call("GetRun", {"runId": run_id})

    def list(self, **filters: Any) -> Answer:
        """The filters of `ListRuns` in snake_case, such as `status`, `waits_on`, `since`, `limit`. Gives `runs` and,
        where there are more, `next`: the `before` of the next page."""
        return self.call("ListRuns", _given({_camel(name): value for name, value in filters.items()}))

    def journal(self, run_id: str, *, after_seq: int = 0, limit: int | None = None) -> Answer:
        """One page: `entries`, `lastSeq`, and whether there is `more`."""
        return self.call("GetRunJournal", _given({"runId": run_id, "afterSeq": after_seq, "limit": limit}))

    def lint(self, source: str) -> Answer:
        return self.call("LintScript", {"source": source})

    def dry_replay(
        self,
        run_id: str,
        verb: str,
        *,
        call: int | None = None,
        source: str | None = None,
        result: Any = UNSET,
    ) -> Answer:
        """What a `retry`, `rewind` or `fork` would come to; executes and changes nothing."""
        fields = {"runId": run_id, "verb": verb, "call": call, "source": source}
        return self.call("DryReplay", _given(fields) | _result(result))

    def tools(self) -> Answer:
        return self.call("ListTools", {})


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _result(result: Any) -> dict[str, Any]:
    return {} if result is UNSET else {"result": result}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
