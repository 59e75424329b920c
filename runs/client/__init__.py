'''A client of the API for Python programs. It needs httpx, websockets, cbor2 and cryptography, and nothing of Django,
so this folder may also be copied.

    from runs.client import Daybook, Token

    SCRIPT = """
    export default async function (input, ctx) {
      const event = await ctx.waitForEvent({ signal: 'approved' }, { label: 'Sign-off' });
      return { invoice: input.invoice, by: event.payload };
    }
    """

    with Daybook("http://127.0.0.1:8000", Token("daybook_...")) as daybook:
        run = daybook.start(SCRIPT, input={"invoice": 17}, title="Sign-off")["run"]
        for entry in daybook.follow(run["id"]):
            print(entry.seq, entry.kind, entry.fields)
            if entry.kind == "wait":
                daybook.signal(run["id"], "approved", "Ana")
        print(daybook.wait(run["id"], timeout=60)["output"])

`Key` instead of `Token` signs each message: `Key.load("id_ed25519", account="ana")`. `AsyncDaybook` is the same for
asyncio. What is refused is a `DaybookError` with a `code`; `wait` raises `TimeoutError`.
'''

from .asynchronous import AsyncDaybook
from .credentials import Credentials, Key, Token
from .errors import DaybookError
from .items import Change, Entry
from .synchronous import Daybook

__all__ = ["AsyncDaybook", "Change", "Credentials", "Daybook", "DaybookError", "Entry", "Key", "Token"]
