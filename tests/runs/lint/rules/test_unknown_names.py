"""A typo is a warning that names what is near."""

import pytest

from runs.lint import Finding, lint


def _warnings(source: str) -> list[Finding]:
    found = lint(source)
    assert all(each.severity == "warning" for each in found)
    return found


@pytest.mark.parametrize(
    ("source", "near"),
    [
        ("export default (input) => inptu", "`input`"),
        ("const total = 1; export default () => totl + total", "`total`"),
        ("export default () => consle.log(1)", "`console`"),
        ("export default () => Json.parse('1')", "`JSON`"),
        ("export default () => new Pomise(() => {})", "`Promise`"),
    ],
)
def test_an_unknown_name_is_a_warning_with_near_names(source: str, near: str) -> None:
    (found,) = _warnings(source)
    assert found.rule == "unknown-name"
    assert f"Did you mean {near}" in found.message


def test_a_name_that_resembles_nothing_gets_no_guess() -> None:
    (found,) = _warnings("export default () => zzyzx42")
    assert "Did you mean" not in found.message


def test_an_assignment_to_nothing_is_told_to_declare() -> None:
    (found,) = _warnings("export default () => { counter = 1; counter++ }")
    assert "Write `let counter = ...`" in found.message


def test_a_name_is_told_once() -> None:
    assert len(_warnings("export default () => [missing, missing, absent]")) == 2


def test_asking_for_the_type_of_a_name_is_no_use_of_it() -> None:
    assert lint("export default () => typeof whatever === 'undefined'") == []
