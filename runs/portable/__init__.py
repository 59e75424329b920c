"""Runs as files: what is exported here is imported there, as a read-only copy that is looked at and replayed as a run.

A file is one CBOR item, so that any decoder opens it: the tag 55799 (self-described CBOR) around an array of
indefinite length, whose elements are themselves arrays in canonical CBOR:

    ["daybook.run", version, {realm, root, tree}]     what it is; `realm` is the newest that its writer knew
    ["source", text]                                  a script, before the first run that has or delegates it
    ["run", {...}]                                    its facts (facts.py): what it is and where it stands
    ["entry", seq, at, supersededBy, bytes]           each entry of its journal, exactly as it is stored
    ["message", {...}]                                each message of its inbox, in order of arrival
    ["deed", at, who, verb, reason, bytes]            what operators did to it, where that was asked for
    ["end", {runs, entries}]
    bytes                                             the SHA-256 of all that is before this element

JSON values are byte strings of their CBOR as it is stored. Moments are microseconds since the epoch, those of entries
milliseconds, as they were written. Nothing in a file depends on the database or the host that it was made on, so the
same run gives the same bytes on SQLite and PostgreSQL, and a copy gives those that it came from.
"""

from runs.portable.exporting import Exported, export
from runs.portable.format import BadFile
from runs.portable.importing import Imported, import_file

__all__ = ["BadFile", "Exported", "Imported", "export", "import_file"]
