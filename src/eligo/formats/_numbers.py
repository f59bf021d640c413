"""Quantities as data files state them: numbers in JSON, text in XML and YAML, negative ones among them.

:mod:`eligo.formats._numbers` reads what people write; here the same rules are applied to whatever a parser hands over.
A negative quantity is returned as such, for the caller to note: a real generator draws sizes from a normal
distribution. Anything that is no quantity raises :class:`EligoError`, which the reader completes with file and line.

Numbers as people and programs write them: sizes in bytes, seconds, counts.

A size must come out exact: ``0.1GB`` is 100,000,000 bytes, which a float of 0.1 would miss for larger numbers, and
sums of sizes are compared with limits to the byte. So text goes through :class:`decimal.Decimal`, never through a
float. Absurd input (``1e400``, ten thousand digits, ``nan``) is refused before any large number is made.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

from eligo.dag import MAX_BYTES, MAX_SECONDS
from eligo.errors import EligoError

__all__ = [
    "format_size",
    "parse_count",
    "parse_seconds",
    "parse_size",
    "shown",
    "stated_bytes",
    "stated_seconds",
]

_PREFIXES = "kmgtpe"
_SCALES = {
    "": 1,
    **{prefix: 1000**power for power, prefix in enumerate(_PREFIXES, 1)},
    **{prefix + "i": 1024**power for power, prefix in enumerate(_PREFIXES, 1)},
}
_DECIMAL = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
_SIZE = re.compile(rf"\s*({_DECIMAL})\s*([kmgtpe]i?)?(?:b|bytes?)?\s*", re.IGNORECASE)
_NUMBER = re.compile(rf"\s*({_DECIMAL})\s*")
_LONGEST = 200  # characters; a longer number is an accident, and refusing it keeps the work bounded
_LARGEST_EXPONENT = 400
_PLAIN_DIGITS = 18  # so many digits stay below 2^62


def parse_size(text: str) -> int:
    """Return a size in bytes: ``64GB``, ``512MiB``, ``1.5e9``, ``41464181.0``.

    ``k``, ``M``, ``G``, ``T``, ``P``, ``E`` are powers of 1000, and of 1024 with an ``i``; case and a final ``B`` do
    not matter. With a prefix a fraction of a byte is dropped; without one it is refused, since then the number was
    hardly meant as bytes.

    Raises
    ------
    EligoError
        It is not a number, negative, fractional, or 2^62 bytes or more.

    Examples
    --------
    >>> parse_size("64GB"), parse_size("512 MiB"), parse_size("1.5e9"), parse_size("41464181.0")
    (64000000000, 536870912, 1500000000, 41464181)
    >>> parse_size("2.5")
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: size '2.5' is not a whole number of bytes
    hint: write sizes in bytes, or with a unit such as 2.5GB
    """
    plain = text.removesuffix(".0")  # as programs print whole floats
    if plain.isdigit() and plain.isascii() and len(plain) <= _PLAIN_DIGITS:
        return int(plain)
    match = _SIZE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise EligoError(f"size {_shown(text)} is not a number", hint="write sizes like 64GB, 512MiB or 1.5e9")
    number, prefix = Decimal(match[1]), (match[2] or "").lower()
    if number < 0:
        raise EligoError(f"size {_shown(text)} is negative", hint="leave the size out where it is not known")
    if number.adjusted() >= 20:
        raise _too_large(text)
    vanishing = bool(number) and number.adjusted() <= -_LARGEST_EXPONENT  # an exact fraction would be enormous
    scaled = Fraction(0 if vanishing or not number else number) * _SCALES[prefix]
    if scaled >= MAX_BYTES:
        raise _too_large(text)
    if not prefix and (scaled.denominator != 1 or vanishing):
        raise EligoError(
            f"size {_shown(text)} is not a whole number of bytes",
            hint="write sizes in bytes, or with a unit such as 2.5GB",
        )
    return int(scaled)


def parse_seconds(text: str) -> float:
    """Return a time in seconds, finite and not negative.

    Examples
    --------
    >>> parse_seconds("58.96")
    58.96
    >>> parse_seconds("nan")
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: time 'nan' is not a number of seconds
    hint: write times in seconds, like 12.5
    """
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise EligoError(f"time {_shown(text)} is not a number of seconds", hint="write times in seconds, like 12.5")
    seconds = float(match[1])
    if seconds < 0:
        raise EligoError(f"time {_shown(text)} is negative", hint="leave the time out where it is not known")
    if seconds >= MAX_SECONDS:
        raise EligoError(f"time {_shown(text)} is too large", hint="write times in seconds, like 12.5")
    return abs(seconds)  # so that "-0" is 0


def parse_count(text: str) -> int:
    """Return a number of tasks: whole and not negative.

    Examples
    --------
    >>> parse_count("10")
    10
    """
    try:
        if len(text) <= _LONGEST and _NUMBER.fullmatch(text):
            return parse_size(text)
    except EligoError:
        pass  # said better below
    raise EligoError(f"count {_shown(text)} is not a whole number", hint="write counts like 10")


def format_size(size_bytes: int) -> str:
    """Return a size for people, with three digits and a decimal unit.

    Examples
    --------
    >>> format_size(536_870_912), format_size(999_999), format_size(12), format_size(64_000_000_000)
    ('537 MB', '1 MB', '12 B', '64 GB')
    """
    if size_bytes < 0:
        return "-" + format_size(-size_bytes)
    if size_bytes < 1000:
        return f"{size_bytes} B"
    rounded = Decimal(f"{Decimal(size_bytes):.2e}")
    power = min(rounded.adjusted() // 3, len(_PREFIXES))
    digits = f"{rounded.scaleb(-3 * power):f}"
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return f"{digits} {'k' if power == 1 else _PREFIXES[power - 1].upper()}B"


def _too_large(text: str) -> EligoError:
    return EligoError(f"size {_shown(text)} is 2^62 bytes or more", hint="check the unit: no workflow is that large")


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 40 else f"{text[:40]!r}..."


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
