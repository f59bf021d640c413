"""The live page: who may ask, what clients are told, and that nobody can hold up the run or its end."""

from __future__ import annotations

import http.client
import json
import math
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any, ClassVar
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import EligoError
from eligo.report._page import live_server, live_state
from eligo.report._page.live_server import LivePage, LiveState
from eligo.report._page.live_state import json_pieces
from tests.guards import no_hang

WAIT_S = 20.0  # for what must happen; nothing here takes nearly so long
COLUMNS = ("status", "start_s", "end_s", "worker")


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    with no_hang(60):
        yield


@pytest.fixture(autouse=True)
def silent(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Nothing is ever printed."""
    yield
    assert capfd.readouterr() == ("", "")


@pytest.fixture
def state() -> LiveState:
    return state_of(3)


@pytest.fixture
def page(state: LiveState) -> Iterator[LivePage]:
    with LivePage(state, page_for) as page:
        yield page
    assert page.trouble is None


@contextmanager
def patched(**values: float) -> Iterator[None]:
    """Other bounds and paces of the server."""
    with ExitStack() as stack:
        for name, value in values.items():
            stack.enter_context(mock.patch.object(live_server, f"_{name.upper()}", value))
        yield


def state_of(n: int, **more: Any) -> LiveState:
    return LiveState(n, status=[0] * n, start_s=[None] * n, end_s=[None] * n, worker=[-1] * n, **more)


def page_for(events: str) -> bytes:
    return f"<title>{events}</title>".encode()


def token_of(page: LivePage) -> str:
    return page.url.partition("token=")[2]


def ask(page: LivePage, target: str | None = None, *, method: str = "GET", body: bytes | None = None, **fields: str):
    """Return the status, header fields and body of an answer. ``sec_fetch_site="none"`` makes a field."""
    path = f"/?token={token_of(page)}" if target is None else target
    with closing(http.client.HTTPConnection("127.0.0.1", page.port, timeout=WAIT_S)) as connection:
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


def send_raw(page: LivePage, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", page.port), timeout=WAIT_S) as connection:
        connection.sendall(data)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


class Client:
    """A reader of events, which keeps columns as the page does."""

    def __init__(self, page: LivePage, last_id: str | None = None, known: dict[str, Any] | None = None) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=WAIT_S)
        headers = {} if last_id is None else {"Last-Event-ID": last_id}
        self.connection.request("GET", f"/events?token={token_of(page)}", headers=headers)
        self.answer = self.connection.getresponse()
        self.known = known or {}
        self.notes: list[str] = []
        self.kinds: list[str] = []
        self.last_id = last_id or ""
        self.beats = 0

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.answer.close()

    def step(self) -> dict[str, str] | None:
        """Read as far as the next empty line; None at the end."""
        fields: dict[str, str] = {}
        for raw in iter(self.answer.readline, b""):
            line = raw.decode("ascii").removesuffix("\n")
            if not line:
                return fields
            if line.startswith(":"):
                self.beats += 1
            else:
                name, _, value = line.partition(": ")
                assert name not in fields
                fields[name] = value
        return None

    def read(self) -> dict[str, Any] | None:
        """Read an event, and apply it; None at the end."""
        while (fields := self.step()) is not None:
            if "data" in fields:
                message = json.loads(fields["data"], parse_constant=pytest.fail)
                self.kinds.append(fields["event"])
                self.last_id = fields["id"]
                self.apply(message)
                return message
            assert fields in ({}, {"retry": "1000"})
        return None

    def apply(self, message: dict[str, Any]) -> None:
        assert "stale" not in message
        if self.kinds[-1] == "snapshot":
            self.known = {name: message[name] for name in COLUMNS}
            self.notes = []
        apply_jobs(self.known, message.get("jobs", []))
        self.notes += message["notes"]

    def read_until_over(self) -> None:
        while (message := self.read()) is not None and message["over"] is None:
            pass
        assert message is not None


def apply_jobs(known: dict[str, Any], rows: list[list[Any]]) -> None:
    for job, *values in rows:
        for name, value in zip(COLUMNS, values, strict=True):
            known[name][job] = value


def columns_of(state: LiveState) -> dict[str, Any]:
    snapshot = state.snapshot()
    return {name: snapshot[name] for name in COLUMNS}


class TestState:
    ROW: ClassVar = st.tuples(
        st.integers(0, 4),
        st.integers(0, 3),
        st.none() | st.floats(),
        st.none() | st.floats(0, 1e6),
        st.integers(-1, 3),
    )
    STEPS: ClassVar = st.lists(st.tuples(st.lists(ROW, max_size=6), st.lists(st.text(max_size=5), max_size=2)))

    @given(steps=STEPS, history=st.integers(1, 12), data=st.data())
    @settings(max_examples=100)
    def test_a_snapshot_and_changes_make_the_state(self, steps, history: int, data: st.DataObject):
        """Whenever and however seldom a client asks, it has afterwards what the state has, and all notes in order."""
        state = state_of(5, history=history)
        known, seen, notes = columns_of(state), 0, []
        for number, (rows, texts) in enumerate(steps):
            state.change(float(number), rows, texts)
            if not data.draw(st.booleans()):
                continue
            news = state.since(seen, 0.0)
            if news is None:
                assert columns_of(state) == known
                continue
            if news["stale"]:
                news = state.snapshot()
                known, notes = columns_of(state), []
            else:
                apply_jobs(known, news["jobs"])
            notes += news["notes"]
            seen = news["seq"]
            assert columns_of(state) == known
            assert notes == state.snapshot()["notes"]
            b"".join(json_pieces(news))

    def test_a_job_is_told_once_as_it_is_now(self, state: LiveState):
        for second in range(5):
            state.change(second, [(2, 1, second, None, 0), (0, 2, 0.0, second, 1)])
        news = state.since(1, 0.0)
        assert news is not None
        assert news["jobs"] == [[0, 2, 0.0, 4.0, 1], [2, 1, 4.0, None, 0]]
        assert news["now_s"] == 4.0

    def test_what_is_too_old_or_never_was_is_stale(self):
        state = state_of(3, history=2)
        for job in range(3):
            state.change(0.0, [(job, 1, 0.0, None, 0)])
        stale = {seq: state.since(seq, 0.0)["stale"] for seq in (-1, 0, 1, 2, 4)}  # type: ignore[index]
        assert stale == {-1: True, 0: True, 1: False, 2: False, 4: True}
        assert state.since(3, 0.0) is None

    def test_more_at_once_than_is_remembered(self):
        state = state_of(9, history=4)
        state.change(0.0, [(job, 1, 0.0, None, 0) for job in range(9)])
        assert state.since(0, 0.0)["stale"]  # type: ignore[index]
        assert state.since(1, 0.0) is None

    def test_only_the_clock_is_no_news(self, state: LiveState):
        state.change(7.0, [])
        assert state.since(0, 0.0) is None
        assert state.snapshot()["now_s"] == 7.0
        state.change(math.nan, [])
        assert state.snapshot()["now_s"] == 7.0

    def test_last_notes_are_kept_and_shortened(self, state: LiveState):
        state.change(0.0, [], (str(number) for number in range(1_000)))
        state.change(0.0, [], ["x" * 1_000_000])
        notes = state.snapshot()["notes"]
        assert notes[:-1] == [str(number) for number in range(801, 1_000)]
        assert len(notes[-1]) == 2_000

    @pytest.mark.parametrize("row", [(-1, 0, None, None, 0), (3, 0, None, None, 0), (0, 4, None, None, 0)])
    def test_a_wrong_change_changes_nothing(self, state: LiveState, row):
        before = state.snapshot()
        with pytest.raises(ValueError, match="no"):
            state.change(1.0, [(0, 1, 0.0, None, 0), row], ["text"])
        assert state.snapshot() == before

    def test_columns_of_other_lengths_are_refused(self):
        with pytest.raises(ValueError, match="2 jobs"):
            LiveState(2, status=[0, 0], start_s=[None], end_s=[None, None], worker=[-1, -1])

    def test_waiting_ends_with_news_and_when_woken(self, state: LiveState):
        told: list[Any] = []
        stop = threading.Event()
        waits = [
            threading.Thread(target=lambda: told.append(state.since(0, WAIT_S))),
            threading.Thread(target=lambda: told.append(state.since(1, WAIT_S, stop.is_set))),
        ]
        waits[0].start()
        state.finish("over", None)
        waits[0].join(WAIT_S)
        waits[1].start()
        stop.set()
        state.wake()
        waits[1].join(WAIT_S)
        assert told[0]["over"] == {"text": "over", "exit_status": None}
        assert told[1:] == [None]

    def test_long_lists_come_in_pieces(self):
        message = {"seq": 1, "status": list(range(10_000)), "notes": [], "over": None}
        pieces = list(json_pieces(message))
        assert json.loads(b"".join(pieces)) == message
        assert max(map(len, pieces)) < 6 * live_state._PIECE

    def test_what_is_no_number_is_no_json(self):
        with pytest.raises(ValueError, match="JSON"):
            b"".join(json_pieces({"seq": math.nan}))


class TestWhoMayAsk:
    def test_the_page_is_for_who_has_the_token(self, page: LivePage):
        status, fields, body = ask(page)
        assert (status, body) == (200, f"<title>/events?token={token_of(page)}</title>".encode())
        assert fields["Content-Type"] == "text/html; charset=utf-8"
        assert fields["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert len(token_of(page)) >= 43

    TOKENS = ("", "?", "?token=", "?token=x", "?token=%ff%00", "?token=\u00e9", "?token=%ED%A0%80", "?" + "&" * 99)

    @pytest.mark.parametrize("path", ["/", "/events"])
    @pytest.mark.parametrize("query", TOKENS)
    def test_others_are_refused(self, page: LivePage, path: str, query: str):
        head = f"GET {path}{query} HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n"
        assert send_raw(page, head.encode("latin-1")).startswith(b"HTTP/1.1 403 ")

    def test_tokens_that_are_nearly_right(self, page: LivePage):
        token = token_of(page)
        for wrong in (token[:-1], token + "x", f"{token}&token={token}", token.swapcase()):
            assert ask(page, f"/?token={wrong}")[0] == 403

    def test_two_servers_have_two_tokens(self, page: LivePage, state: LiveState):
        with LivePage(state, page_for) as other:
            assert ask(other, f"/?token={token_of(page)}")[0] == 403

    @pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LocalHost"])
    def test_names_of_this_host(self, page: LivePage, name: str):
        host = f"{name}:{page.port}"
        assert ask(page, Host=host)[0] == 200
        assert ask(page, Host=host, Origin=f"http://{host}")[0] == 200

    @pytest.mark.parametrize("host", ["evil.example", "evil.example:{}", "127.0.0.1", "127.0.0.1:1", "[::1]:{}", ""])
    @pytest.mark.parametrize("path", [None, "/favicon.ico"])
    def test_other_hosts_are_refused(self, page: LivePage, host: str, path: str | None):
        assert ask(page, path, Host=host.format(page.port))[0] == 403

    def test_a_request_without_host(self, page: LivePage):
        assert send_raw(page, f"GET /?token={token_of(page)} HTTP/1.0\r\n\r\n".encode()).startswith(b"HTTP/1.1 403 ")

    @pytest.mark.parametrize(
        "origin", ["null", "http://evil.example", "http://127.0.0.1:1", "https://127.0.0.1:{}", ""]
    )
    def test_other_origins_are_refused(self, page: LivePage, origin: str):
        assert ask(page, Origin=origin.format(page.port))[0] == 403
        assert ask(page, Host=f"localhost:{page.port}", Origin=f"http://127.0.0.1:{page.port}")[0] == 403

    @pytest.mark.parametrize(
        ("site", "mode", "path", "status"),
        [
            ("none", "navigate", "/", 200),
            ("same-origin", "cors", "/", 200),
            ("cross-site", "navigate", "/", 200),
            ("same-site", "navigate", "/", 200),
            ("cross-site", "no-cors", "/", 403),
            ("same-site", "cors", "/", 403),
            ("cross-site", "navigate", "/events", 403),
            ("cross-site", "cors", "/events", 403),
            ("same-site", "cors", "/events", 403),
        ],
    )
    def test_pages_from_elsewhere_may_only_link(self, page: LivePage, site: str, mode: str, path: str, status: int):
        target = f"{path}?token={token_of(page)}"
        assert ask(page, target, sec_fetch_site=site, sec_fetch_mode=mode)[0] == status

    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
    def test_other_methods(self, page: LivePage, method: str):
        status, fields, _ = ask(page, method=method, body=b"x" * 300_000 if method in ("POST", "PUT") else None)
        assert (status, fields["Allow"]) == (405, "GET, HEAD")

    def test_head_has_the_fields_of_get_and_no_body(self, page: LivePage):
        get, head = ask(page), ask(page, method="HEAD")
        assert head[::2] == (200, b"")
        assert {**head[1], "Date": ""} == {**get[1], "Date": ""}
        status, fields, _ = ask(page, f"/events?token={token_of(page)}", method="HEAD")
        assert (status, fields["Content-Type"]) == (200, "text/event-stream")
        assert ask(page, "/nowhere", method="HEAD")[::2] == (404, b"")

    def test_other_paths(self, page: LivePage):
        for path in ("/x", "//", "/events/", "/../etc/passwd", "*", page.url, "/index.html"):
            assert ask(page, f"{path}?token={token_of(page)}" if path.startswith("/") else path)[0] == 404
        assert ask(page, "/favicon.ico")[::2] == (204, b"")

    def test_fields_of_every_answer(self, page: LivePage):
        token = token_of(page)
        targets = (None, "/", "/x", "/favicon.ico")
        answers = [ask(page, target) for target in targets]
        answers += [ask(page, method="POST"), ask(page, f"/events?token={token}", method="HEAD")]
        assert [answer[0] for answer in answers] == [200, 403, 404, 204, 405, 200]
        for number, (_, fields, body) in enumerate(answers):
            expected = {
                "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
                "X-Frame-Options": "DENY",
                "Cross-Origin-Resource-Policy": "same-origin",
                "Cross-Origin-Opener-Policy": "same-origin",
                "Connection": "close",
                "Content-Security-Policy": "default-src 'none'" if number else "frame-ancestors 'none'",
            }
            assert {name: fields[name] for name in expected} == expected
            assert "Server" not in fields
            assert number == 0 or token.encode() not in body

    @pytest.mark.parametrize(
        ("data", "status"),
        [
            (b"\r\n\r\n", 400),
            (b"GET\r\n\r\n", 400),
            (b"GET /\r\n\r\n", 400),
            (b"GET / HTTP/2.0\r\n\r\n", 400),
            (b"get / HTTP/1.1\r\n\r\n", 400),
            (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: 127.0.0.1:%d\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400),
            (b"GET /%b HTTP/1.1\r\n\r\n" % (b"x" * 70_000), 431),
            (b"GET / HTTP/1.1\r\n%b\r\n" % (b"A: b\r\n" * 20_000), 431),
        ],
    )
    def test_nonsense(self, page: LivePage, data: bytes, status: int):
        answer = send_raw(page, data.replace(b"%d", str(page.port).encode()))
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert ask(page)[0] == 200

    @given(st.binary(max_size=200))
    @settings(max_examples=30)
    def test_any_bytes(self, data: bytes):
        with LivePage(state_of(1), page_for) as page:
            answer = send_raw(page, data.replace(b"\r\n\r\n", b"") + b"\r\n\r\n")
            assert re.match(rb"HTTP/1\.1 4\d\d ", answer)
        assert page.trouble is None


class TestMakingThePage:
    def test_once_and_only_when_it_is_asked_for(self, state: LiveState):
        made: list[str] = []
        begun = threading.Barrier(8)

        def make(events: str) -> bytes:
            made.append(threading.current_thread().name)
            time.sleep(0.02)  # while others ask, too
            return b"x" * 1_000_000

        def look() -> None:
            begun.wait(WAIT_S)
            answers.append(ask(page)[2])

        answers: list[bytes] = []
        with LivePage(state, make) as page:
            assert [ask(page, "/")[0], ask(page, "/favicon.ico")[0]] == [403, 204]
            assert not made
            threads = [threading.Thread(target=look) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(WAIT_S)
            assert answers == [b"x" * 1_000_000] * 8
        assert len(made) == 1
        assert made[0] != threading.current_thread().name

    def test_one_that_fails_is_tried_again(self, state: LiveState):
        troubles: list[Exception] = [OSError(5, "secret"), EligoError("secret"), MemoryError("secret")]

        def make(_: str) -> bytes:
            if troubles:
                raise troubles.pop()
            return b"at last"

        with LivePage(state, make) as page:
            for _ in range(3):
                status, fields, body = ask(page)
                assert (status, b"secret" in body) == (500, False)
                assert fields["Content-Type"] == "text/plain; charset=utf-8"
                assert page.trouble is not None
                assert "secret" in str(page.trouble)
            with Client(page) as client:
                assert client.read() is not None
            assert ask(page)[2] == b"at last"
            assert page.trouble is None


class TestEvents:
    def test_a_snapshot_then_changes(self, page: LivePage, state: LiveState):
        state.change(1.0, [(0, 1, 0.5, None, 2)], ["first"])
        with Client(page) as client:
            assert client.answer.headers["Content-Type"] == "text/event-stream"
            assert client.answer.headers["Content-Security-Policy"] == "default-src 'none'"
            assert client.step() == {"retry": "1000"}
            assert client.read() == {**state.snapshot(), "seq": 1}
            state.change(2.0, [(0, 2, 0.5, 2.0, 2), (1, 1, 2.0, None, 2)], ["second"])
            expected = {"jobs": [[0, 2, 0.5, 2.0, 2], [1, 1, 2.0, None, 2]], "notes": ["second"]}
            assert client.read() == {"seq": 2, "now_s": 2.0, **expected, "over": None}
            assert client.kinds == ["snapshot", "change"]
            assert client.last_id.endswith("-2")

    def test_text_of_anybody(self, page: LivePage, state: LiveState):
        """No note, whatever is in it, ends its line or becomes a field."""
        notes = ["</script><b>", "a\r\nevent: over\n\ndata: x", "\u2028\0\ud800 \U0001f600", "\udcff"]
        with Client(page) as client:
            client.read()
            state.change(0.0, [], notes)
            state.finish("\n\n", 1)
            client.read_until_over()
            assert client.notes == notes

    def test_times_that_are_no_numbers(self, page: LivePage, state: LiveState):
        state.change(math.inf, [(0, 1, math.nan, -math.inf, 0)])
        with Client(page) as client:
            assert client.read() == state.snapshot()
            assert client.known["start_s"] == [None] * 3

    def test_going_on_after_a_break(self, page: LivePage, state: LiveState):
        with Client(page) as client:
            client.read()
        state.change(1.0, [(1, 2, 0.0, 1.0, 0)], ["missed"])
        with Client(page, client.last_id, client.known) as again:
            message = again.read()
            assert again.kinds == ["change"]
            assert message is not None
            assert (message["jobs"], message["notes"]) == ([[1, 2, 0.0, 1.0, 0]], ["missed"])
        with Client(page, again.last_id) as third:
            assert third.step() == {"retry": "1000"}
            state.finish("over", 0)
            third.read_until_over()
            assert third.kinds == ["change"]

    def test_last_events_that_mean_nothing_here(self, page: LivePage, state: LiveState):
        with LivePage(state, page_for) as other, Client(other) as client:
            client.read()
            foreign = client.last_id
        with Client(page) as client:
            client.read()
            nonce = client.last_id.partition("-")[0]
        ours = [f"{nonce}-{number}" for number in ("", "-1", "9", "9" * 5_000, "\xb2")]
        for last_id in (foreign, "", "0", "-1", nonce, *ours):
            with Client(page, last_id) as client:
                client.read()
                assert client.kinds == ["snapshot"]

    def test_one_that_missed_too_much_gets_a_snapshot(self):
        state = state_of(50, history=5)
        with LivePage(state, page_for) as page:
            with Client(page) as client:
                client.read()
            for job in range(50):
                state.change(job, [(job, 1, job, None, 0)])
            with Client(page, client.last_id) as again:
                again.read()
                assert again.kinds == ["snapshot"]
                assert again.known == columns_of(state)

    def test_many_changes_are_few_messages(self, page: LivePage, state: LiveState):
        """A client is told of what happened in between once."""
        with Client(page) as client:
            client.read()
            for second in range(20_000):
                state.change(second, [(second % 3, 1, second, None, 0)])
            state.finish("over", 0)
            client.read_until_over()
            assert client.known == columns_of(state)
            assert len(client.kinds) < 1_000

    def test_heartbeats_go_on_when_all_is_over(self, state: LiveState):
        with patched(beat_s=0.02, look_s=0.01, pause_s=0.0), LivePage(state, page_for) as page, Client(page) as client:
            client.read()
            state.finish("over", 3)
            client.read_until_over()
            while client.beats < 3:
                assert client.step() == {}
            assert client.kinds == ["snapshot", "change"]

    @given(steps=TestState.STEPS, history=st.integers(1, 8), data=st.data())
    @settings(max_examples=25)
    def test_a_client_ends_with_what_the_state_has(self, steps, history: int, data: st.DataObject):
        """Over the wire, with breaks anywhere."""
        state = state_of(5, history=history)
        with patched(pause_s=0.0), LivePage(state, page_for) as page:
            client = Client(page)
            client.read()
            for rows, notes in steps:
                state.change(0.0, rows, notes)
                what = data.draw(st.sampled_from(["nothing", "read", "break"]))
                if what == "read" and (rows or notes):
                    client.read()
                elif what == "break":
                    with client:
                        pass
                    client = Client(page, client.last_id, client.known)
            state.finish("over", 0)
            with client:
                client.read_until_over()
            assert client.known == columns_of(state)
        assert page.trouble is None

    def test_threads_that_change_while_clients_read(self):
        state = state_of(400, history=200)

        def work(worker: int) -> None:
            for round_s in range(40):
                for job in range(worker, 400, 4):
                    state.change(round_s, [(job, 1 + round_s % 3, round_s, None, worker)])

        def watch() -> None:
            with Client(page) as client:
                client.read_until_over()
                seen.append(client.known)

        seen: list[dict[str, Any]] = []
        with patched(pause_s=0.005), LivePage(state, page_for) as page:
            watchers = [threading.Thread(target=watch) for _ in range(4)]
            workers = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
            for thread in (*watchers, *workers):
                thread.start()
            for thread in workers:
                thread.join(WAIT_S)
            state.finish("over", 0)
            for thread in watchers:
                thread.join(WAIT_S)
            assert seen == [columns_of(state)] * 4
        assert page.trouble is None


@contextmanager
def deaf_client(page: LivePage) -> Iterator[socket.socket]:
    """A client that asks for events and takes only the beginning of the first; there is no room for the rest."""
    page._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)  # for connections that are accepted from now
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(WAIT_S)
        connection.connect(("127.0.0.1", page.port))
        host = f"127.0.0.1:{page.port}"
        connection.sendall(f"GET /events?token={token_of(page)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        begin = b""
        while b"event: snapshot" not in begin:
            begin += connection.recv(16)
        yield connection


class TestBounds:
    def test_one_that_never_reads_holds_up_nobody(self):
        """A hundred thousand changes, to a client that takes none, and to one that does; and then the end."""
        state = state_of(50_000)
        with (
            patched(pause_s=0.0, patience_s=0.2),
            LivePage(state, page_for) as page,
            Client(page) as client,
            deaf_client(page),
        ):
            client.read()
            for number in range(1_000):
                rows = [(job % 50_000, 1 + number % 3, number, None, 0) for job in range(number * 7, number * 7 + 100)]
                state.change(number, rows, [f"{number} {'x' * 500}"])
            state.finish("over", 0)
            client.read_until_over()
            assert client.known == columns_of(state)
            assert len(page._open) == 2
            page.close()
            assert not page._open
            assert page.trouble is None

    def test_one_that_never_reads_is_dropped(self):
        with patched(send_s=0.05), LivePage(state_of(50_000), page_for) as page, deaf_client(page) as connection:
            wait_until(lambda: not page._open)
            rest = b"".join(iter(lambda: connection.recv(65_536), b""))
            assert b"\n" not in rest.partition(b"data: ")[2]  # no event is whole, so a browser passes it over
            assert ask(page)[0] == 200

    def test_two_clients(self, page: LivePage, state: LiveState):
        with Client(page) as one, Client(page) as two:
            assert one.read() == two.read()
            state.change(1.0, [(0, 1, 1.0, None, 0)])
            assert one.read() == two.read()

    def test_too_many_streams(self, state: LiveState):
        with patched(streams=3, look_s=0.02, patience_s=1.0), LivePage(state, page_for) as page:
            clients = [Client(page) for _ in range(3)]
            with Client(page) as refused:
                assert refused.answer.status == 503
            assert ask(page)[0] == 200
            for client in clients:
                with client:
                    assert client.read() is not None
            for _ in range(3):  # whose places are free again
                with Client(page) as client:
                    assert client.read() is not None

    def test_a_page_that_is_reloaded_often(self, page: LivePage):
        with patched(patience_s=5.0):
            for _ in range(40):
                with Client(page) as client:
                    assert client.answer.status == 200

    def test_silent_clients_are_dropped(self, state: LiveState):
        with patched(head_s=0.05), LivePage(state, page_for) as page:
            for begin in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"):
                with suppress(ConnectionError):
                    assert send_raw(page, begin) == b""

    def test_slow_askers_are_dropped(self, state: LiveState):
        def ask_slowly() -> None:
            for _ in range(2_000):
                connection.sendall(b"x")
                time.sleep(0.005)

        with patched(head_s=0.1), LivePage(state, page_for) as page:
            connection = socket.create_connection(("127.0.0.1", page.port), timeout=WAIT_S)
            with connection, pytest.raises(OSError):
                ask_slowly()

    def test_too_many_connections(self, state: LiveState):
        with patched(connections=2), LivePage(state, page_for) as page:
            here = ("127.0.0.1", page.port)
            with socket.create_connection(here), socket.create_connection(here):
                wait_until(lambda: len(page._open) == 2)
                with socket.create_connection(here, timeout=WAIT_S) as third:
                    assert third.recv(1) == b""
            wait_until(lambda: not page._open)
            assert ask(page)[0] == 200

    def test_sockets_are_not_handed_on_to_programs(self, page: LivePage):
        with Client(page) as client:
            client.read()
            descriptors = [page._listener.fileno(), *(connection.fileno() for connection in page._open)]
            assert len(descriptors) == 2
            assert not any(map(os.get_inheritable, descriptors))

    def test_only_the_loopback(self, page: LivePage):
        assert page._listener.getsockname()[0] == "127.0.0.1"
        assert page.url.startswith(f"http://127.0.0.1:{page.port}/?token=")


class TestClosing:
    def test_with_clients_of_every_kind(self):
        """The last news reach who listens, though nobody waited for it; silent ones and deaf ones are cut off."""
        state = state_of(50_000)
        page = LivePage(state, page_for)
        silent = socket.create_connection(("127.0.0.1", page.port), timeout=WAIT_S)
        with silent, Client(page) as one, Client(page) as two, deaf_client(page):
            for client in (one, two):
                client.read()
            state.change(1.0, [(0, 2, 0.0, 1.0, 0)])
            state.finish("all done", 0)
            page.close()
            for client in (one, two):
                client.read_until_over()
                assert client.known == columns_of(state)
                assert client.read() is None
            assert silent.recv(1) == b""
        page.close()
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", page.port), timeout=WAIT_S).close()
        wait_until(lambda: not any(thread.name.startswith("eligo-live") for thread in threading.enumerate()))
        assert page.trouble is None

    def test_while_the_page_is_made(self, state: LiveState):
        begun, go_on = threading.Event(), threading.Event()

        def make(_: str) -> bytes:
            begun.set()
            go_on.wait(WAIT_S)
            return b""

        def look() -> None:
            with pytest.raises((OSError, http.client.HTTPException)):
                ask(page)

        with patched(patience_s=0.1):
            page = LivePage(state, make)
            looker = threading.Thread(target=look)
            looker.start()
            assert begun.wait(WAIT_S)
            page.close()
            assert not go_on.is_set()
            looker.join(WAIT_S)
            assert not looker.is_alive()
            go_on.set()
            wait_until(lambda: not page._open)

    def test_the_port_is_free_again(self, state: LiveState):
        with LivePage(state, page_for) as page, Client(page) as client:
            client.read()
        with LivePage(state, page_for, page.port) as again:
            assert again.port == page.port
            assert ask(again)[0] == 200

    def test_the_state_outlives_its_page(self, state: LiveState):
        with LivePage(state, page_for):
            pass
        state.change(1.0, [(0, 1, 0.0, None, 0)])
        state.finish("over", 0)


class TestPorts:
    def test_one_in_use(self, page: LivePage, state: LiveState):
        with pytest.raises(EligoError, match=f"port {page.port} on 127.0.0.1 cannot be used: .*in use") as caught:
            LivePage(state, page_for, page.port)
        assert caught.value.hint == "choose another, or 0 for any that is free"

    @pytest.mark.parametrize("port", [-1, 65_536, 2**70])
    def test_ones_that_are_none(self, state: LiveState, port: int):
        with pytest.raises(EligoError, match=f"port {port} on 127.0.0.1 cannot be used: ports are 0 to 65535"):
            LivePage(state, page_for, port)

    def test_one_that_is_not_for_us(self, state: LiveState):
        denied = PermissionError(13, "Permission denied")
        with (
            mock.patch.object(socket.socket, "bind", side_effect=denied),
            pytest.raises(EligoError, match=r"port 80 on 127.0.0.1 cannot be used: Permission denied"),
        ):
            LivePage(state, page_for, 80)

    def test_no_threads_left(self, state: LiveState):
        with (
            mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread")),
            pytest.raises(EligoError, match="cannot be served"),
        ):
            LivePage(state, page_for)
