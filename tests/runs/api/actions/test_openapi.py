"""The OpenAPI document: valid, complete, and true of every answer and refusal; and the page that leads to it."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.test import Client
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from runs.api.actions import ACTIONS
from runs.api.errors import INVALID, STATUS
from runs.api.openapi import document

README = (Path(__file__).resolve().parents[4] / "runs/api/README.md").read_text(encoding="utf-8")
SERVED = json.loads(json.dumps(document()))


def schema_of(reference: str) -> dict[str, Any]:
    """One schema of the document, with the others beside it."""
    return {"$ref": reference, "components": SERVED["components"]}


def references(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(references, value))
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
    return own.union(*map(references, value.values()))


def test_it_is_an_openapi_document() -> None:
    OPENAPI_31_VALIDATOR.validate(SERVED)
    broken = copy.deepcopy(SERVED)
    del broken["info"]["title"]
    assert not OPENAPI_31_VALIDATOR.is_valid(broken)


def test_every_schema_in_it_is_one() -> None:
    for schema in SERVED["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_reference_leads_somewhere_and_nothing_is_left_over() -> None:
    named = {f"#/components/{kind}/{name}" for kind in ("schemas", "responses") for name in SERVED["components"][kind]}
    assert references(SERVED) == named


def test_every_action_is_in_it_with_every_field() -> None:
    assert set(SERVED["paths"]) == {f"/api/{name}" for name in ACTIONS}
    for name, action in ACTIONS.items():
        fields = set(SERVED["components"]["schemas"][f"{name}Fields"]["properties"])
        more = {"clientRequestId"} if action.changes else set()
        assert fields == {field.alias or key for key, field in action.Params.model_fields.items()} | more
        operation = SERVED["paths"][f"/api/{name}"]["post"]
        assert f"role {action.role.value}" in operation["description"]
        assert ("201" in operation["responses"]) == (name in ("StartRun", "ForkRun"))


def test_every_example_is_of_its_schema() -> None:
    for name, path in SERVED["paths"].items():
        content = path["post"]["requestBody"]["content"]["application/json"]
        jsonschema.validate(content["example"], schema_of(content["schema"]["$ref"]))
        ACTIONS[name.removeprefix("/api/")].Params.model_validate(content["example"])
    for response in SERVED["components"]["responses"].values():
        content = response["content"]["application/json"]
        jsonschema.validate(content["example"], schema_of(content["schema"]["$ref"]))


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u2003", "\x1c\x85", "a\0b"])
def test_it_allows_no_key_that_is_refused(blank: str) -> None:
    fields = schema_of("#/components/schemas/ForkRunFields")
    good = {"runId": "x", "call": 1, "key": "a/b?c#d", "clientRequestId": "🙂"}
    assert jsonschema.Draft202012Validator(fields).is_valid(good)
    for name in ("key", "clientRequestId"):
        assert not jsonschema.Draft202012Validator(fields).is_valid(good | {name: blank})


def test_every_status_that_a_code_has_is_in_it() -> None:
    told = {int(name.removeprefix("Refused")) for name in SERVED["components"]["responses"]}
    assert told == {*STATUS.values(), INVALID}
    assert "WWW-Authenticate" in SERVED["components"]["responses"]["Refused401"]["headers"]
    assert "Retry-After" in SERVED["components"]["responses"]["Refused429"]["headers"]


@pytest.mark.django_db
def test_it_is_served_to_everybody() -> None:
    answer = Client().get("/api/openapi.json")
    assert (answer.status_code, answer["Content-Type"], answer.json()) == (200, "application/json", SERVED)


@pytest.mark.django_db
def test_the_page_leads_to_it_and_shows_a_line_that_works(client: Client) -> None:
    html = client.get("/api/").content.decode()
    assert 'href="/api/openapi.json"' in html
    assert all(f"<code>{name}</code>" in html for name in ACTIONS)
    assert "/api/ListRuns" in html
    assert client.post("/api/").status_code == 405


def test_the_readme_has_a_row_for_every_action_with_all_its_fields() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*)$", README, re.MULTILINE))
    for name, action in ACTIONS.items():
        for key, field in action.Params.model_fields.items():
            assert f"`{field.alias or key}" in rows[name], (name, key)
