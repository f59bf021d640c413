"""A study for the tests of the frame: it adds numbers, and notes each time that it does."""

from __future__ import annotations

import os
import time
from pathlib import Path

from eligo.errors import EligoError
from eligo.report import plot_profiles
from eligo_papers.chapter import Chapter, Picture, Section, Step, Table, check


def add(left, right, log, sleep_s=0.0):
    print("whatever a step prints stands in nobody's way")
    with open(log, "a") as stream:
        stream.write(f"{left}+{right} {os.getpid()}\n")
    time.sleep(sleep_s)
    return {"sum": left + right}


def refuse(log):
    raise EligoError("cannot be had", hint="do without")


def die(log):
    os._exit(3)


LOG = Path("unset")
SLEEP_S = 0.0
MORE: list[Step] = []


def steps(settings):
    log = str(LOG)
    some = [Step(f"add-{i}", add, {"left": i, "right": 1, "log": log, "sleep_s": SLEEP_S}) for i in range(4)]
    return [*some, *MORE]


def chapter(found, settings):
    checks = [
        check("1", "a sum", 3, found["add-2"]["sum"]),
        check("2", "a|b <script>", 9, found["add-3"]["sum"], erratum="it is *not* 9"),
        check("3", "another", 7.0, float(found["add-1"]["sum"]), because="theirs is larger"),
        check("4", "one more", 6, found["add-0"]["sum"], tried="seven ways"),
        check("5", "a last one", 5, found["add-0"]["sum"]),
    ]
    table = Table("sums", "Sums", ("a", "b|c"), [("1", "<b>&"), ("2", "x,y")], "A `note`.")
    picture = Picture("curve", "a curve", lambda: plot_profiles({"one": [1, 2, 1, 0]}))
    return Chapter(
        "little",
        "A little study",
        "Someone 1999",
        "About **it**.",
        checks,
        [Section("Part", ["Text.", table, picture])],
    )
