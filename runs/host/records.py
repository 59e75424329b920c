"""The entries of what completed inside the realm and travels with the round: now, log, step, plan."""

from journal import bodies
from runs.realm.protocol import Log, Now, PlanEdit, Step, Unhandled


def body_of(message: Now | Log | Step | PlanEdit) -> bodies.Body:
    match message:
        case Now(call_seq, value):
            return bodies.now(call_seq, value)
        case Log(call_seq, level, text, data):
            return bodies.log(call_seq, level, text, data)
        case Step(call_seq, step_id, label, phase, ok, error):
            return bodies.step(call_seq, step_id, label, phase, ok, error)
        case PlanEdit(call_seq, plan):
            return bodies.plan(call_seq, plan)


def warning_of(message: Unhandled) -> bodies.Body:
    """A rejection that nobody awaits. Marked, since a replay tells it again and only the first time is written."""
    where = f"call {message.call_seq}" if message.call_seq else message.what
    return bodies.notice("warn", f"{where} (line {message.line}) failed and nobody awaits it") | {"unhandled": True}
