"""What a finding looks like to Python and to JSON."""

import dataclasses

import pytest

from runs.lint import Finding, lint


def test_a_finding_has_its_json_names() -> None:
    found = Finding("error", "no-clock", "`Date` ...", 2, 3, 2, 7)
    assert found.as_dict() == {
        "severity": "error",
        "rule": "no-clock",
        "message": "`Date` ...",
        "line": 2,
        "column": 3,
        "endLine": 2,
        "endColumn": 7,
    }


def test_a_finding_cannot_be_changed() -> None:
    found = lint("")[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.line = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("before", "line", "column"),
    [
        ("", 1, 1),
        ("\n\n  ", 3, 3),
        ("\r\n\r\n", 3, 1),
        ("\r\r", 3, 1),
        ("\t", 1, 2),
        ("\ufeff", 1, 1),
        ("'é';", 1, 5),
        ("'\U0001f600';", 1, 5),
        ("'\U0001f600'\n'ü';", 2, 5),
        ("/* two\nlines */", 2, 9),
    ],
)
def test_a_position_counts_lines_and_characters_as_an_editor_does(before: str, line: int, column: int) -> None:
    found = next(found for found in lint(before + "Date\nexport default () => 1") if found.rule == "no-clock")
    assert (found.line, found.column, found.end_line, found.end_column) == (line, column, line, column + 4)


def test_findings_come_in_the_order_of_their_places() -> None:
    found = lint("export default function () {}\nfetch; Date\n;typo\nexport const a = Date")
    places = [(each.line, each.column) for each in found]
    assert places == sorted(places)
    assert len(places) == 5
