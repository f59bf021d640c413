"""The plain-Python twin of the compiled DAGMan scanner: it takes no line itself.

Every command goes to the complete parser, so a file read with this scanner is read without the fast lane. The cutting
into logical lines is written afresh here, as a loop over characters, after the description in HTCondor's manual and
the behaviour of its reader.
"""

from __future__ import annotations

import re

import numpy as np

_KEYWORDS = [
    "JOB",
    "PARENT",
    "VARS",
    "PRIORITY",
    "RETRY",
    "CATEGORY",
    "SCRIPT",
    "PRE_SKIP",
    "ABORT_DAG_ON",
    "SUBDAG",
    "FINAL",
    "PROVISIONER",
    "SERVICE",
    "SPLICE",
    "INCLUDE",
    "SUBMIT_DESCRIPTION",
    "WEAK",
    "TOLERANCE",
    "DONE",
    "MAXJOBS",
    "CONFIG",
    "DOT",
    "NODE_STATUS_FILE",
    "JOBSTATE_LOG",
    "SAVE_POINT_FILE",
    "SET_JOB_ATTR",
    "ENV",
    "REJECT",
    "CONNECT",
    "PIN_IN",
    "PIN_OUT",
]


def keyword(word: bytes) -> int:
    """Return the number of a command, 255 for none."""
    text = word.decode("latin-1")
    name = "".join(chr(ord(c) - 32) if "a" <= c <= "z" else "_" if c == "-" else c for c in text)
    return _KEYWORDS.index(name) if name in _KEYWORDS else 255


def logical_lines(data: bytes) -> list[tuple[int, int, bytes]]:
    """Return begin, end and text of every logical line."""
    out, at = [], 0
    while at < len(data):
        begin, text, going = at, b"", True
        while going and at < len(data):
            stop = at
            while stop < len(data) and data[stop : stop + 1] != b"\n":
                stop += 1
            piece, ended = data[at:stop], stop < len(data)
            at = stop + ended
            if not ended:
                text += piece
                break
            piece = piece.strip(b" \t\n\v\f\r")
            comment = piece[:1] == b"#" or (piece[:2] == b"//" and text == b"")
            if comment and text == b"":
                text, going = piece, False
                continue
            text += piece[-1:] if comment else piece
            going = text[-1:] == b"\\"
            if going:
                text = text[:-1]
        out.append((begin, at, text))
    return out


class PlainScan:
    """What the compiled scanner offers, with every line odd."""

    def __init__(self, data: bytes) -> None:
        self._numbers: dict[bytes, int] = {}
        kinds, begins, ends = [], [], []
        lines = logical_lines(data)
        at = 0
        for begin, end, text in lines:
            if begin < at or not text.strip(b" \t") or text[:1] == b"#" or text[:2] == b"//":
                continue
            kind = keyword(re.split(rb"[ \t]+", text.lstrip(b" \t"), maxsplit=1)[0])
            at = _end_of_block(data, kind, text, end)
            kinds.append(kind)
            begins.append(begin)
            ends.append(at)
        self.odd_kind = np.array(kinds, np.uint8)
        self.odd_begin, self.odd_end = np.array(begins, np.int64), np.array(ends, np.int64)
        self.odd_jobs_before = self.odd_links_before = self.odd_marks_before = np.zeros(len(kinds), np.int64)
        self.job_symbol = self.job_submit = self.link_symbol = self.mark_symbol = np.empty(0, np.int32)
        self.job_at = self.link_at = self.mark_at = np.empty(0, np.uint32)
        self.mark_kind = np.empty(0, np.uint8)
        self.link_ptr, self.link_split = np.zeros(1, np.int64), np.empty(0, np.int64)
        self.submits = 0
        self.submit_directory = np.empty(0, np.int32)
        self.directories: list[str] = []
        self.var_names: list[str] = []

    @property
    def symbols(self) -> int:
        return len(self._numbers)

    def find(self, name: bytes) -> int:
        return self._numbers.get(name, -1)

    def intern(self, name: bytes) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def symbol_names(self, which):
        names = list(self._numbers)
        return [names[i].decode("utf-8", "surrogateescape") for i in which]

    def submit_names(self, which):
        assert len(which) == 0
        return []

    def numbers(self, name):
        return np.empty(0, np.int64), np.empty(0)

    def texts(self, name):
        return np.empty(0, np.int64), []

    def edges(self, first, last, *_):
        assert first == last
        return np.empty(0, np.int32), np.empty(0, np.int32), -1, -1


def _end_of_block(data: bytes, kind: int, text: bytes, end: int) -> int:
    names = ("JOB", "FINAL", "PROVISIONER", "SERVICE", "SUBMIT_DESCRIPTION")
    if kind == 255 or _KEYWORDS[kind] not in names:
        return end
    found = re.match(rb"[ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]+(?:\"+([^\"]*)|([^ \t]*))", text)
    mark = (found[1] if found[1] is not None else found[2]) if found else b""
    if mark.startswith(b"{"):
        for _, after, line in logical_lines(data[end:]):
            if line.startswith(b"}"):
                return end + after
        return len(data)
    if mark.startswith(b"@=") and len(mark) > 2:
        close = b"@" + mark[2:]
        at = end
        for raw in re.findall(rb"[^\n]*\n|[^\n]+", data[end:]):
            at += len(raw)
            line = raw.strip(b" \t\n\v\f\r")
            if line == close or line.startswith((close + b" ", close + b"\t")):
                return at
        return len(data)
    return end
