"""Words of scripts and marks of tries; ``tasks/test_dagman_judged.py`` asks the real DAGMan what it makes of them."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines import _attempts as attempts
from eligo.engines._attempts import DAG_STATUS_MARK, FAILED_COUNT_MARK, RETRY_MARK, HookFacts, for_attempt, words
from eligo.engines._plan import Hook, Process, Sandbox


def test_every_word_has_its_meaning():
    names = ["JOB", "NODE", "RETRY", "MAX_RETRIES", "RETURN", "PRE_SCRIPT_RETURN", "DAG_STATUS", "FAILED_COUNT"]
    names += ["DONE_COUNT", "NODE_COUNT", "JOBID", "CLUSTERID", "DAGID", "JOB_COUNT", "EXIT_CODES", "EXIT_CODE_COUNTS"]
    facts = HookFacts(
        "a b", attempt=3, max_retries=5, exit_code=-9, exit_codes=(0, -9, 0), before_code=7, dag_status=2,
        failed_count=4, done_count=6, node_count=20, job_id=11, run_id=12,
    )  # fmt: skip
    expected = ["a b", "a b", "2", "5", "-9", "7", "2", "4", "6", "20", "11.2", "11", "12", "3", "-1,0", "-1:1,0:2"]
    assert words(Hook(tuple(f"${name}" for name in names), "/"), facts) == tuple(expected)
    assert attempts.misplaced([f"${name}" for name in names], after=True) == ""


def test_no_script_before_has_a_status_of_minus_one():
    assert words(Hook(("$PRE_SCRIPT_RETURN",), "/"), HookFacts("a")) == ("-1",)


@given(name=st.text(max_size=20))
def test_a_name_stays_one_word_whatever_it_is(name):
    """No word is made of a name: neither macros in it nor blanks count."""
    assert words(Hook(("x", "$JOB", "$JOBx", "-$JOB"), "/"), HookFacts(name)) == ("x", name, "$JOBx", "-$JOB")


@given(attempt=st.integers(1, 99), status=st.integers(0, 6), failed=st.integers(0, 10**6))
def test_marks_are_filled_in_everywhere(attempt, status, failed):
    text = f"r{RETRY_MARK}s{DAG_STATUS_MARK}f{FAILED_COUNT_MARK}"
    box = Sandbox(((text, text),), ((text, text),), ((text, text),))
    process = Process((text, "x"), text, {text: text}, True, text, text, text, box)
    done = for_attempt(process, attempt, dag_status=status, failed_count=failed)
    filled = f"r{attempt - 1}s{status}f{failed}"
    pairs = ((filled, filled),)
    assert done == Process(
        (filled, "x"), filled, {filled: filled}, True, filled, filled, filled, Sandbox(pairs, pairs, pairs)
    )
    assert "\0" not in repr(done)
    assert for_attempt(done, 1) is done


def test_a_forgotten_mark_starts_nothing():
    with pytest.raises(ValueError, match="null byte"):
        subprocess.run(("true", RETRY_MARK), check=False)
