"""A journal as a replay needs it: what no attempt has left behind, with the scripts of children, which have their own
rows."""

from journal import store
from journal.entries import Entry
from journal.errors import JournalDamaged
from runs.models import Source


def read(journal_id: str) -> list[Entry]:
    """In order of seq; raises `JournalDamaged` where a script is gone."""
    entries = store.read(journal_id, superseded=False)
    keys = {entry.script_key for entry in entries if entry.script_key}
    if not keys:
        return entries
    texts = dict(Source.objects.filter(pk__in=keys).values_list("sha256", "text"))
    return [_whole(journal_id, entry, texts) for entry in entries]


def _whole(journal_id: str, entry: Entry, texts: dict[str, str]) -> Entry:
    if entry.script_key is None:
        return entry
    if entry.script_key not in texts:
        raise JournalDamaged(journal_id, entry.seq, f"the script {entry.script_key} of its child is gone")
    return entry.with_script(texts[entry.script_key])
