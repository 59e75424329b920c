"""JSON Schemas of scripts: what does not fit, and schemas that are meant to hurt."""

from typing import Any

import pytest

from runs.host.schema import problem_with, schema_problem


@pytest.mark.parametrize(
    ("value", "schema", "words"),
    [
        (5, {"type": "number"}, None),
        ("5", {"type": "number"}, "$: '5' is not of type 'number'"),
        ({"a": [1, "x"]}, {"properties": {"a": {"items": {"type": "integer"}}}}, "$.a[1]"),
        ({}, {"required": ["a"]}, "'a' is a required property"),
        ("ab", {"pattern": "^\\p{L}+$"}, None),
        ("a1", {"pattern": "^\\p{L}+$"}, "does not match"),
        (1, True, None),
        (1, False, "False schema"),
        ([1], {"$ref": "#/$defs/list", "$defs": {"list": {"type": "array"}}}, None),
    ],
)
def test_it_tells_what_does_not_fit(value: Any, schema: Any, words: str | None) -> None:
    assert schema_problem(schema) is None
    problem = problem_with(value, schema)
    assert problem is None if words is None else words in str(problem)


@pytest.mark.parametrize("schema", [5, "x", None, {"type": "nonsense"}, {"properties": 5}, {"required": "a"}])
def test_what_is_no_schema_is_told_before(schema: Any) -> None:
    assert schema_problem(schema)


def test_a_pattern_that_runs_away_is_stopped() -> None:
    assert "takes too long" in str(problem_with("a" * 40 + "!", {"pattern": "^(a+)+$"}))
    assert "SyntaxError" in str(problem_with("a", {"pattern": "("}))
    old = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a+)+$"}
    assert "takes too long" in str(problem_with(["a" * 40 + "!"], {"items": old}))
    assert "not supported" in str(schema_problem({"items": {"patternProperties": {"^(a+)+$": {}}}}))


def test_nothing_is_fetched() -> None:
    assert "does not have" in str(problem_with(1, {"$ref": "http://127.0.0.1:9/schema.json"}))


def test_references_without_end_are_stopped() -> None:
    doubling = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)} | {"d40": True}
    assert "without end" in str(problem_with(1, {"$ref": "#/$defs/d0", "$defs": doubling}))
    assert "without end" in str(problem_with(1, {"$ref": "#"}))
