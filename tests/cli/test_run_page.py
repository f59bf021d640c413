"""``eligo run --watch``: the page of a run while it goes on, who may see it, and that nothing is left of it."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from eligo import Dag, write
from eligo._cli import main
from eligo._cli.run_watch import RunPage
from eligo.engines._engine import Event, Happening
from eligo.engines._make_plan import make_plan
from eligo.formats import open_document
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from tests.cli.limiting import run, with_files
from tests.cli.running import LONGEST_S, WAITS, diamond, flow, started, wait_until
from tests.guards import no_hang

FORK = [("a", "b"), ("a", "c")]


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    with no_hang(120):
        yield


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def address_in(text: str) -> str | None:
    found = re.search(r"^watch it at (http://127\.0\.0\.1:\d+/\?token=[\w-]{40,})$", text, re.MULTILINE)
    return None if found is None else found[1]


def asked(url: str, path: str | None = None, **headers: str) -> tuple[int, bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=LONGEST_S)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}" if path is None else path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def token_of(url: str) -> str:
    return url.partition("token=")[2]


def data_of(page: bytes) -> dict[str, Any]:
    found = re.search(rb'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


class Stream:
    """What a browser knows of a run: a snapshot, to which changes are applied."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=LONGEST_S)
        self._connection.request("GET", f"/events?token={token_of(url)}", headers={"Accept": "text/event-stream"})
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200
        assert self._answer.headers["Content-Type"] == "text/event-stream"
        self.status: list[int] = []
        self.notes: list[str] = []
        self.over: dict[str, Any] | None = None
        self.kinds: list[str] = []

    def follow(self) -> Stream:
        """Listen until the server hangs up."""
        kind = ""
        for line in self._answer:
            name, _, value = line.decode("ascii").rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                self._take(kind, json.loads(value))
        self._connection.close()
        return self

    def _take(self, kind: str, news: dict[str, Any]) -> None:
        self.kinds.append(kind)
        if kind == "snapshot":
            self.status, self.notes = news["status"], news["notes"]
        else:
            for job, status, *_ in news["jobs"]:
                self.status[job] = status
            self.notes += news["notes"]
        self.over = news["over"]


def read_until_address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    text = ""
    for line in process.stderr:
        text += line
        if url := address_in(text):
            return url
    raise AssertionError(f"no address: {text}")


# Real runs.


def test_a_run_is_followed_to_its_end(home):
    """The page is there while a job waits, a browser sees all jobs done, and then the port is free and nothing left."""
    file = diamond(home, b=WAITS)
    with started(home, file, "--watch", "0", "-j", "2") as process:
        url = read_until_address(process)
        wait_until((home / "b.sh.pid").exists, process)
        status, page = asked(url)
        assert (status, page[:9]) == (200, b"<!doctype")
        assert data_of(page)["live"] is True
        assert data_of(page)["jobs"]["name"] == ["a", "b", "c", "d"]
        assert b"connect-src &#39;self&#39;" in page
        for other in ("/", "/?token=", f"/?token={token_of(url)[:-1]}x", "/events", "/events?token=x"):
            assert asked(url, other)[0] == 403
        assert asked(url, Host="evil.example")[0] == 403
        assert asked(url, Origin="http://evil.example")[0] == 403
        assert asked(url, f"/etc/passwd?token={token_of(url)}")[0] == 404
        stream = Stream(url)
        (home / "go").touch()
        stream.follow()
        out, _ = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 0
    assert stream.kinds[0] == "snapshot"
    assert stream.status == [2, 2, 2, 2]
    assert stream.over is not None
    assert stream.over["exit_status"] == 0
    parts = urlsplit(url)
    with pytest.raises(ConnectionRefusedError), socket.create_connection((parts.hostname, parts.port), timeout=5):
        pass
    assert token_of(url) not in out
    for path in home.rglob("*"):
        if path.is_file():
            assert token_of(url).encode() not in path.read_bytes(), path
    assert "run.log" in {path.name for path in (home / "flow.dag.eligo").iterdir()}


def test_a_run_that_fails(home):
    """Failures, and what is said of them, reach the page; the end has the status of the run."""
    file = flow(home, {"w": WAITS, "bad": "exit 5", "behind": "true"}, "PARENT w CHILD bad\nPARENT bad CHILD behind\n")
    with started(home, file, "--watch", "0") as process:
        stream = Stream(read_until_address(process))
        (home / "go").touch()
        stream.follow()
        process.communicate(timeout=LONGEST_S)
    assert process.returncode == 1
    assert stream.status == [2, 3, 0]
    assert [note for note in stream.notes if note.startswith("bad failed")]
    assert stream.over is not None
    assert stream.over["exit_status"] == 1


