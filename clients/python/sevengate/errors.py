"""Everything that the client raises by itself."""

from __future__ import annotations

from typing import Any, Mapping

from ._model import WrongShape


class SevengateError(Exception):
    """The base of every error of this package."""

    # The key under which the request was sent, if any: the same call with this key has no second effect.
    idempotency_key: str | None = None


class ServiceNotFound(SevengateError):
    """No running service, or no token, in the state folder."""


class NetworkError(SevengateError):
    """The service could not be reached, or its answer was cut. A write may have happened: repeat it under `idempotency_key`, or look."""


class UnexpectedAnswer(SevengateError):
    """An answer that is none of the API's: a page of a proxy, a redirect, a body that is not as documented."""

    def __init__(self, message: str, status: int, retry_after: float | None = None) -> None:
        super().__init__(message, status, retry_after)
        self.status = status
        self.retry_after = retry_after

    def __str__(self) -> str:
        return str(self.args[0])


class FeedError(SevengateError):
    """A feed was ended for a reason that connecting again does not mend."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class ApiError(SevengateError):
    """The API refused a request (RFC 9457). `code` is one of an append-only list; `way_out` says what would be right."""

    def __init__(self, problem: Any, status: int, retry_after: float | None = None) -> None:
        # A Problem of sevengate.api, whose fields are typed there.
        self.problem = problem
        self.status = status
        self.code: str = problem.code
        self.title: str = problem.title
        self.detail: str = problem.detail
        self.request_id: str = problem.request_id
        # Each place of the request that is wrong: path, problem, allowed.
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
    """401: no token, or one that is not valid any more."""


class Forbidden(ApiError):
    """403: a permission is missing."""


class NotFound(ApiError):
    """404"""


class Conflict(ApiError):
    """409: the state does not allow it."""


class Refused(ApiError):
    """422: understood, and refused by a rule such as the risk mandate."""


class TooManyRequests(ApiError):
    """429: `retry_after` says in how many seconds to ask again."""


class Unavailable(ApiError):
    """503: not available at the moment."""


_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: BadRequest, 401: Unauthenticated, 403: Forbidden, 404: NotFound, 409: Conflict, 422: Refused, 429: TooManyRequests,
    503: Unavailable,
}


def problem_error(wire: Any, status: int, retry_after: float | None) -> ApiError | None:
    """The error of a problem body, or None if the body is no problem."""
    from .api import Problem

    required = ("code", "title", "detail", "requestId")
    if not isinstance(wire, dict) or not all(isinstance(wire.get(key), str) for key in required):
        return None
    try:
        problem = Problem(wire)
    except WrongShape:
        problem = Problem({key: wire[key] for key in required})
    return _BY_STATUS.get(status, ApiError)(problem, status, retry_after)
