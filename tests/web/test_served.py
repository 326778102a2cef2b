"""The running server: patient with nobody, live, and quick to end."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from edge.wiring import Edge
from tests.web.served import SECONDS, Served, environ, free_port


@pytest.fixture
def home(lived_in_home: Path, tmp_path: Path) -> Path:
    shutil.copytree(lived_in_home, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def served(home: Path) -> Iterator[Served]:
    with Served(home) as running:
        yield running


def says(served: Served, client: httpx.Client, body: str) -> None:
    page = client.get("/voz").text
    csrf = re.search(r'name="csrf" value="([^"]+)"', page)
    assert csrf
    answer = client.post("/voz", data={"csrf": csrf[1], "body": body})
    assert answer.status_code == 303, answer.text


def test_the_printed_url_logs_in_once_and_another_is_printed_when_asked(served: Served) -> None:
    assert httpx.get(served.url).status_code == 303
    assert httpx.get(served.url).status_code == 403
    assert served.sees("/voz")


def test_a_stream_tells_what_another_process_wrote(served: Served, home: Path) -> None:
    with closing(served.client()) as client, client.stream("GET", "/live") as live:
        lines = live.iter_lines()
        assert next(lines) == "retry: 3000"
        subprocess.run(
            [sys.executable, "-m", "edge", "voz", "comment", "from the terminal"],
            env=environ(home), check=True, capture_output=True,
        )  # fmt: skip
        while (line := next(lines)) != "event: moved":
            assert not line.startswith("event")
    assert "from the terminal" in served.sees("/voz")


def test_it_ends_within_seconds_though_streams_are_open_and_one_stopped_reading(served: Served) -> None:
    with closing(served.client()) as client, client.stream("GET", "/live") as live:
        next(live.iter_lines())
        idle = _asks(served, client, "/live")
        assert idle.recv(1) == b"H"
        began = time.monotonic()
        code, said = served.ends()
        assert time.monotonic() - began < 8
        assert code == 0, said
        idle.close()


def test_logging_out_ends_the_streams_of_the_session(served: Served) -> None:
    with closing(served.client()) as client, client.stream("GET", "/live") as live:
        lines = live.iter_lines()
        next(lines)
        csrf = re.search(r'name="csrf" value="([^"]+)"', client.get("/voz").text)
        assert csrf
        assert client.post("/logout", data={"csrf": csrf[1]}).status_code == 303
        assert [line for line in lines if line.startswith("event")] == []


def _asks(
    served: Served, client: httpx.Client, path: str, method: str = "GET", extra: str = ""
) -> socket.socket:
    """A request by hand, of whose answer nothing is read."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    made = socket.create_connection(("127.0.0.1", served.port), timeout=SECONDS)
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nCookie: {cookies}\r\n{extra}\r\n"
    made.sendall(head.encode())
    return made


def test_a_body_that_dribbles_in_is_cut_off_and_nothing_is_written(served: Served, home: Path) -> None:
    head = _head(home)
    with closing(served.client()) as client:
        form = f"Origin: {served.address}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        slow = _asks(served, client, "/voz", "POST", form + "Content-Length: 5000\r\n")
        slow.sendall(b"body=a")
        answer = b""
        while b"\r\n\r\n" not in answer and (part := slow.recv(4096)):
            answer += part
        assert answer.startswith(b"HTTP/1.1 408")
        slow.close()
    assert _head(home) == head


