"""A run, and one of its calls, as lines for the terminal."""

import json
from collections.abc import Iterator
from typing import Any

from journal import store
from journal.entries import Kind
from runs.activity import line, one_line
from runs.codes import help_of
from runs.commands.calls import call_facts
from runs.conf import conf
from runs.copies import as_it_was, redacted
from runs.models import Run
from runs.words import moment, status_words, waits

_MARKS = {"pending": " ", "running": ">", "done": "x", "failed": "!", "skipped": "-"}
_TITLE_MAX = 200


def card(run: Run) -> Iterator[str]:
    """Where it stands first, then what it is, then its values."""
    yield f"{run.pk}  {one_line(run.title, _TITLE_MAX)}".rstrip()
    yield from _standing(run)
    yield from _times(run)
    yield _facts(run)
    yield _journal_use(run)
    if run.progress:
        yield f"Progress: {_progress(run.progress)}"
    yield from _plan(run.plan)
    yield from titled("Input", run.input)
    if run.error:
        yield from error_lines(run.error)
    elif run.is_terminal:
        yield from titled("Output", run.output)


def _standing(run: Run) -> Iterator[str]:
    yield status_words(run)
    then = as_it_was(run)
    if run.is_copy:
        yield f"  when it was exported: {status_words(then)}, changed last {moment(then.updated_at)}"
        if missing := redacted(run):
            yield f"  redacted: {one_line(', '.join(missing), _TITLE_MAX)}"
    for wait in waits(then):
        yield f"  {wait}"


def outcome(run: Run) -> Iterator[str]:
    """How it ended, and its output or error; nothing of a run that has not ended."""
    if run.is_terminal:
        yield status_words(run)
        yield from error_lines(run.error) if run.error else titled("Output", run.output)


def error_lines(error: dict[str, Any]) -> Iterator[str]:
    """Code, message, the line of the script, the call it came from, and what to do."""
    yield f"Error: {error['code']}"
    yield _indented(error["message"])
    if error.get("line"):
        yield _indented(error["excerpt"] or f"line {error['line']}")
    if error.get("callSeq"):
        yield f"  From call {error['callSeq']}{_caller(error)}; --call {error['callSeq']} shows it."
    advice = help_of(error)
    if advice and advice not in error["message"]:
        yield f"  {advice}"


def _caller(error: dict[str, Any]) -> str:
    if child := error.get("childRunId"):
        return f" (child run {child})"
    return f" ({error['tool']})" if error.get("tool") else ""


def call_lines(run: Run, call_seq: int) -> Iterator[str]:
    """One ctx call with its arguments, result or error, and narration."""
    call = call_facts(run, call_seq)
    child = f"child run {call['childRunId']}" if call["childRunId"] else None
    yield f"Call {call_seq} of {run.pk}: {call['tool'] or child or call['kind']}"
    if call["description"]:
        yield one_line(call["description"], _TITLE_MAX)
    if call["line"]:
        yield f"Line {call['line']} of the script"
    if call["step"]:
        yield f"In step {one_line(call['step']['label'], _TITLE_MAX)}"
    if call["kind"] == Kind.CALL:
        yield from titled("Arguments", call["input"])
        if call["status"] == "succeeded":
            yield from titled("Result", call["output"])
        elif call["error"]:
            yield from titled("Error", call["error"])
        else:
            yield "No result yet"
    yield "Entries:"
    yield from (f"  {line(entry)}" for entry in store.read_call(run.journal_id, call_seq))


def titled(title: str, value: Any) -> Iterator[str]:
    """A JSON value under its title; a short one on the same line."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if "\n" not in text and len(text) <= 100:
        yield f"{title}: {text}"
    else:
        yield f"{title}:"
        yield _indented(text)


def _times(run: Run) -> Iterator[str]:
    named = {"Created": run.created_at, "started": run.started_at, "ended": run.finished_at}
    yield ", ".join(f"{name} {moment(at)}" for name, at in named.items() if at)
    if not run.is_terminal:
        yield f"Must have ended by {moment(run.deadline_at)}"


def _facts(run: Run) -> str:
    most = f" of {run.max_attempts}" if run.max_attempts > 1 else ""
    parts = [f"Queue {run.queue}", f"attempt {run.attempt}{most}"]
    if run.crashes:
        parts.append(f"{run.crashes} workers died holding it at the same place")
    if run.worker:
        parts.append(f"held by {run.worker.partition(':')[0]}")
    if run.origin:
        parts.append(f"started by {run.origin}")
    if run.parent_id is not None:
        parts.append(_child_of(run))
    if run.script_version is not None:
        parts.append(f"script {run.script_version}")
    if run.concurrency_key is not None:
        parts.append(f"at most {run.concurrency_limit} of {one_line(run.concurrency_key, _TITLE_MAX)} running")
    if run.idempotency_key is not None:
        parts.append(f"key {one_line(run.idempotency_key, _TITLE_MAX)}")
    return ", ".join(parts)


def _child_of(run: Run) -> str:
    call = f" at call {run.parent_call_seq}" if run.parent_call_seq is not None else ""
    step = f" in step {one_line(run.parent_step['label'], _TITLE_MAX)}" if run.parent_step else ""
    return f"child of {run.parent_id}{call}{step}"


def _journal_use(run: Run) -> str:
    entries, size, limits = run.journal.next_seq - 1, run.journal.bytes, conf()
    used = max(entries / limits.journal_max_entries, size / limits.journal_max_bytes)
    of_entries = f"{entries} of {limits.journal_max_entries} entries"
    return f"Journal: {of_entries}, {size} of {limits.journal_max_bytes} bytes ({used:.0%} full)"


def _progress(progress: dict[str, Any]) -> str:
    fraction, label = progress.get("fraction"), progress.get("label")
    parts = [f"{fraction:.0%}" if fraction is not None else "", one_line(label or "", _TITLE_MAX)]
    return " ".join(part for part in parts if part)


def _plan(plan: dict[str, Any] | None) -> Iterator[str]:
    if not plan:
        return
    yield f"Plan: {one_line(plan.get('title') or '', _TITLE_MAX)}".rstrip()
    for step in plan["steps"]:
        yield f"  [{_MARKS.get(step['status'], '?')}] {one_line(step['label'], _TITLE_MAX)}"


def _indented(text: str) -> str:
    return "\n".join(f"  {one_line(part, 2000)}" for part in text.splitlines())
