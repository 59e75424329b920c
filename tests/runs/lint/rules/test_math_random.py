"""`Math` may be used in every way but one."""

import pytest

from runs.lint import lint

MAIN = "\nexport default () => 1"


def _refused(body: str) -> bool:
    return any(found.rule == "no-random" for found in lint(body + MAIN))


@pytest.mark.parametrize(
    "body",
    [
        "Math.random()",
        "Math?.random()",
        "(Math).random",
        "Math['random']()",
        'Math["random"]',
        "Math[`random`]",
        "Math['r\\u0061ndom']",
        "Math.r\\u0061ndom",
        "const { random } = Math",
        "const { random: draw } = Math",
        "const { random = 1 } = (Math)",
        "const { 'random': draw } = Math",
        "const { floor, random } = Math",
        "let random; ({ random } = Math)",
        "function f({ random } = Math) {}",
        "const pick = Math.random",
        "Math.random = 1",
    ],
)
def test_random_is_refused_however_it_is_taken(body: str) -> None:
    assert _refused(body)


@pytest.mark.parametrize(
    "body",
    [
        "Math.max(1, 2)",
        "const { floor } = Math",
        "const Math = { random: 1 }; Math.random",
        "function f(Math) { return Math.random() }",
        "const o = { random: 1 }; o.random; o.Math?.random",
        "const { random } = { random: Math.PI }",
        "const s = 'Math.random()'",
        "// Math.random()",
        "Math[1]",
    ],
)
def test_the_rest_of_math_and_other_randoms_are_fine(body: str) -> None:
    assert not _refused(body)
    assert lint(body + MAIN) == []


def test_the_message_says_where_randomness_comes_from() -> None:
    (found,) = lint("Math.random()" + MAIN)
    assert "Take randomness as input or from a tool" in found.message
    assert (found.column, found.end_column) == (1, 12)
