"""Client of Sevengate: operations, types and feeds of its API. Needs only the standard library."""

from ._feed import Feed, Frame
from ._pages import Page, Pages
from ._replay import run_replay
from .client import Client
from .errors import (
    BadRequest,
    Conflict,
    FeedError,
    Forbidden,
    NetworkError,
    NotFound,
    ApiError,
    Refused,
    SevengateError,
    ServiceNotFound,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    UnexpectedAnswer,
)

__all__ = [
    "BadRequest", "Client", "Conflict", "Feed", "FeedError", "Forbidden", "Frame", "NetworkError", "NotFound", "Page", "Pages",
    "ApiError", "Refused", "ServiceNotFound", "SevengateError", "TooManyRequests", "Unauthenticated", "Unavailable",
    "UnexpectedAnswer", "run_replay",
]
