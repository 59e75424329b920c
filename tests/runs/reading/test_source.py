"""A source by line: its text unchanged, coloured, with the lines that matter."""

import pytest
from going import begun

from runs.operations import rewind
from runs.reading import source
from runs.reading.source import calls_by_line, lines

TEXT = 'export default async () => {\n  // it\'s "x"\r\n  return `a ${1}\n  b` + "é"\n}\n'


def text_of(made: list[source.Line]) -> list[str]:
    return ["".join(piece for _, piece in line.pieces) for line in made]


def test_lines_are_those_that_editors_and_errors_count() -> None:
    made = lines(TEXT)
    assert text_of(made) == [
        "export default async () => {",
        '  // it\'s "x"',
        "  return `a ${1}",
        '  b` + "é"',
        "}",
        "",
    ]
    assert [line.number for line in made] == [1, 2, 3, 4, 5, 6]


def test_pieces_are_coloured_by_what_they_are() -> None:
    made = lines(TEXT)
    assert made[0].pieces[0] == ("keyword", "export")
    assert made[1].pieces[1] == ("comment", '// it\'s "x"')
    assert made[2].pieces[-1] == ("string", "`a ${1}")
    assert made[3].pieces == [("string", "  b`"), ("", " + "), ("string", '"é"')]


def test_a_large_source_is_shown_plain_and_a_wide_line_is_cut() -> None:
    made = lines("// " + "x" * 70_000)
    assert made[0].pieces == [("", "// " + "x" * 997)]
    assert made[0].cut == 70_003


def test_markup_and_lone_surrogates_are_text() -> None:
    assert text_of(lines("// </script>\ud800")) == ["// </script> "]


def test_the_failing_and_the_parked_line_are_marked_and_calls_are_linked() -> None:
    made = lines("a\nb\nc", failing=2, parked=[(3, 7), (3, 8)], calls={1: [1, 2, 3, 4, 5]})
    assert [line.failing for line in made] == [False, True, False]
    assert made[2].parked == [7, 8]
    assert (made[0].calls, made[0].more) == ([3, 4, 5], 2)


@pytest.mark.django_db(transaction=True)
def test_calls_are_known_by_the_line_that_made_them() -> None:
    run = begun("\nfor (let i = 1; i <= 3; i++)\n  await ctx.call('note', {v: i});\nawait ctx.sleep(1)")
    assert calls_by_line(run.pk) == {4: [1, 2, 3], 5: [4]}
    rewind(run.pk, 2)
    assert calls_by_line(run.pk) == {4: [1]}