def test_a_body_without_an_end_is_cut_off_by_its_size(served: Served, home: Path) -> None:
    head = _head(home)
    with closing(served.client()) as client:
        form = f"Origin: {served.address}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        endless = _asks(served, client, "/voz", "POST", form + "Transfer-Encoding: chunked\r\n")
        answer = b""
        try:
            for _ in range(40):
                endless.sendall(b"1000\r\n" + b"x" * 4096 + b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            while b"\r\n\r\n" not in answer and (part := endless.recv(4096)):
                answer += part
        except ConnectionResetError:
            pass
        assert answer.startswith(b"HTTP/1.1 413")
        endless.close()
    assert _head(home) == head


def test_who_connects_and_says_nothing_is_hung_up_on(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=SECONDS) as silent:
        assert silent.recv(1) == b""
    with socket.create_connection(("127.0.0.1", served.port), timeout=SECONDS) as slow:
        slow.sendall(b"GET /voz HTTP/1.1\r\nHost: 127")
        assert slow.recv(1) in (b"", b"H")


def test_fifty_logins_at_once_leave_it_answering(served: Served) -> None:
    def guess(n: int) -> int:
        with httpx.Client(
            base_url=served.address, headers={"origin": served.address}, timeout=SECONDS
        ) as one:
            return one.post("/login", data={"secret": f"guess {n}"}).status_code

    with ThreadPoolExecutor(50) as many:
        codes = set(many.map(guess, range(50)))
    assert codes <= {403, 429, 503}
    assert served.sees("/voz")


def test_streams_that_stop_reading_leave_it_answering(served: Served) -> None:
    with closing(served.client()) as client:
        stuck = [_asks(served, client, "/live") for _ in range(8)]
        for n in range(30):
            says(served, client, f"said {n}") if n % 10 == 0 else client.get("/voz")
        assert client.get("/voz").status_code == 200
        for each in stuck:
            each.close()


def test_a_taken_port_is_said_with_who_has_it(served: Served, home: Path) -> None:
    for command in ("dashboard", "up"):
        done = subprocess.run(
            [sys.executable, "-m", "edge", command, "--port", str(served.port)],
            env=environ(home), capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert f"port {served.port} is taken by process {served.process.pid}" in done.stderr
        assert "edge dashboard" in done.stderr


def test_it_refuses_other_addresses_without_a_password(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "edge", "dashboard", "--host", "0.0.0.0", "--port", str(free_port())],
        env=environ(home), capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "EDGE_DASHBOARD_PASSWORD" in done.stderr


def test_an_agents_shell_is_not_given_the_way_in(home: Path) -> None:
    for words in (("dashboard",), ("dashboard", "--url"), ("up",)):
        command = [sys.executable, "-m", "edge", *words, "--port", str(free_port())]
        inside = environ(home, EDGE_ACTOR="agent")
        done = subprocess.run(
            command, env=inside, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 3
        assert done.stdout == ""


def test_no_token_and_no_words_reach_its_log(home: Path) -> None:
    with Served(home) as served:
        httpx.get(served.url)
        with closing(served.client()) as client:
            says(served, client, "palavras minhas")
        _, said = served.ends()
    assert '"event": "request"' in said
    assert "token" not in said.replace("Token", "")
    assert "palavras" not in said


def test_up_starts_again_what_dies_and_stops_cleanly(home: Path) -> None:
    with Served(home, "up", "--sweep-every", "0") as up:
        with closing(_answering(up)) as client:
            first = _children(up.process.pid)
            assert len(first) == 2
            for pid in first.values():
                subprocess.run(["kill", "-9", str(pid)], check=True)
            _until(lambda: len(set(_children(up.process.pid).values()) - set(first.values())) == 2)
        with closing(_answering(up)) as client:
            assert client.get("/voz").status_code == 200
        last = _children(up.process.pid)
        code, said = up.ends()
    assert code == 0
    assert "dashboard ended (signal 9); starting it again" in said
    assert "worker ended (signal 9); starting it again" in said
    assert not any(Path(f"/proc/{pid}").exists() for pid in last.values())


def test_nothing_is_left_running_when_up_itself_is_killed(home: Path) -> None:
    with Served(home, "up", "--sweep-every", "0") as up:
        with closing(_answering(up)):
            children = _children(up.process.pid)
        up.ends(signal.SIGKILL)
    assert len(children) == 2
    _until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children.values()))


def _answering(up: Served) -> httpx.Client:
    """Logged in, as soon as the dashboard that was started answers."""

    def answers() -> bool:
        try:
            return httpx.get(f"{up.address}/login", timeout=SECONDS).status_code == 200
        except httpx.TransportError:
            return False

    _until(answers)
    return up.client()


def _until(holds: object) -> None:
    """Look until it holds: these are other processes, and tell nobody when they are ready."""
    assert callable(holds)
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < SECONDS, "it never came to be"
        time.sleep(0.05)


def _children(of: int) -> dict[str, int]:
    """The parts that `up` runs, by the first word of their command."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except (OSError, IndexError):
            continue
        if parent == str(of) and "edge" in words:
            found[words[words.index("edge") + 1]] = int(entry.name)
    return found


def _head(home: Path) -> int:
    with Edge.at_home(home) as edge:
        return edge.log.head()
