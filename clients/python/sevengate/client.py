"""Client that sends the operations of `sevengate.api` to one service."""

from __future__ import annotations

import http.client
import os
import random
import time
from typing import Any, Callable, Mapping, get_args, get_origin

from ._call import Operation, Request, query
from ._feed import SILENCE, Feed, Stream
from ._http import Answer, Transport
from ._model import WrongShape, read
from ._names import camel_case
from ._pages import Pages
from ._state import Token, TokenSource, is_loopback, member_token, running_service, state_folder
from .api import Operations
from .errors import ApiError, NetworkError, SevengateError, UnexpectedAnswer, problem_error
from .feeds import Feeds

# First pause between two attempts in seconds. Each further one is twice as long.
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 8.0
# Statuses after which the same request may succeed.
REPEATABLE_STATUS = (429, 502, 503, 504)
REPEATABLE_CODES = ("idempotency_in_flight",)


class Client(Operations, Feeds):
    """A client of one service. Safe to share between threads.

    Without arguments it finds the running service of the state folder (`SEVENGATE_HOME`, or `.sevengate`) and the token of its
    operator. `token` is a text, or a function that is called once and again after a 401.

    Reads, and writes with an idempotency key, are retried after transient failures: at most `attempts` times, and not beyond
    `deadline` seconds for the whole call. `timeout` bounds the service's silence, in seconds.
    """

    def __init__(self, url: str | None = None, *, token: TokenSource = None, home: str | os.PathLike[str] | None = None,
                 member: str = "operator", timeout: float = 30.0, deadline: float = 120.0, attempts: int = 5,
                 feed_patience: float = 300.0, sleep: Callable[[float], None] = time.sleep,
                 clock: Callable[[], float] = time.monotonic) -> None:
        folder = state_folder(home)
        address = running_service(folder) if url is None else url
        # A token of this machine is sent only to a service on this machine.
        if token is None and is_loopback(address) and (url is None or (folder / "tokens").is_dir()):
            token = member_token(folder, member)
        self._transport = Transport(address, timeout, clock)
        self._token = Token(token)
        self._deadline = deadline
        self._attempts = attempts
        self._feed_patience = feed_patience
        self._sleep = sleep
        self._clock = clock

    @property
    def url(self) -> str:
        return self._transport.url

    def close(self) -> None:
        """Closes kept connections. The client may be used again."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def _perform(self, operation: Operation, arguments: dict[str, Any]) -> Any:
        hint = operation.hints["return"]
        if get_origin(hint) is not Pages:
            return self._answer(operation.request(arguments), hint)
        # Wrong arguments are reported now, not in the first step of a loop.
        operation.request(arguments)
        page = get_args(hint)[1]
        return Pages(lambda cursor: self._answer(operation.request({**arguments, "cursor": cursor}), page), arguments.get("cursor"))

    def _answer(self, request: Request, hint: Any) -> Any:
        answer = self._send(request)
        if hint is type(None) or hint is None:
            return None
        if hint is str:
            return answer.text()
        try:
            return read(hint, answer.json())
        except WrongShape as error:
            raise answer.unexpected(f"the answer is not as the API describes it: {error}") from error

    def _send(self, request: Request) -> Answer:
        """Sends a request until it is answered or has finally failed."""
        deadline = self._clock() + self._deadline
        attempt, is_renewed = 1, False
        while True:
            wait: float | None = None
            token = self._token.value()
            try:
                answer = self._transport.exchange(request.method, request.target, _headers(token, request.headers), request.body,
                                                  may_repeat=request.is_safe, deadline=deadline)
                if 200 <= answer.status < 300 or (answer.status in request.also and answer.media == "application/json"):
                    return answer
                failure: SevengateError = _failure(answer)
                wait = answer.retry_after
            except NetworkError as error:
                failure = error
            # After a refused token, nothing was done.
            if isinstance(failure, ApiError) and failure.status == 401 and not is_renewed and self._token.renew(token):
                is_renewed = True
                continue
            pause = max(wait or 0.0, random.uniform(0.5, 1.0) * min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE))
            is_final = not request.is_safe or not may_pass(failure) or attempt >= self._attempts
            if is_final or self._clock() + pause >= deadline:
                failure.idempotency_key = request.headers.get("Idempotency-Key")
                raise failure
            attempt += 1
            self._sleep(pause)

    def _follow(self, channel: str, cursor: str | None, params: Mapping[str, Any], data: Mapping[str, Any]) -> Feed[Any]:
        target = query("/v1/feeds/sse", [("channel", channel), *((camel_case(name), value) for name, value in params.items())])

        def connect(cursor: str | None) -> Stream:
            return self._stream(target, {"Accept": "text/event-stream", **({} if cursor is None else {"Last-Event-ID": cursor})})

        return Feed(connect, lambda: self._token.renew(self._token.value()), channel, cursor, data=data, sleep=self._sleep,
                    clock=self._clock, patience=self._feed_patience)

    def _stream(self, target: str, headers: Mapping[str, str], is_renewed: bool = False) -> Stream:
        token = self._token.value()
        connection, response = self._transport.stream(target, _headers(token, headers), SILENCE)
        media = response.headers.get("content-type", "").split(";")[0].strip().lower()
        if response.status == 200 and media == "text/event-stream":
            return connection, response
        try:
            failure = _failure(self._transport.read_whole(response, self._clock() + SILENCE))
        except (OSError, http.client.HTTPException) as error:
            raise NetworkError(f"{self.url}: {type(error).__name__}: {error}") from error
        finally:
            response.close()
            connection.close()
        if failure.status == 401 and not is_renewed and self._token.renew(token):
            return self._stream(target, headers, True)
        raise failure


def _headers(token: str | None, given: Mapping[str, str]) -> dict[str, str]:
    identity = {} if token is None else {"Authorization": f"Bearer {token}"}
    return {"Accept": "application/json, */*;q=0.5", "User-Agent": "sevengate-python", **identity, **given}


def _failure(answer: Answer) -> ApiError | UnexpectedAnswer:
    if 300 <= answer.status < 400:
        place = answer.headers.get("location", "nowhere")
        return UnexpectedAnswer(f"status {answer.status}: a redirect to {place!r}, which is not followed, so that the token goes to nobody "
                                "else; give the address of the service itself", answer.status)
    try:
        problem = problem_error(answer.json(), answer.status, answer.retry_after)
    except UnexpectedAnswer as error:
        return error
    return problem or answer.unexpected("expected a problem of the API")


def may_pass(failure: SevengateError) -> bool:
    """True if the same request may succeed later."""
    if isinstance(failure, ApiError) and failure.code in REPEATABLE_CODES:
        return True
    return isinstance(failure, NetworkError) or getattr(failure, "status", None) in REPEATABLE_STATUS
