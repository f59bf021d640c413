"""Lines for jobs by the million: the kernel, and what it does not take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.formats._dagman.priority_styles import priority_lines, vars_lines

NAMES = st.text(st.characters(exclude_categories=["Cc", "Zs"]), min_size=1, max_size=5)


@given(st.lists(st.tuples(NAMES, st.integers(-(2**31), 2**31 - 1)), max_size=5), st.sampled_from([b"\n", b"\r\n"]))
def test_a_line_for_each_job(jobs, end):
    """Any name, also with lone surrogates, which stand for bytes that were no UTF-8."""
    names, numbers = [name for name, _ in jobs], np.array([number for _, number in jobs], np.int32)
    if any(0xD800 <= ord(c) <= 0xDFFF and not 0xDC80 <= ord(c) <= 0xDCFF for name in names for c in name):
        return  # no file has such a name
    encoded = [name.encode("utf-8", "surrogateescape") for name in names]
    plain = zip(encoded, numbers.tolist(), strict=True)
    assert priority_lines(names, numbers, end) == b"".join(b"PRIORITY %s %d" % pair + end for pair in plain)
    plain = zip(encoded, numbers.tolist(), strict=True)
    assert vars_lines(names, numbers, end) == b"".join(b'VARS %s jobpriority="%d"' % pair + end for pair in plain)


def test_as_many_numbers_as_names():
    with pytest.raises(ValueError, match="1 names for 2 numbers"):
        priority_lines(["a"], np.array([1, 2], np.int32), b"\n")
