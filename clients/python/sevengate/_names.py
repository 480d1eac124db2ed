"""Converts names of the wire to Python."""

from __future__ import annotations

import keyword
import re
from functools import lru_cache


@lru_cache(maxsize=None)
def snake_case(name: str) -> str:
    """`maxCapitalUsd` → `max_capital_usd`, `getOpenApi` → `get_open_api`."""
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", parted).replace("-", "_").lower()


def camel_case(name: str) -> str:
    """`agent_id` → `agentId`."""
    first, *others = name.split("_")
    return first + "".join(one[:1].upper() + one[1:] for one in others)


@lru_cache(maxsize=None)
def argument_name(name: str) -> str:
    """Returns the name as an argument or field: `from` becomes `from_`, because Python reserves the word."""
    snake = re.sub(r"\W", "_", snake_case(name))
    return f"{snake}_" if keyword.iskeyword(snake) else f"_{snake}" if snake[:1].isdigit() else snake
