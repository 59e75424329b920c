"""Whatever JSON comes, an action answers, or refuses it in words: never a fault of the platform."""

import json
import os
import random
from typing import Any

import pytest
from asking import ECHO, had_failed
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, override_settings

from runs.api import tokens
from runs.api.actions import ACTIONS
from runs.api.caller import Caller
from runs.api.openapi import document
from runs.api.roles import Role
from runs.starting import start

pytestmark = pytest.mark.django_db
TRIES = 60 * int(os.environ.get("DAYBOOK_STORM", "1"))
TEXTS = ["", " ", "go", "\0", "\ud800", "🙂", "x" * 600, "../..", "%s", "{}", "null", "2026-01-01T00:00:00Z", "name@2"]
NUMBERS = [0, 1, 2, -1, 2.0, 1.5, 2**31, 2**53, 2**63, 10**40, -0.0, 1e308]
WORDS = ["failed", "keep", "cancel", "retry", "rewind", "fork", "background", "workflow", "signal", ECHO, "const"]


def noise(dice: random.Random, ids: list[str], depth: int = 0) -> Any:
    """Any JSON value: often one that a field takes."""
    pick = dice.randrange(9)
    if pick < 2 or (depth > 3 and pick > 6):
        return dice.choice(ids)
    if pick < 4:
        return dice.choice(TEXTS + WORDS)
    if pick < 6:
        return dice.choice(NUMBERS)
    if pick == 6:
        return dice.choice([None, True, False])
    if pick == 7:
        return [noise(dice, ids, depth + 1) for _ in range(dice.randrange(4))]
    return {dice.choice(TEXTS + WORDS): noise(dice, ids, depth + 1) for _ in range(dice.randrange(4))}


@pytest.mark.parametrize("name", ACTIONS)
def test_no_json_is_a_fault_of_the_platform(name: str) -> None:
    vera = User.objects.create_superuser("vera")
    caller = Caller(vera, Role.OWNER, "", 1)
    ids = [had_failed(caller).pk, start(ECHO, owner=vera).run.pk, "0" * 26]
    _, token = tokens.make(vera, "noise", Role.OWNER, None, vera)
    dice, client = random.Random(f"6 {name}"), Client(headers={"Authorization": f"Bearer {token}"})
    example = document()["paths"][f"/api/{name}"]["post"]["requestBody"]["content"]["application/json"]["example"]
    names = [field.alias or key for key, field in ACTIONS[name].Params.model_fields.items()]
    statuses: set[int] = set()
    with override_settings(DAYBOOK={**getattr(settings, "DAYBOOK", {}), "api_rate": 1_000_000}):
        for _ in range(TRIES):
            given = example | {field: noise(dice, ids) for field in names if dice.random() < 0.15}
            if "runId" in names and dice.random() < 0.8:
                given["runId"] = dice.choice(ids)
            if dice.random() < 0.3:
                given[dice.choice(["clientRequestId", "_", "ts", "more"])] = noise(dice, ids)
            answer = client.post(f"/api/{name}", json.dumps(given), content_type="application/json")
            told = answer.json()
            assert answer.status_code < 500, (given, told)
            assert told["_"] == (name if answer.status_code < 300 else "Error")
            assert answer.status_code < 300 or (told["code"] and told["message"])
            statuses.add(answer.status_code)
    assert 422 in statuses
    assert statuses & {200, 201}
