"""HTTP exchange: kept connections, a bounded and complete body, no redirects."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import weakref
import zlib
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time as wall_time
from typing import Any, Callable, Mapping
from urllib.parse import urlsplit

from ._model import Number
from .errors import NetworkError, UnexpectedAnswer

CHUNK = 64 * 1024
MAX_ANSWER = 64 * 1024 * 1024
# Maximum number of idle connections.
KEPT = 4


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait before the next request, by `Retry-After`."""
        text = self.headers.get("retry-after", "").strip()
        if text.isascii() and text.isdigit():
            return float(text)
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - wall_time())
        except (TypeError, ValueError):
            return None

    def json(self) -> Any:
        """@raises UnexpectedAnswer if the body is not JSON."""
        if self.media != "application/json" and not self.media.endswith("+json"):
            raise self.unexpected(f"expected JSON, got {self.media or 'a body without a type'}")
        try:
            return json.loads(self.body.decode("utf-8"), parse_float=Number, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise self.unexpected(f"the body is no JSON ({error})") from error

    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def unexpected(self, what: str) -> UnexpectedAnswer:
        begin = " ".join(self.text()[:200].split())
        return UnexpectedAnswer(f"status {self.status}: {what}; it begins: {begin}", self.status, self.retry_after)


def _close_all(connections: list[http.client.HTTPConnection]) -> None:
    while connections:
        connections.pop().close()


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


class Transport:
    """Connections to one service. Safe to share between threads."""

    def __init__(self, url: str, timeout: float, clock: Callable[[], float]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url: {url!r} is no http or https address")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("url: give the address of the service alone, without user, query or fragment")
        self.url = url.rstrip("/")
        self._host = parts.hostname
        self._port = parts.port
        self._prefix = parts.path.rstrip("/")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._timeout = timeout
        self._clock = clock
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        # Closes connections of a script that ends without close().
        weakref.finalize(self, _close_all, self._idle)

    def exchange(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, *, may_repeat: bool,
                 deadline: float) -> Answer:
        """Sends a request and reads its complete answer. @raises NetworkError"""
        # A kept connection may be closed at any moment: only a repeatable request uses one.
        kept = self._take() if may_repeat else None
        if kept is not None:
            try:
                return self._over(kept, method, target, headers, body, deadline)
            except NetworkError as error:
                if not isinstance(error.__cause__, (ConnectionError, http.client.RemoteDisconnected)):
                    raise
        return self._over(self._connection(), method, target, headers, body, deadline)

    def stream(self, target: str, headers: Mapping[str, str], silence: float) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Opens a streamed answer. @raises NetworkError"""
        connection = self._connection()
        try:
            connection.timeout = silence
            connection.request("GET", self._prefix + target, headers={"Accept-Encoding": "identity", **headers})
            return connection, connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._lost(error) from error

    def read_whole(self, response: http.client.HTTPResponse, deadline: float) -> Answer:
        headers = {name.lower(): value for name, value in response.getheaders()}
        encoding = headers.get("content-encoding", "identity").strip().lower()
        body = self._decoded(encoding, self._chunks(response, deadline), response.status)
        response.close()
        return Answer(response.status, headers, body)

    def close(self) -> None:
        with self._lock:
            _close_all(self._idle)

    def _connection(self) -> http.client.HTTPConnection:
        if self._tls is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)

    def _take(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _over(self, connection: http.client.HTTPConnection, method: str, target: str, headers: Mapping[str, str], body: bytes | None,
              deadline: float) -> Answer:
        try:
            left = deadline - self._clock()
            if left <= 0:
                raise TimeoutError("the deadline of the call has passed")
            connection.timeout = min(self._timeout, left)
            if connection.sock is not None:
                connection.sock.settimeout(connection.timeout)
            connection.request(method, self._prefix + target, body, {"Accept-Encoding": "gzip", **headers})
            response = connection.getresponse()
            answer = self.read_whole(response, deadline)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._lost(error) from error
        except BaseException:
            connection.close()
            raise
        with self._lock:
            is_kept = not response.will_close and len(self._idle) < KEPT
            if is_kept:
                self._idle.append(connection)
        if not is_kept:
            connection.close()
        return answer

    def _chunks(self, response: http.client.HTTPResponse, deadline: float) -> list[bytes]:
        chunks, size = [], 0
        while chunk := response.read1(CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_ANSWER:
                raise UnexpectedAnswer(f"status {response.status}: the answer is larger than {MAX_ANSWER} bytes", response.status)
            if self._clock() > deadline:
                raise TimeoutError("the deadline of the call has passed")
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return chunks

    def _decoded(self, encoding: str, chunks: list[bytes], status: int) -> bytes:
        if encoding in ("identity", ""):
            return b"".join(chunks)
        if encoding != "gzip":
            raise UnexpectedAnswer(f"status {status}: the answer is encoded as {encoding!r}, which was not asked for", status)
        unpacker = zlib.decompressobj(wbits=31)
        try:
            body = unpacker.decompress(b"".join(chunks), MAX_ANSWER + 1)
        except zlib.error as error:
            raise UnexpectedAnswer(f"status {status}: the answer is no gzip ({error})", status) from error
        if len(body) > MAX_ANSWER:
            raise UnexpectedAnswer(f"status {status}: the answer is larger than {MAX_ANSWER} bytes", status)
        if not unpacker.eof and chunks:
            raise http.client.IncompleteRead(body)
        return body

    def _lost(self, error: Exception) -> NetworkError:
        return NetworkError(f"{self.url}: {type(error).__name__}: {error}")
