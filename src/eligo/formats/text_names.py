r"""Any name as plain text: what a format cannot hold is written as ``%XX``, byte by byte, and comes back exactly.

A name that holds no backslash, per cent sign or control character is written as it is, so encoded and plain names can
never be mistaken for each other.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from eligo.errors import EligoError

__all__ = ["decode_name", "encode_name"]

_UNSAFE = re.compile(r"[%\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_UNSAFE_IN_LIST = re.compile(r'[%\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\s=:"]')


def encode_name(name: str, *, in_list: bool = False) -> str:
    r"""Return a name with unsafe characters as ``%XX``; in lists also blanks, quotes, ``=`` and ``:``.

    Examples
    --------
    >>> encode_name("été 5%"), encode_name("a\\b"), encode_name("a b", in_list=True)
    ('été 5%25', 'a%5Cb', 'a%20b')
    """
    return (_UNSAFE_IN_LIST if in_list else _UNSAFE).sub(_encode, name)


def decode_name(text: str) -> str:
    r"""Return the name that :func:`encode_name` was given.

    Examples
    --------
    >>> decode_name("a%5Cb")
    'a\\b'
    """
    try:
        return unquote_to_bytes(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise EligoError(
            f"name {text!r} is not valid when %XX is decoded", hint="write a per cent sign as %25"
        ) from None


def _encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass"))
