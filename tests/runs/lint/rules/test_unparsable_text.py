"""NUL and half surrogates are told where they stand, and do not stop the rest."""

import pytest

from runs.lint import lint

MAIN = "export default () => 1\n"


@pytest.mark.parametrize(
    ("character", "rule", "instead"),
    [
        ("\0", "nul-character", "`\\0`"),
        ("\ud800", "lone-surrogate", "`\\ud800`"),
        ("\udfff", "lone-surrogate", "`\\udfff`"),
    ],
)
def test_a_character_that_no_engine_takes_is_an_error(character: str, rule: str, instead: str) -> None:
    (found,) = lint(f"{MAIN}const s = 'ü{character}'")
    assert (found.severity, found.rule, found.line, found.column) == ("error", rule, 2, 13)
    assert instead in found.message


def test_each_kind_is_told_once() -> None:
    found = lint(f"{MAIN}const s = '\0\0\ud800\0\ud801'")
    assert [each.rule for each in found] == ["nul-character", "lone-surrogate"]


def test_the_rest_is_still_linted() -> None:
    found = lint(f"{MAIN}const s = '\0'; Date")
    assert [each.rule for each in found] == ["nul-character", "no-clock"]


def test_a_whole_pair_is_fine() -> None:
    assert lint(f"{MAIN}const s = '\U0001f600'") == []
