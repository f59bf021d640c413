"""Quantities as data files state them: numbers in JSON, text in XML and YAML, negative ones among them.

:mod:`eligo.formats.sizes` reads what people write; here the same rules are applied to whatever a parser hands over.
A negative quantity is returned as such, for the caller to note: a real generator draws sizes from a normal
distribution. Anything that is no quantity raises :class:`EligoError`, which the reader completes with file and line.
"""

from __future__ import annotations

import math

from eligo.dag import MAX_BYTES, MAX_SECONDS
from eligo.errors import EligoError
from eligo.formats.sizes import parse_seconds, parse_size

__all__ = ["shown", "stated_bytes", "stated_seconds"]


def stated_bytes(value: object, *, unit: int = 1, round_up: bool = False) -> int:
    """Return a size in bytes; it may be negative.

    Parameters
    ----------
    unit
        How many bytes the stated number counts, such as 1024 for kB.
    round_up
        Whether a fraction of a byte is rounded up (memory is measured and averaged) or refused (files have none).

    Raises
    ------
    EligoError
        It is not a number, not whole, or too large to be meant.

    Examples
    --------
    >>> stated_bytes(" 2048 "), stated_bytes("-3"), stated_bytes(86508.0, unit=1024)
    (2048, -3, 88584192)
    >>> stated_bytes([])
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: size a list is not a number
    hint: write sizes in bytes, like 2048
    """
    if isinstance(value, str):
        text = value.strip()
        size = (-parse_size(text[1:]) if text[:1] == "-" else parse_size(text)) * unit
    elif isinstance(value, float) and math.isfinite(value):
        if not round_up and not value.is_integer():
            raise EligoError(f"size {value} is not a whole number of bytes", hint="write sizes in bytes, like 2048")
        if 2**53 < abs(value) < MAX_BYTES:
            raise EligoError(f"size {value} has lost digits as a fraction", hint="write it as a whole number")
        size = math.ceil(value * unit) if abs(value) < MAX_BYTES else int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        size = value * unit
    else:
        raise EligoError(f"size {shown(value)} is not a number", hint="write sizes in bytes, like 2048")
    if abs(size) >= MAX_BYTES:
        raise EligoError(f"size {shown(value)} is 2^62 bytes or more", hint="check it: no workflow is that large")
    return size


def stated_seconds(value: object) -> float:
    """Return a time in seconds; it may be negative.

    Raises
    ------
    EligoError
        It is not a number, not finite, or too large to be meant.

    Examples
    --------
    >>> stated_seconds("0.0936"), stated_seconds(12), stated_seconds("-1")
    (0.0936, 12.0, -1.0)
    """
    if isinstance(value, str):
        text = value.strip()
        return -parse_seconds(text[1:]) if text[:1] == "-" else parse_seconds(text)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if abs(number) < MAX_SECONDS:
            return number
    raise EligoError(f"time {shown(value)} is not a number of seconds", hint="write times in seconds, like 12.5")


def shown(value: object) -> str:
    """Show any value in a message: never long, and never converted where conversion itself is costly.

    Examples
    --------
    >>> shown(None), shown({}), shown(True), shown("x" * 50)
    ('null', 'a mapping', 'true', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'")
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value) if value.bit_length() < 200 else "of very many digits"
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a mapping"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:37]}...")
    return str(value)
