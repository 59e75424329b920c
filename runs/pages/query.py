"""Numbers of an address, as people and links write them."""

from django.http import QueryDict

_GREATEST = 2**31 - 1


def number(asked: QueryDict, name: str) -> int:
    """A positive number of the address, 0 where there is none."""
    text = asked.get(name, "").lstrip("0")
    if not (text.isascii() and text.isdigit()):
        return 0
    # One digit more is greater, and Python refuses to read thousands of them.
    return min(int(text[: len(str(_GREATEST)) + 1]), _GREATEST)
