"""Compares the generated module with the API's document."""

from __future__ import annotations

import json
import os
import re
import unittest
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Iterator, get_args, get_origin

import sevengate
from sevengate import api
from sevengate._model import Model, Number, read
from sevengate._names import argument_name, snake_case
from sevengate._pages import Pages

ROOT = Path(__file__).resolve().parent.parent
# Path of the API's document, set by the project's tests.
DOCUMENT = Path(os.environ.get("SEVENGATE_API_DOCUMENT", "openapi.json"))
OPERATIONS = {name: method.operation for name, method in vars(api.Operations).items() if hasattr(method, "operation")}


def described() -> Iterator[tuple[str, dict[str, Any]]]:
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"), parse_float=Number)
    for methods in document["paths"].values():
        for operation in methods.values():
            if "101" not in operation["responses"] and operation["operationId"] != "streamEvents":
                yield snake_case(operation["operationId"]), operation


def texts(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yields every value of an answer with its path."""
    if isinstance(value, Model):
        for name, one in vars(value).items():
            if name != "_wire":
                yield from texts(one, f"{path}.{name}")
    elif isinstance(value, list):
        for one in value:
            yield from texts(one, f"{path}[]")
    else:
        yield path, value


def numbers(value: Any) -> Any:
    """Returns the value with its integers as texts."""
    if isinstance(value, dict):
        return {key: numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [numbers(one) for one in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


@unittest.skipUnless(DOCUMENT.exists(), "SEVENGATE_API_DOCUMENT names no document of the API")
class Generated(unittest.TestCase):
    def test_every_operation_is_a_method(self) -> None:
        self.assertEqual(sorted(OPERATIONS), sorted(name for name, _ in described()))
        self.assertGreater(len(OPERATIONS), 190)

    def test_every_recorded_answer_is_read_by_its_type(self) -> None:
        kinds: dict[type, int] = {}
        for name, operation in described():
            hint = OPERATIONS[name].hints["return"]
            page = get_args(hint)[1] if get_origin(hint) is Pages else hint
            for response in operation["responses"].values():
                for media, content in response.get("content", {}).items():
                    if media != "application/json" or "example" not in content:
                        continue
                    answer = read(page, content["example"])
                    if isinstance(answer, Model):
                        self.assertEqual(answer.to_wire(), content["example"], name)
                    for place, value in texts(answer, name):
                        kinds[type(value)] = kinds.get(type(value), 0) + 1
                        # A template names the place of an amount in an alert.
                        is_money = re.search(r"(_usd|\bprice|_price|_notional|amount|quantity)$", place) and ".template." not in place
                        self.assertFalse(is_money and isinstance(value, (float, str)), f"{place} is {value!r}")
        self.assertGreater(kinds[Decimal], 50)
        self.assertGreater(kinds[datetime], 50)

    def test_every_recorded_request_is_written_as_it_was(self) -> None:
        written = 0
        for name, operation in described():
            example = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            if example is None:
                continue
            method = OPERATIONS[name]
            given = {method.whole: example} if method.whole else {argument_name(key): value for key, value in example.items()}
            path = {argument_name(one["name"]): "x" for one in operation["parameters"] if one.get("in") == "path"}
            sent = method.request({**path, **given}).body
            # An int of money is sent as text, which the API accepts too.
            self.assertEqual(numbers(json.loads(sent or b"{}")), numbers(json.loads(json.dumps(example))), name)
            written += 1
        self.assertGreater(written, 40)

    def test_the_names_of_the_wire_come_back(self) -> None:
        self.assertEqual([snake_case(one) for one in ("maxCapitalUsd", "getOpenApi", "top1Pct", "URLOf")],
                         ["max_capital_usd", "get_open_api", "top1_pct", "url_of"])
        self.assertEqual(argument_name("from"), "from_")

    def test_the_package_says_what_it_offers(self) -> None:
        for name in sevengate.__all__:
            self.assertTrue(hasattr(sevengate, name), name)
        self.assertTrue((ROOT / "sevengate" / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
