"""Errors that the client raises."""

from __future__ import annotations

from typing import Any, Mapping

from ._model import WrongShape


class SevengateError(Exception):
    """The base of every error of this package."""

    # Idempotency key of the request, if any. Repeating the call with this key has no second effect.
    idempotency_key: str | None = None


class ServiceNotFound(SevengateError):
    """No running service, or no token, in the state folder."""


class NetworkError(SevengateError):
    """The service was unreachable, or its answer was cut off. A write may have happened: repeat it under `idempotency_key`, or check."""


class UnexpectedAnswer(SevengateError):
    """An answer that is not the API's: a proxy's page, a redirect, or an undocumented body."""

    def __init__(self, message: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(message, status, retry_after)
        self.status = status
        self.retry_after = retry_after

    def __str__(self) -> str:
        return str(self.args[0])


class FeedError(SevengateError):
    """A feed ended for a reason that reconnecting does not fix."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class ApiError(SevengateError):
    """The API refused a request (RFC 9457). `code` is from an append-only list; `way_out` says what would be right."""

    def __init__(self, problem: Any, status: int, retry_after: float | None = None) -> None:
        # A Problem of sevengate.api, whose fields are typed there.
        self.problem = problem
        self.status = status
        self.code: str = problem.code
        self.title: str = problem.title
        self.detail: str = problem.detail
        self.request_id: str = problem.request_id
        # Wrong places in the request: path, problem, allowed values.
        self.fields: list[Any] = problem.problems or []
        self.retry_after = retry_after
        super().__init__("\n  ".join([f"{self.code} ({status}): {self.detail}", *self.way_out]))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.status, self.retry_after)

    @property
    def way_out(self) -> list[str]:
        """What would be right, in sentences; empty if `detail` says it all."""
        problem = self.problem
        return [
            *(f"{one.path}: {one.problem}; allowed: {one.allowed}" for one in self.fields),
            *(one.suggestion for one in problem.rejections or [] if one.suggestion),
            *(f"{one.name}: observed {one.observed}, asked {one.rule} {one.limit}" for one in problem.checks or [] if not one.passed),
            *(problem.questions or []),
            *([] if self.retry_after is None else [f"ask again in {self.retry_after:.0f} s"]),
        ]


class BadRequest(ApiError):
    """400: the request is malformed. `fields` names every place."""


class Unauthenticated(ApiError):
    """401: no token, or an invalid one."""


class Forbidden(ApiError):
    """403: a permission is missing."""


class NotFound(ApiError):
    """404"""


class Conflict(ApiError):
    """409: the state does not allow it."""


class Refused(ApiError):
    """422: understood, and refused by a rule such as the risk mandate."""


class TooManyRequests(ApiError):
    """429: retry after `retry_after` seconds."""


class Unavailable(ApiError):
    """503: temporarily unavailable."""


_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: BadRequest, 401: Unauthenticated, 403: Forbidden, 404: NotFound, 409: Conflict, 422: Refused, 429: TooManyRequests,
    503: Unavailable,
}


def problem_error(wire: Any, status: int, retry_after: float | None) -> ApiError | None:
    """Returns the error of a problem body, or None if the body is no problem."""
    from .api import Problem

    required = ("code", "title", "detail", "requestId")
    if not isinstance(wire, dict) or not all(isinstance(wire.get(key), str) for key in required):
        return None
    try:
        problem = Problem(wire)
    except WrongShape:
        problem = Problem({key: wire[key] for key in required})
    return _BY_STATUS.get(status, ApiError)(problem, status, retry_after)
