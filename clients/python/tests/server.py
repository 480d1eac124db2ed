"""Local HTTP server that sends the replies of a test, also malformed ones."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable


@dataclass
class Asked:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    # Equal for requests over the same connection.
    connection: int

    def json(self) -> Any:
        return json.loads(self.body)


Reply = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append(Asked(self.command, self.path, headers, body, self.client_address[1]))
        self.server.replies.pop(0)(self)

    do_GET = do_POST = do_PUT = do_DELETE = _answer

    def log_message(self, *_: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *replies: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies = list(replies)
        self.asked: list[Asked] = []
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        super().__exit__()

    def handle_error(self, *_: Any) -> None:
        pass  # A reply that cuts its own connection.


def raw(status: int, body: bytes, headers: dict[str, str] | None = None, *, length: int | None = None) -> Reply:
    def reply(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)
        if length is not None and length != len(body):
            handler.close_connection = True

    return reply


def ok(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    return raw(status, json.dumps(value).encode(), headers)


def problem(status: int, code: str, headers: dict[str, str] | None = None, **more: Any) -> Reply:
    body = {"type": f"urn:sevengate:problem:{code}", "title": code, "status": status, "detail": f"{code} it is", "code": code,
            "requestId": "r-1", **more}
    return raw(status, json.dumps(body).encode(), {"Content-Type": "application/problem+json", **(headers or {})})


def stream(*parts: bytes, keep_open: threading.Event | None = None) -> Reply:
    """Builds server-sent events. The connection is cut after the last part, in the middle of a chunked body."""

    def reply(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for part in parts:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            handler.wfile.flush()
        if keep_open is not None:
            keep_open.wait(10)
        handler.close_connection = True

    return reply


def event(kind: str, seq: int, cursor: str | None, data: Any = None, **more: Any) -> bytes:
    frame = {"channel": "agents", "type": kind, "seq": seq, "cursor": cursor, "at": "2026-03-02T14:31:00.000Z", "data": data, **more}
    head = b"" if cursor is None else f"id: {cursor}\n".encode()
    return head + b"data: " + json.dumps(frame).encode() + b"\n\n"