def test_a_run_that_goes_on_shows_what_is_done(home):
    file = diamond(home, c="test -e again")
    assert main(["run", file]) == 1
    (home / "again").touch()
    (home / "c.sh").write_text(WAITS)
    with started(home, file, "--watch", "0", "--resume") as process:
        url = read_until_address(process)
        wait_until((home / "c.sh.pid").exists, process)
        stream = Stream(url)
        (home / "go").touch()
        stream.follow()
        process.communicate(timeout=LONGEST_S)
    assert process.returncode == 0
    assert stream.status == [2, 2, 2, 2]


def test_the_address_is_told_once_and_on_standard_error(home, capsys):
    """A run that nobody looks at ends as it would, and makes no page."""
    write(Dag.from_names(FORK), "x.dot")
    assert main(["run", "x.dot", "--command", "true", "--watch", "0"]) == 0
    said = capsys.readouterr()
    url = address_in(said.err)
    assert url is not None
    assert said.err.count("token=") == 1
    assert "token=" not in said.out
    for path in Path("x.dot.eligo").rglob("*"):
        if path.is_file():
            assert token_of(url).encode() not in path.read_bytes(), path


def test_each_run_has_its_own_token(home, capsys):
    write(Dag.from_names(FORK), "x.dot")
    tokens = set()
    for _ in range(2):
        assert main(["run", "x.dot", "--command", "true", "--watch", "0", "--restart"]) == 0
        tokens.add(token_of(address_in(capsys.readouterr().err) or ""))
    assert len(tokens) == 2


def test_json_stays_json(home, capsys):
    write(Dag.from_names(FORK), "x.dot")
    assert main(["run", "x.dot", "--command", "true", "--watch", "0", "--json"]) == 0
    said = capsys.readouterr()
    assert all(json.loads(line) for line in said.out.splitlines())
    assert address_in(said.err)


def test_a_port_that_is_in_use(home, capsys):
    """Said before any job starts, and before there is a state."""
    file = diamond(home)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["run", file, "--watch", str(port)]) == 1
    err = capsys.readouterr().err
    assert f"port {port} on 127.0.0.1 cannot be used: Address already in use\nhint: choose another, or 0 for any" in err
    assert not (home / "ran").exists()
    assert not (home / "flow.dag.eligo").exists()


@pytest.mark.parametrize("port", ["70000", "65536", "-1", "x", "80.0", "", "٣", "0x50"])
def test_ports_that_are_none(home, capsys, port):
    file = diamond(home)
    with pytest.raises(SystemExit) as stopped:
        main(["run", file, f"--watch={port}"])
    assert stopped.value.code == 2
    assert f"{port!r} is no port from 0 to 65535" in capsys.readouterr().err
    assert not (home / "ran").exists()


def test_a_run_that_cannot_start_gives_its_port_back(home, capsys):
    """An engine that refuses: no address is told, and the port is free."""
    file = diamond(home)
    assert main(["run", file]) == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    capsys.readouterr()
    assert main(["run", file, "--watch", str(port)]) == 1  # it has run already
    assert address_in(capsys.readouterr().err) is None
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))


def test_dry_runs_serve_nothing(home, capsys):
    assert main(["run", diamond(home), "--watch", "0", "--dry-run"]) == 0
    assert "watch it at" not in capsys.readouterr().err


def test_help_tells_of_it():
    said = subprocess.run(
        [sys.executable, "-m", "eligo", "run", "--help"], capture_output=True, text=True, timeout=60, check=True
    )
    assert "--watch PORT" in said.stdout
    assert "eligo run workflow.dag --watch 8080" in said.stdout


# The parts.


def state_of(status: list[int], **more: Any) -> Any:
    """The part of a state that the page looks at."""
    n = len(status)
    columns = {"start_s": [None] * n, "end_s": [None] * n, "worker": [-1] * n, **more}
    return SimpleNamespace(status=status, now_s=lambda: 7.5, **columns)


def page_for(file: str, memory: int | None = None, order: str = "best") -> RunPage:
    document = open_document(file)
    limited = None if memory is None else limit(footprint(document.dag), memory)
    plan = make_plan(
        document, dag=document.dag if limited is None else limited.dag, priorities=[0] * document.dag.n, command="true"
    )
    return RunPage(plan, limited, order, 0)


def snapshot(page: RunPage) -> dict[str, Any]:
    """What the first event tells."""
    parts = urlsplit(page.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=LONGEST_S) as connection:
        request = f"GET /events?token={token_of(page.url)} HTTP/1.1\r\nHost: 127.0.0.1:{parts.port}\r\n\r\n"
        connection.sendall(request.encode())
        text = b""
        while not (found := re.search(rb"data: (.*)\n\n", text)):
            text += connection.recv(65536)
    return json.loads(found[1])


@pytest.fixture
def page(home) -> Iterator[RunPage]:
    write(Dag.from_names([("a", "b"), ("a", "c\x1b\u202e<b>")]), "x.dot")
    with page_for("x.dot") as made:
        yield made


def test_nothing_is_known_at_first(page):
    told = snapshot(page)
    assert (told["status"], told["start_s"], told["worker"]) == ([0] * 3, [None] * 3, [-1] * 3)
    assert (told["notes"], told["over"]) == ([], None)


