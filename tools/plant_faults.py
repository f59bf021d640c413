"""Plant faults in the product, one at a time, and see whether the tests notice.

The faults stand in faults.toml, beside this script. For each one, the script changes one place below src/eligo, runs
the tests that should notice, and puts the file back as it was. What no test notices SURVIVED: a user would have met it.

    .venv/bin/python tools/plant_faults.py --dry-run              does every fault still fit the code?
    .venv/bin/python tools/plant_faults.py --results out.json     all faults; the same again goes on where it stopped
    .venv/bin/python tools/plant_faults.py priority-01 memory-03  only these

How a fault is judged:

1. its own `tests` and the examples in the changed file's docstrings are run, up to the first failure;
2. if nothing failed, the `wider` tests of its package are run, likewise (less what was run already);
3. a run that takes longer than --timeout hangs, which counts as caught; so does one that crashes;
4. a test that failed is run once more on the code as it was, with the same random examples: if it fails there too, it
   says nothing about the fault. It is left out, and the run is repeated.

When files move or lines change, edit `module`, `old` and `new` in faults.toml until --dry-run is content. The script
refuses to start while git sees changes in src, so that nothing of yours is lost. If it is killed the hard way, it may
leave its fault behind: `git checkout src` undoes it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "eligo"
KEYS = {"id", "module", "why", "old", "new", "tests"}
PYTEST = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not long"]
SURVIVED = "SURVIVED"

Fault = dict[str, Any]


def main() -> int:
    """Plant the faults that were asked for, and tell what noticed them."""
    options = arguments()
    faults, wider = read(options.faults)
    if unknown := set(options.ids) - {fault["id"] for fault in faults}:
        return fail(f"no fault is called {', '.join(sorted(unknown))}")
    chosen = [fault for fault in faults if not options.ids or fault["id"] in options.ids]
    if wrong := [problem for fault in chosen for problem in problems_of(fault)]:
        return fail(*wrong)
    print(f"{len(chosen)} faults fit the code: each text occurs once, and each changed file compiles")
    if options.dry_run:
        return 0
    if changed := subprocess.check_output(["git", "status", "--porcelain", "--", "src"], cwd=ROOT, text=True):
        return fail("git sees changes in src; commit them or take them back first:", changed.rstrip())
    results: dict[str, dict[str, Any]] = {}
    if options.results and options.results.exists():
        results = json.loads(options.results.read_text("utf-8"))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    for fault in chosen:
        if fault["id"] in results:
            continue
        results[fault["id"]] = judge(fault, wider, options.timeout)
        if options.results:
            written = options.results.with_suffix(".part")
            written.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
            written.replace(options.results)
        print(row(fault["id"], results[fault["id"]]), flush=True)
    summary(chosen, results)
    return 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID", help="which faults to plant; all where none is named")
    parser.add_argument("--faults", type=Path, default=Path(__file__).with_name("faults.toml"), help="another list")
    parser.add_argument("--results", type=Path, help="a JSON file to write, and to go on from: what is in it is done")
    parser.add_argument("--timeout", type=float, default=600, help="seconds one run of tests may take (default 600)")
    parser.add_argument("--dry-run", action="store_true", help="only check that the faults fit the code; run no tests")
    return parser.parse_args()


def fail(*lines: str) -> int:
    """Say why nothing was done."""
    print(*lines, sep="\n", file=sys.stderr)
    return 2


def stop(number: int, _: object) -> NoReturn:
    """End at a signal, so that `planted` puts the file back on the way out."""
    raise SystemExit(128 + number)


# ---- the list


def read(path: Path) -> tuple[list[Fault], dict[str, list[str]]]:
    """Return the faults of a list, and the wider tests of each package."""
    listed = tomllib.loads(path.read_text("utf-8"))
    faults = listed["fault"]
    for fault in faults:
        if set(fault) != KEYS:
            raise SystemExit(f"fault {fault.get('id')!r} must have the keys {', '.join(sorted(KEYS))}, and no others")
    ids = [fault["id"] for fault in faults]
    if twice := {one for one in ids if ids.count(one) > 1}:
        raise SystemExit(f"two faults are called {', '.join(sorted(twice))}")
    return faults, listed["wider"]


def problems_of(fault: Fault) -> Iterator[str]:
    """Yield why a fault cannot be planted, or would not be judged."""
    path, name = PACKAGE / fault["module"], f"{fault['id']} ({fault['module']})"
    if not path.is_file():
        yield f"{name}: there is no such file"
        return
    text = path.read_text("utf-8")
    if (count := text.count(fault["old"])) != 1:
        yield f"{name}: the old text occurs {count} times, not once: {fault['old']!r}"
        return
    try:
        compile(text.replace(fault["old"], fault["new"]), str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        yield f"{name}: the changed file does not compile: {error}"
    if fault["old"] == fault["new"]:
        yield f"{name}: it changes nothing"
    if not existing(fault["tests"]):
        yield f"{name}: none of its tests exists: {', '.join(fault['tests'])}"


def existing(tests: list[str]) -> list[str]:
    """Return those of some tests whose file or folder is there."""
    return [test for test in tests if (ROOT / test.partition("::")[0]).exists()]


# ---- one fault


@contextmanager
def planted(fault: Fault) -> Iterator[None]:
    """Change a file, and put it back whatever happens, with its time, so that no compiled file is out of date."""
    path = PACKAGE / fault["module"]
    original, times = path.read_bytes(), path.stat()
    try:
        path.write_bytes(original.decode("utf-8").replace(fault["old"], fault["new"]).encode("utf-8"))
        yield
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def judge(fault: Fault, wider: dict[str, list[str]], timeout: float) -> dict[str, Any]:
    """Plant one fault, run its own tests and then wider ones, and return what came out."""
    started = time.monotonic()
    package = fault["module"].partition("/")[0]
    own = existing([*fault["tests"], f"src/eligo/{fault['module']}"])
    more = [test for test in existing(wider.get(package, wider["others"])) if test not in own]
    caught, stage = SURVIVED, ""
    innocent: list[str] = []
    with tempfile.TemporaryDirectory(prefix="plant-faults-") as examples:
        for name, tests in (("own", own), ("wider", more)):
            stage, caught = name, notice(fault, tests, innocent, timeout, examples)
            if caught != SURVIVED:
                break
    return {
        "module": fault["module"],
        "why": fault["why"],
        "caught_by": caught,
        "stage": stage,
        "seconds": round(time.monotonic() - started, 1),
        "fails_anyway": innocent,
    }


def notice(fault: Fault, tests: list[str], innocent: list[str], timeout: float, examples: str) -> str:
    """Return what notices a fault; what fails without it too is added to `innocent` and not asked again."""
    while tests:
        with planted(fault):
            found = first_failure([*tests, *(f"--deselect={test}" for test in innocent)], timeout, examples)
        if found in (SURVIVED, "a hang", "a crash") or first_failure([found], timeout, examples) == SURVIVED:
            return found
        if found in innocent:
            raise SystemExit(f"{found} fails without a fault and cannot be left out")
        innocent.append(found)
    return SURVIVED


def first_failure(tests: list[str], timeout: float, examples: str) -> str:
    """Run tests and return the first that fails."""
    # Examples that hypothesis found for another fault must not help with this one.
    env = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": examples, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *PYTEST, *tests]
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as run:
        try:
            output = run.communicate(timeout=timeout)[0].decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            return "a hang"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
    if run.returncode in (0, 5):  # 5: there are no tests
        return SURVIVED
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
    if failed:
        return failed[1]
    if run.returncode < 0 or run.returncode > 128:
        return "a crash"
    raise SystemExit(f"pytest ended with {run.returncode} and named no test:\n{output[-3000:]}")


# ---- what came out


def row(name: str, result: dict[str, Any]) -> str:
    """Return one line of the table."""
    return f"{name:<16} {result['module']:<42} {result['seconds']:>7.1f} s  {result['caught_by']}"


def summary(chosen: list[Fault], results: dict[str, dict[str, Any]]) -> None:
    """Print the table, the figures, and what survived."""
    done = {fault["id"]: results[fault["id"]] for fault in chosen}
    survivors = {name: result for name, result in done.items() if result["caught_by"] == SURVIVED}
    seconds = [result["seconds"] for result in done.values()]
    print("\n" + "\n".join(row(name, result) for name, result in done.items()))
    print(f"\ncaught {len(done) - len(survivors)} of {len(done)}, in {sum(seconds) / 60:.0f} minutes", end="")
    print(f"; {statistics.median(seconds):.0f} s in the middle" if seconds else "")
    for name, result in survivors.items():
        print(f"survived: {name}, {result['module']}: {result['why']}")


if __name__ == "__main__":
    sys.exit(main())
