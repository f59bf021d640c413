"""One try of a task beside the rules of DAGMan, written down from its documentation alone.

The manual (*Node Success/Failure*): the exit value of whatever was run last decides. A script before that fails leaves
out the job and the script after. PRE_SKIP: at this non-zero value of the script before the rest is left out and the
node has succeeded. RETRY: the whole node again, unless it exits with the value of UNLESS-EXIT. ABORT-DAG-ON: by the
script before; by the job only where there is no script after; by the script after; it overrides retries.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines._attempts import AFTER, BEFORE, Attempt, VerdictKind
from eligo.engines._plan import Abort, Hook, Process, Task

HOOK, PROCESS = Hook(("x",), "/"), Process(("x",), "/")
codes = st.sampled_from([0, 1, 2, 3, 137])


def plain_node(task, codes_of_try):
    """Return what a node comes to, and the steps that ran in each try."""
    tries = []
    for number, given_codes in enumerate(codes_of_try, start=1):
        ran, last = [], 0
        skipped = False
        if task.before:
            ran.append("pre")
            last = given_codes["pre"]
            skipped = last != 0 and last == task.skip_code
        if not skipped and not (task.before and last != 0):
            ran += ["job"] * bool(task.processes)
            job = next((code for code in given_codes["jobs"][: len(task.processes)] if code), 0)
            last = job
            if task.after:
                ran.append("post")
                last = given_codes["post"]
        tries.append(ran)
        if skipped:
            return "success", tries
        if task.abort and last == task.abort.exit_code:
            return "abort", tries
        if last == 0:
            return "success", tries
        if number > task.retries or last == task.unless_exit:
            return "failure", tries
    raise AssertionError("more tries than were drawn")


@st.composite
def tasks(draw):
    return Task(
        "a",
        (PROCESS,) * draw(st.integers(0, 3)),
        before=draw(st.none() | st.just(HOOK)),
        after=draw(st.none() | st.just(HOOK)),
        retries=draw(st.integers(0, 3)),
        unless_exit=draw(st.none() | codes),
        skip_code=draw(st.none() | st.sampled_from([1, 2, 3])),
        abort=draw(st.none() | st.builds(Abort, codes)),
    )


def run(task, codes_of_try):
    """Let `Attempt` lead through the tries, ending steps as drawn."""
    tries = []
    for number, given_codes in enumerate(codes_of_try, start=1):
        attempt, ran = Attempt(task, number), []
        while steps := attempt.next_steps():
            assert attempt.verdict() is None
            for step in steps:
                attempt.codes[step] = {BEFORE: given_codes["pre"], AFTER: given_codes["post"]}.get(
                    step, given_codes["jobs"][max(step, 0)]
                )
            ran.append({BEFORE: "pre", AFTER: "post"}.get(steps[0], "job"))
        tries.append(ran)
        verdict = attempt.verdict()
        assert verdict is not None
        if verdict.kind is not VerdictKind.AGAIN:
            word = {VerdictKind.SUCCEEDED: "success", VerdictKind.FAILED: "failure", VerdictKind.ABORT: "abort"}
            return word[verdict.kind], tries
    raise AssertionError("tried more often than allowed")


@given(
    tasks(),
    st.lists(
        st.fixed_dictionaries({"pre": codes, "post": codes, "jobs": st.tuples(codes, codes, codes)}),
        min_size=4,
        max_size=4,
    ),
)
def test_like_the_manual(task, codes_of_try):
    assert run(task, codes_of_try) == plain_node(task, codes_of_try)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_in_which_processes_end_does_not_matter(order):
    task = Task("a", (PROCESS,) * 3, after=HOOK)
    attempt = Attempt(task)
    for step in order:
        assert AFTER not in attempt.next_steps()
        attempt.codes[step] = (0, 5, 7)[step]
    assert attempt.process_code == 5
    assert attempt.next_steps() == (AFTER,)


def test_an_abort_overrides_retries():
    attempt = Attempt(Task("a", (PROCESS,), retries=5, abort=Abort(3)))
    attempt.codes[0] = 3
    assert attempt.verdict().kind is VerdictKind.ABORT
    attempt.task = replace(attempt.task, abort=Abort(4))
    assert attempt.verdict().kind is VerdictKind.AGAIN
