"""`manage.py apiaccess`: the keys and tokens of the API, for who sets up a server without its pages."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandParser
from django.utils import timezone

from runs.api import keys, tokens
from runs.api.revoking import revoke
from runs.api.roles import Role
from runs.commands.access import facts, line
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.reading import short_text
from runs.errors import BadInput
from runs.models import ApiKey, ApiToken

DAYS_MAX = 36_500


class Command(RunCommand):
    help = "Lists the keys and tokens of the API; registers a public key, makes a token, or revokes one."
    exits = f"Exit codes: 0 done; 2 refused, and nothing was written{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        add("user", metavar="USER", nargs="?", help="whose; without, those of all users are listed")
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--register-key", metavar="FILE", help="the public key in it, such as id_ed25519.pub; - reads it"
        )
        what.add_argument("--make-token", action="store_true", help="prints it, once")
        what.add_argument("--revoke", metavar="ID", help="the fingerprint of a key, or the id of a token")
        add("--name", default="", help="what it is for, or where it is kept; a new one needs it")
        add("--role", choices=Role.values, default=Role.READER.value, help="what it may do at most (default: reader)")
        add("--days", metavar="N", type=int, help="expires so many days from now (default: never)")

    def act(self, options: dict[str, Any]) -> int:
        user = self._user(options["user"])
        if options["revoke"] is not None:
            return self._revoke(user, options["revoke"])
        if options["register_key"] is None and not options["make_token"]:
            return self._list(user)
        if user is None:
            raise BadInput("name the user whose it is to be")
        if not options["name"].strip():
            raise BadInput("give it a name with --name: what it is for, or where it is kept")
        given = (options["name"], Role(options["role"]), _until(options["days"]), None)
        if options["make_token"]:
            token, secret = tokens.make(user, *given)
            return self._made(token, {"token": secret}, secret)
        key = keys.register(user, short_text(options["register_key"], "the public key"), *given)
        return self._made(key, {}, line(key))

    def _made(self, row: ApiKey | ApiToken, more: dict[str, str], told: str) -> int:
        if self.json:
            self.answer(facts(row) | more)
        self.tell(told)
        return DONE

    def _list(self, user: User | None) -> int:
        given = {} if user is None else {"user": user}
        rows: list[ApiKey | ApiToken] = [
            *ApiKey.objects.select_related("user").filter(**given).order_by("pk"),
            *ApiToken.objects.select_related("user").filter(**given).order_by("pk"),
        ]
        if self.json:
            self.answer({"access": [facts(row) for row in rows]})
        self.tell(*map(line, rows))
        if not rows:
            self.note("There are no keys or tokens." if user is None else f"{user} has no keys or tokens.")
        return DONE

    def _revoke(self, user: User | None, named: str) -> int:
        key = ApiKey.objects.select_related("user").filter(fingerprint=named).first()
        token = ApiToken.objects.select_related("user").filter(public_id=named).first()
        row = key or token
        if row is None or (user is not None and row.user != user):
            raise BadInput(f"there is no key or token {named!r}; manage.py apiaccess lists them")
        revoked = revoke(row, None)
        row.refresh_from_db()
        return self._made(row, {}, f"revoked {named}" if revoked else f"{named} was revoked before")

    def _user(self, name: str | None) -> User | None:
        if name is None:
            return None
        user = User.objects.filter(username=name).first() if "\0" not in name else None
        if user is None:
            raise BadInput(f"there is no user {name!r}; manage.py createsuperuser, or the admin, makes one")
        return user


def _until(days: int | None) -> Any:
    if days is None:
        return None
    if not 1 <= days <= DAYS_MAX:
        raise BadInput(f"--days goes from 1 to {DAYS_MAX}")
    return timezone.now() + timedelta(days=days)
