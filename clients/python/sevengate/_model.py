"""Reads JSON of the wire as typed answers."""

from __future__ import annotations

import copy
import dataclasses
import re
import types
from datetime import datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Callable, Generic, Literal, Mapping, TypeVar, Union, get_args, get_origin, get_type_hints

from ._names import argument_name

Convert = Callable[[Any, str], Any]
Item = TypeVar("Item")


class WrongShape(ValueError):
    """An answer that does not match the API's document."""


class Number(float):
    """A JSON number with a fraction. It keeps its digits, so that a Decimal made of it is exact."""

    digits: str

    def __new__(cls, digits: str) -> Number:
        number = super().__new__(cls, digits)
        number.digits = digits
        return number


class Model:
    """An answer of the API. Read-only. `to_wire()` returns the original JSON object, unknown fields included."""

    _wire: Mapping[str, Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Without a docstring each dataclass would generate its signature, which is half of the import time.
        cls.__doc__ = cls.__doc__ or f"`{cls.__name__}` of the API."

    def __init__(self, wire: Mapping[str, Any], *, _path: str = "") -> None:
        path = _path or type(self).__name__
        if not isinstance(wire, Mapping):
            raise WrongShape(f"{path}: expected an object, got {_shown(wire)}")
        converters = _fields(type(self))  # type: ignore[arg-type]
        values = {}
        for key, value in wire.items():
            name = argument_name(key)
            convert = converters.get(name)
            if convert is not None:
                values[name] = convert(value, f"{path}.{key}")
        self.__dict__.update(values, _wire=wire)

    def to_wire(self) -> dict[str, Any]:
        return copy.deepcopy(dict(self._wire))

    def __getattr__(self, name: str) -> Any:
        # Reached only for a field that is missing in the answer.
        if name in {field.name for field in dataclasses.fields(type(self))}:  # type: ignore[arg-type]
            raise AttributeError(f"the service answered a {type(self).__name__} without `{name}`: it is older than this client")
        raise AttributeError(f"{type(self).__name__} has no `{name}`")

    def __setattr__(self, name: str, value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot set `{name}`: an answer is read-only")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete `{name}`: an answer is read-only")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._wire == other._wire if isinstance(other, Model) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = (field.name for field in dataclasses.fields(type(self)) if field.name in self.__dict__)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{name}={self.__dict__[name]!r}' for name in shown)})"


@dataclasses.dataclass(init=False, repr=False, eq=False)
class Page(Model, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = None

    @classmethod
    def of(cls, wire: Any, item: Convert) -> Page[Item]:
        page = cls(wire)
        page.__dict__["items"] = [item(one, f"items[{at}]") for at, one in enumerate(_listed(wire.get("items"), "items"))]
        return page


def read(hint: Any, wire: Any) -> Any:
    """Converts JSON to what a type hint names. @raises WrongShape"""
    if get_origin(hint) is Page:
        if not isinstance(wire, Mapping):
            raise WrongShape(f"expected a page of a list, got {_shown(wire)}")
        return Page.of(wire, converter(get_args(hint)[0]))
    return converter(hint)(wire, "")


@lru_cache(maxsize=None)
def _fields(model: Any) -> dict[str, Convert]:
    hints = get_type_hints(model)
    return {field.name: converter(hints[field.name]) for field in dataclasses.fields(model)}


def converter(hint: Any) -> Convert:
    """Returns the converter of a type hint. Literals and plain values pass unchanged: the API may add to them."""
    try:
        return _converter(hint)
    except TypeError:  # A type hint that cannot be hashed.
        return _convert_of(hint)


@lru_cache(maxsize=None)
def _converter(hint: Any) -> Convert:
    return _convert_of(hint)


def _convert_of(hint: Any) -> Convert:
    if hint is Decimal:
        return _decimal
    if hint is datetime:
        return _moment
    if hint is float:
        return _float
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is list:
        item = converter(arguments[0])
        return lambda wire, path: [item(one, f"{path}[{at}]") for at, one in enumerate(_listed(wire, path))]
    if origin is dict:
        value = converter(arguments[1])
        return lambda wire, path: {key: value(one, f"{path}.{key}") for key, one in _mapped(wire, path).items()}
    if isinstance(hint, type) and issubclass(hint, Model):
        return lambda wire, path: hint(wire, _path=path)
    return lambda wire, path: wire


def _union(arguments: tuple[Any, ...]) -> Convert:
    """Converts by the kind of the JSON value. Of several objects, the first whose fields are present is used."""
    members = [one for one in arguments if one is not type(None)]
    if len(members) == 1:
        only = converter(members[0])
        return lambda wire, path: None if wire is None else only(wire, path)
    models = [one for one in members if isinstance(one, type) and issubclass(one, Model)]
    texts = [one for one in (datetime, Decimal) if one in members and str not in members]
    numbers = [one for one in (float, Decimal) if one in members and int not in members]
    lists = [one for one in members if get_origin(one) is list]

    def convert(wire: Any, path: str) -> Any:
        if isinstance(wire, Mapping):
            fitting = [one for one in models if _fits(one, wire, is_open=True)]
            closest = next((one for one in fitting if _fits(one, wire, is_open=False)), fitting[0] if fitting else None)
            return wire if closest is None else closest(wire, _path=path)
        if isinstance(wire, str) and texts:
            return converter(texts[0])(wire, path)
        if isinstance(wire, (int, float)) and not isinstance(wire, bool) and numbers:
            return converter(numbers[0])(wire, path)
        return converter(lists[0])(wire, path) if isinstance(wire, list) and lists else wire

    return convert


def _fits(model: type[Model], wire: Mapping[str, Any], *, is_open: bool) -> bool:
    """True if an object has the required fields and constants of a model. `is_open`: fields with several literals may hold new ones."""
    values = {argument_name(key): value for key, value in wire.items()}
    hints = get_type_hints(model)
    for field in dataclasses.fields(model):  # type: ignore[arg-type]
        if field.default is dataclasses.MISSING and field.name not in values:
            return False
        words = get_args(hints[field.name]) if get_origin(hints[field.name]) is Literal else ()
        if words and field.name in values and values[field.name] not in words and (len(words) == 1 or not is_open):
            return False
    return True


def _decimal(wire: Any, path: str) -> Decimal:
    if isinstance(wire, Number):
        return Decimal(wire.digits)
    if isinstance(wire, (str, int)) and not isinstance(wire, bool):
        try:
            found = Decimal(wire)
        except InvalidOperation:
            found = Decimal("NaN")
        if found.is_finite():
            return found
    raise WrongShape(f"{path}: expected a decimal number, got {_shown(wire)}")


def _float(wire: Any, path: str) -> float:
    if isinstance(wire, (int, float)) and not isinstance(wire, bool):
        return float(wire)
    raise WrongShape(f"{path}: expected a number, got {_shown(wire)}")


_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))")


def _moment(wire: Any, path: str) -> datetime:
    match = _MOMENT.fullmatch(wire) if isinstance(wire, str) else None
    if match is None:
        raise WrongShape(f"{path}: expected a moment in ISO 8601, got {_shown(wire)}")
    day, time, fraction, sign, hours, minutes = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{time}").replace(microsecond=int((fraction or "0")[:6].ljust(6, "0")), tzinfo=timezone.utc)
        offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
        return moment + offset if sign == "-" else moment - offset
    except (ValueError, OverflowError):
        raise WrongShape(f"{path}: expected a moment in ISO 8601, got {_shown(wire)}") from None


def _listed(wire: Any, path: str) -> list[Any]:
    if isinstance(wire, list):
        return wire
    raise WrongShape(f"{path}: expected a list, got {_shown(wire)}")


def _mapped(wire: Any, path: str) -> Mapping[str, Any]:
    if isinstance(wire, Mapping):
        return wire
    raise WrongShape(f"{path}: expected an object, got {_shown(wire)}")


def _shown(wire: Any) -> str:
    text = repr(wire)
    return text if len(text) <= 80 else f"{text[:77]}..."
