"""Feeds: one channel as server-sent events, which resumes from its cursor after a cut."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, Generic, Iterator, Mapping, TypeVar

from ._model import Number, converter
from .errors import FeedError, NetworkError, SevengateError, UnexpectedAnswer

# Seconds. The service sends a heartbeat every 5 s.
SILENCE = 20.0
MAX_LINE = 32 * 1024 * 1024
# Seconds between two connections, unless the service says otherwise.
PAUSE = 2.0
MAX_PAUSE = 30.0

Stream = tuple[http.client.HTTPConnection, http.client.HTTPResponse]
Data = TypeVar("Data")


@dataclass(frozen=True)
class Frame(Generic[Data]):
    """One frame of a channel: a `snapshot` (a list), or an `update`."""

    channel: str
    type: str
    seq: int
    # Resume position after this frame, or None if the channel shows the newest state only.
    cursor: str | None
    at: datetime
    data: Data


class Feed(Iterator[Frame[Data]], Generic[Data]):
    """An endless iterator of frames. After a cut it connects again and resumes from its cursor, without loss or repetition.

    `cursor` is that of the last frame. Pass it as `from_` to resume in another process.
    """

    def __init__(self, connect: Callable[[str | None], Stream], renew_token: Callable[[], bool], channel: str, cursor: str | None, *,
                 data: Mapping[str, Any], sleep: Callable[[float], None], clock: Callable[[], float], patience: float) -> None:
        self._stream: Stream | None = None
        self.channel = channel
        self.cursor = cursor
        self._connect = connect
        self._renew_token = renew_token
        self._data = {kind: converter(hint) for kind, hint in data.items()}
        self._sleep = sleep
        self._clock = clock
        self._patience = patience
        self._pause = PAUSE
        self._lines: Iterator[bytes] = iter(())
        self._seen: str | None = None
        self._is_closed = False
        self._is_reached = False

    def __iter__(self) -> Feed[Data]:
        return self

    def __enter__(self) -> Feed[Data]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._is_closed = True
        self._hang_up()

    def __del__(self) -> None:
        # A loop may end without close().
        self._hang_up()

    def __next__(self) -> Frame[Data]:
        """@raises FeedError or ApiError if reconnecting does not help, NetworkError after `patience` seconds without the service."""
        while not self._is_closed:
            if self._stream is None:
                self._open()
            try:
                frame = self._read()
            except (OSError, http.client.HTTPException):
                frame = None
            except SevengateError:
                self._hang_up()
                raise
            if frame is not None:
                return frame
            self._hang_up()
        raise StopIteration

    def _open(self) -> None:
        """Connects, with retries until `patience` is exceeded."""
        begun = self._clock()
        failures = 0
        if self._is_reached:
            self._sleep(self._pause)
        while True:
            try:
                self._stream = self._connect(self.cursor)
                self._lines = _lines(self._stream[1])
                self._is_reached = True
                return
            except SevengateError as error:
                is_lost = isinstance(error, NetworkError) or getattr(error, "status", 0) in (429, 502, 503, 504)
                pause = max(getattr(error, "retry_after", None) or 0, min(self._pause * 2**failures, MAX_PAUSE))
                if not is_lost or self._clock() + pause - begun > self._patience:
                    raise
            failures += 1
            self._sleep(pause)

    def _hang_up(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            # Closing only the connection would leave the socket to the response.
            stream[1].close()
            stream[0].close()

    def _read(self) -> Frame[Data] | None:
        """Reads the next frame for the caller, or None at the end of the stream."""
        data: list[str] = []
        cursor: str | None = None
        for raw in self._lines:
            line = raw.decode("utf-8", "replace")
            if line == "":
                # Only a complete event counts: one that was cut is sent again.
                if data and (frame := self._take("\n".join(data), cursor)) is not None:
                    return frame
                data, cursor = [], None
                if self._stream is None:
                    return None
                continue
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                data.append(value)
            elif field == "id" and "\0" not in value:
                cursor = value
            elif field == "retry" and value.isascii() and value.isdigit():
                self._pause = min(int(value) / 1_000, MAX_PAUSE)
        return None

    def _take(self, text: str, cursor: str | None) -> Frame[Data] | None:
        try:
            event = json.loads(text, parse_float=Number)
            kind = event["type"]
            if kind == "error":
                self._end(event["code"], event["detail"])
                return None
            if kind in ("snapshot", "update"):
                read = self._data.get(kind, converter(Any))
                at = converter(datetime)(event["at"], "at")
                frame = Frame(event["channel"], kind, event["seq"], event["cursor"], at, read(event["data"], f"{self.channel}.{kind}"))
        except (ValueError, KeyError, TypeError) as error:
            raise UnexpectedAnswer(f"the feed {self.channel} sent what is no frame of it ({error}): {text[:200]}", 200) from error
        if cursor is not None:
            self.cursor = cursor
        if kind not in ("snapshot", "update"):
            return None
        if kind == "update" and cursor is not None:
            if cursor == self._seen:
                return None
            self._seen = cursor
        return frame

    def _end(self, code: str, detail: str) -> None:
        """Handles the end of a feed by the service: hangs up if reconnecting helps."""
        mended = code in ("unavailable", "lagged") or (code in ("token_expired", "token_revoked") and self._renew_token())
        if not mended:
            self.close()
            raise FeedError(code, detail)
        self._hang_up()


class Follower:
    """Opens feeds: see `Client`."""

    def _follow(self, channel: str, cursor: str | None, params: Mapping[str, Any], data: Mapping[str, Any]) -> Feed[Any]:
        raise NotImplementedError


def _lines(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yields complete lines, separated as in the standard by \\r\\n, \\n or \\r."""
    rest = b""
    while chunk := response.read1(64 * 1024):
        rest += chunk
        # A \r at the end may be the first half of \r\n.
        held = rest[-1:] if rest.endswith(b"\r") else b""
        *whole, rest = rest.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        rest += held
        if len(rest) > MAX_LINE:
            raise UnexpectedAnswer(f"a line of the feed is longer than {MAX_LINE} bytes", 200)
        yield from whole
