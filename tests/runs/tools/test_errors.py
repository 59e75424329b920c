import pytest

from runs.tools import ToolError


def test_an_error_always_has_its_four_fields() -> None:
    assert ToolError("card-declined", "ask for another card").as_dict() == {
        "code": "card-declined",
        "message": "ask for another card",
        "retryable": False,
        "detail": None,
    }
    told = ToolError("busy", "later", retryable=True, detail={"after": 3}).as_dict()
    assert told == {"code": "busy", "message": "later", "retryable": True, "detail": {"after": 3}}


@pytest.mark.parametrize("code", ["", "two words", "x" * 65, "1st", None, 7])
def test_a_code_that_scripts_could_not_rely_on_is_refused(code: object) -> None:
    with pytest.raises(ValueError, match="card-declined"):
        ToolError(code, "text")  # type: ignore[arg-type]


def test_its_text_shows_code_and_message() -> None:
    assert str(ToolError("busy", "come back later")) == "busy: come back later"