def test_what_is_done_already_is_taken_over(page):
    page.begin(state_of([2, 1, 0], start_s=[0.0, 1.5, None], end_s=[1.0, None, None], worker=[0, 3, -1]))
    told = snapshot(page)
    assert (told["status"], told["now_s"]) == ([2, 1, 0], 7.5)
    assert (told["start_s"], told["end_s"], told["worker"]) == ([0.0, 1.5, None], [1.0, None, None], [0, 3, -1])


def test_events_and_notes(page):
    """Only failures, further tries and notes are put into words; names cannot steer anything."""
    events = [
        Event(Happening.STARTED, 0, 1.0),
        Event(Happening.SUCCEEDED, 0, 2.0, text="quiet"),
        Event(Happening.FAILED, 2, 3.0, text="status 5\n\x1b[31m"),
        Event(Happening.AGAIN, 1, 3.0, text="its worker was lost"),
        Event(Happening.NOTE, -1, 3.0, text="the pool is slow"),
        Event(Happening.NOTE, 1, 3.0, text=""),
        Event(Happening.ADOPTED, 1, 3.0, text="quiet"),
        Event(Happening.CANCELLED, 1, 3.0, text="quiet"),
    ]
    page.tell(iter(events), state_of([2, 1, 3]))
    page.note("leaving\u202e", state_of([2, 1, 3]))
    told = snapshot(page)
    assert told["status"] == [2, 1, 3]
    assert told["notes"] == [
        r"c\x1b\u202e<b> failed: status 5\n\x1b[31m",
        "b is tried again: its worker was lost",
        "the pool is slow",
        "b",
        r"leaving\u202e",
    ]


def test_only_jobs_that_are_named_change(page):
    page.tell([Event(Happening.STARTED, 1, 1.0)], state_of([2, 1, 1]))
    assert snapshot(page)["status"] == [0, 1, 0]


def test_the_end(page):
    page.finish("3 jobs done", 0)
    assert snapshot(page)["over"] == {"text": "3 jobs done", "exit_status": 0}
    page.finish("The run was left.", None)
    assert snapshot(page)["over"] == {"text": "The run was left.", "exit_status": None}


def test_the_page_is_made_when_it_is_asked_for(page, monkeypatch):
    made = []
    make = RunPage._make
    monkeypatch.setattr(RunPage, "_make", lambda self: made.append(1) or make(self))
    snapshot(page)
    assert made == []
    first, again = asked(page.url), asked(page.url)
    assert first == again
    assert made == [1]
    assert data_of(first[1])["memory"] is None
    assert b"<b>" not in first[1]


def test_a_page_that_cannot_be_made_does_not_end_the_run(page, monkeypatch, capfd):
    def broken(_: RunPage) -> bytes:
        raise RuntimeError("secret")

    monkeypatch.setattr(RunPage, "_make", broken)
    status, text = asked(page.url)
    assert status == 500
    assert b"secret" not in text
    page.tell([Event(Happening.STARTED, 1, 1.0)], state_of([0, 1, 0]))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("memory", [None, 6000])
def test_memory_is_shown_where_sizes_are_known(home, memory):
    write(with_files(), "x.json")
    with page_for("x.json", memory) as page:
        found = data_of(asked(page.url)[1])
    assert (found["memory"]["limit"], found["memory"]["before"]) == (memory, 10_040)
    assert (found["memory"]["worst"] <= 6000) == (memory is not None)
    assert found["memory"]["curve"] == []
    assert [each["label"] for each in found["strategies"]][-1] == "fifo"


def test_memory_of_a_file_that_is_limited(home):
    """As ``eligo report`` shows it."""
    write(with_files(), "x.json")
    run("limit", "x.json", "--memory", "6kB", "--in-place")
    with page_for("x.json") as page:
        text = asked(page.url)[1]
    assert data_of(text)["memory"]["worst"] <= 6000
    assert "The longest chain takes 9\N{NO-BREAK SPACE}s" in text.decode()


def test_the_order_of_the_run_is_shown(home):
    """A strategy of ours beside fifo; where the file gives priorities the page says so."""
    write(Dag.from_names([("a", "b"), ("c", "d"), ("c", "e")]), "x.dot")
    for order, labels in (("area", ["area", "fifo"]), ("fifo", ["fifo"]), ("of the file", ["best (prio)", "fifo"])):
        with page_for("x.dot", order=order) as page:
            text = asked(page.url)[1]
        assert [each["label"] for each in data_of(text)["strategies"]] == labels
        assert (b"The run goes by another order: of the file." in text) == (order == "of the file")


def test_closing_gives_the_port_back(home):
    write(Dag.from_names(FORK), "x.dot")
    with page_for("x.dot") as page:
        parts = urlsplit(page.url)
        assert asked(page.url, "/favicon.ico")[0] == 204
    with pytest.raises(ConnectionRefusedError), socket.create_connection((parts.hostname, parts.port), timeout=5):
        pass
