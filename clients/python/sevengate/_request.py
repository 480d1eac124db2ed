"""Writes arguments of an operation as exact JSON: no float becomes money, and every time has a zone."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from math import isfinite
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict
from uuid import UUID

from ._model import Model


def write(value: Any, hint: Any, path: str) -> Any:
    """Converts an argument to JSON values. @raises TypeError for a wrong type, ValueError for a value without an exact form."""
    if value is None:
        return None
    if isinstance(value, Model):
        return value.to_wire()
    members = _members(hint)
    if Any in members:
        return _anything(value, path)
    if isinstance(value, Mapping):
        return _object(value, members, path)
    if isinstance(value, (list, tuple)):
        item = next((get_args(one)[0] for one in members if get_origin(one) is Sequence), None)
        if item is None:
            raise TypeError(f"{path}: got a list, expected {_names(members)}")
        return [write(one, item, f"{path}[{at}]") for at, one in enumerate(value)]
    if Decimal in members:
        return money(value, path)
    return _plain(value, members, path)


def money(value: Any, path: str) -> str:
    """Writes an exact decimal as text."""
    if isinstance(value, float):
        raise TypeError(f"{path}: got the float {value!r}, which is not exact; give Decimal('{value!r}') or '{value!r}'")
    if isinstance(value, bool) or not isinstance(value, (Decimal, int, str)):
        raise TypeError(f"{path}: got {type(value).__name__} {value!r}; give a Decimal, an int or a text")
    try:
        number = Decimal(value)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ValueError(f"{path}: {value!r} is no decimal number")
    return format(number, "f")


def moment(value: datetime, path: str) -> str:
    """Writes an aware datetime as ISO 8601 in UTC."""
    if value.utcoffset() is None:
        raise ValueError(f"{path}: {value!r} has no time zone; give datetime(..., tzinfo=timezone.utc)")
    utc = value.astimezone(timezone.utc)
    text = utc.isoformat(timespec="microseconds" if utc.microsecond % 1_000 else "milliseconds")
    return text.replace("+00:00", "Z")


def _plain(value: Any, members: tuple[Any, ...], path: str) -> Any:
    if isinstance(value, datetime) and datetime in members:
        return moment(value, path)
    if isinstance(value, UUID) and str in members:
        return str(value)
    words = any(get_origin(one) is Literal for one in members)
    if isinstance(value, bool):
        if bool in members or words:
            return value
    elif isinstance(value, str):
        if str in members or words:
            return value
    elif isinstance(value, int):
        if int in members or float in members or words:
            return value
    elif isinstance(value, (float, Decimal)) and float in members:
        return _number(value, path)
    raise TypeError(f"{path}: got {type(value).__name__} {value!r}, expected {_names(members)}")


def _number(value: float | Decimal, path: str) -> float:
    number = float(value)
    if not isfinite(number) or (isinstance(value, Decimal) and Decimal(repr(number)) != value):
        raise ValueError(f"{path}: {value!r} has no exact form as a JSON number")
    return number


def _object(value: Mapping[str, Any], members: tuple[Any, ...], path: str) -> dict[str, Any]:
    dicts = [one for one in members if is_typeddict(one)]
    if dicts:
        hints = max((_hints(one) for one in dicts), key=lambda one: _likeness(value, one))
        return {key: write(one, hints.get(key, Any), f"{path}.{key}") for key, one in value.items()}
    for one in members:
        if get_origin(one) is Mapping:
            item = get_args(one)[1]
            return {key: write(field, item, f"{path}.{key}") for key, field in value.items()}
    raise TypeError(f"{path}: got an object, expected {_names(members)}")


def _likeness(value: Mapping[str, Any], hints: dict[str, Any]) -> int:
    """Scores how well an object fits a form: distinguishing constants first, then the number of known fields."""
    constants = [(key, get_args(hint)) for key, hint in hints.items() if get_origin(hint) is Literal and len(get_args(hint)) == 1]
    wrong = sum(bool(value.get(key) != words[0]) for key, words in constants)
    return sum(key in hints for key in value) - 1_000 * wrong


@lru_cache(maxsize=None)
def _hints(form: Any) -> dict[str, Any]:
    return get_type_hints(form)


def _members(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(one for part in get_args(hint) if part is not type(None) for one in _members(part))
    return (hint,)


def _names(members: tuple[Any, ...]) -> str:
    return " or ".join(getattr(one, "__name__", str(one)) for one in members)


def _anything(value: Any, path: str) -> Any:
    """Converts a value whose type the API does not name."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Model):
        return value.to_wire()
    if isinstance(value, Decimal):
        return money(value, path)
    if isinstance(value, float):
        return _number(value, path)
    if isinstance(value, datetime):
        return moment(value, path)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _anything(one, f"{path}.{key}") for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_anything(one, f"{path}[{at}]") for at, one in enumerate(value)]
    raise TypeError(f"{path}: {type(value).__name__} has no form in JSON")
