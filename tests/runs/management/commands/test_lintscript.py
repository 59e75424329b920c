"""lintscript: exit code 0 for what can be started, 1 for what cannot, 2 for what cannot be read."""

from collections.abc import Callable

from commanding import command

Write = Callable[..., str]


def test_a_clean_script_is_exit_code_0(script: Write) -> None:
    done = command("lintscript", script("return 1")).succeeded()
    assert done.out == ""
    assert "0 errors, 0 warnings" in done.err


def test_warnings_are_shown_and_are_no_failure(script: Write) -> None:
    name = script("ctx.log('x'); ctx.sleep(5);")
    done = command("lintscript", name).succeeded()
    assert f"{name}:2:15: warning: Nobody awaits" in done.out


def test_errors_are_exit_code_1_each_with_its_place_rule_and_excerpt(script: Write) -> None:
    name = script("return Date.now() + Math.random()")
    done = command("lintscript", name)
    assert done.code == 1
    assert f"{name}:2:8: error: " in done.out
    assert "[no-clock]" in done.out
    assert "> 2 | return Date.now() + Math.random()" in done.out
    assert "2 errors, 0 warnings" in done.err


def test_json_is_one_object(script: Write) -> None:
    assert command("lintscript", script("return 1"), "--json").succeeded().json == {"ok": True, "findings": []}
    done = command("lintscript", script("return Date()"), "--json")
    assert (done.code, done.json["ok"], done.json["findings"][0]["rule"]) == (1, False, "no-clock")


def test_a_script_on_standard_input_is_checked() -> None:
    done = command("lintscript", "-", stdin=b"export default (")
    assert done.code == 1
    assert done.out.startswith("-:1:")


def test_what_cannot_be_read_is_exit_code_2() -> None:
    command("lintscript", "nowhere.js").refused("no file")
    command("lintscript").refused("FILE")
    assert command("lintscript", "nowhere.js", "--json").refused().json["error"]["code"] == "invalid-input"
