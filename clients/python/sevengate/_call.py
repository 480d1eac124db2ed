"""Builds the request of a method of `sevengate.api`: path, query and body follow from its arguments and their types."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar, cast, get_args, get_type_hints
from urllib.parse import quote, urlencode
from uuid import uuid4

from ._names import argument_name
from ._request import write

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Request:
    """Request that may be sent several times if `is_safe`."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None
    # True if sending it twice has no second effect.
    is_safe: bool
    # Error statuses whose body is an answer.
    also: tuple[int, ...] = ()


class Operation:
    """One operation of the API, as its method describes it."""

    def __init__(self, function: Callable[..., Any], method: str, target: str, *, body: str, whole: str | None, needs_body: bool,
                 keyed: bool, also: Sequence[int]) -> None:
        self.function = function
        self.name = function.__name__
        self.method = method
        self.path, _, query = target.partition("?")
        self.query = query.split("&") if query else []
        self.body = body.split()
        self.whole = whole
        self.needs_body = needs_body
        self.keyed = keyed
        self.also = tuple(also)

    @cached_property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    @cached_property
    def hints(self) -> dict[str, Any]:
        return get_type_hints(self.function)

    def bind(self, caller: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Binds the arguments of a call to their names. @raises TypeError as Python does."""
        return dict(self.signature.bind(caller, *args, **kwargs).arguments)

    def request(self, arguments: Mapping[str, Any]) -> Request:
        """@raises TypeError or ValueError for an argument that the API would refuse."""
        headers: dict[str, str] = {}
        body = self._body(arguments, headers)
        if self.keyed:
            headers["Idempotency-Key"] = _key(arguments.get("idempotency_key"))
        is_safe = self.method == "GET" or self.keyed
        return Request(self.method, self._target(arguments), headers, body, is_safe, self.also)

    def _value(self, name: str, value: Any) -> Any:
        return write(value, self.hints[name], f"{self.name}: {name}")

    def _target(self, arguments: Mapping[str, Any]) -> str:
        path = self.path
        for part in [one[1:-1] for one in self.path.split("/") if one.startswith("{")]:
            name = argument_name(part)
            text = str(self._value(name, arguments[name]))
            # A dot segment would leave the path, and an empty one would name another operation.
            if text in ("", ".", ".."):
                raise ValueError(f"{self.name}: {name} must not be {text!r}")
            path = path.replace(f"{{{part}}}", quote(text, safe=""))
        return query(path, [(wire, self._value(name, arguments.get(name))) for wire, name in _named(self.query)])

    def _body(self, arguments: Mapping[str, Any], headers: dict[str, str]) -> bytes | None:
        if self.whole is not None:
            given = arguments[self.whole]
            if isinstance(given, str) and str in get_args(self.hints[self.whole]):
                headers["Content-Type"] = "application/yaml"
                return given.encode()
            fields = self._value(self.whole, given)
        else:
            # None leaves an optional field out, and is null for a required one.
            wanted = [(wire, name) for wire, name in _named(self.body) if name in arguments
                      and (arguments[name] is not None or self.signature.parameters[name].default is inspect.Parameter.empty)]
            fields = {wire: self._value(name, arguments[name]) for wire, name in wanted}
            if not fields and not self.needs_body:
                return None
        headers["Content-Type"] = "application/json"
        return json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


class Caller:
    """Sends operations: see `Client`."""

    def _perform(self, operation: Operation, arguments: dict[str, Any]) -> Any:
        raise NotImplementedError


def operation(method: str, target: str, *, body: str = "", whole: str | None = None, needs_body: bool = False,
              keyed: bool = False, also: Sequence[int] = ()) -> Callable[[F], F]:
    """Sends a method as a request. Names of path, query and body are those of the wire."""

    def decorate(function: F) -> F:
        described = Operation(function, method, target, body=body, whole=whole, needs_body=needs_body, keyed=keyed, also=also)

        @wraps(function)
        def call(self: Caller, *args: Any, **kwargs: Any) -> Any:
            return self._perform(described, described.bind(self, args, kwargs))

        call.operation = described  # type: ignore[attr-defined]
        return cast(F, call)

    return decorate


def query(path: str, values: Iterable[tuple[str, Any]]) -> str:
    """Builds a path with its query. None is left out."""
    given = [(wire, _text(value)) for wire, value in values if value is not None]
    return f"{path}?{urlencode(given)}" if given else path


def _named(wires: list[str]) -> list[tuple[str, str]]:
    return [(wire, argument_name(wire)) for wire in wires]


def _key(given: str | None) -> str:
    if given is None:
        return str(uuid4())
    if not isinstance(given, str) or not 1 <= len(given) <= 255 or not all("!" <= letter <= "~" for letter in given):
        raise ValueError("idempotency_key: allowed are 1 to 255 printable ASCII characters without blanks")
    return given


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_text(one) for one in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
