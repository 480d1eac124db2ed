"""Generates `sevengate/api.py` from the API's document (one method per operation, one dataclass per answer, one TypedDict per input)
and `sevengate/feeds.py` from the feed's document: reads {"openapi": …, "asyncapi": …} and prints {"api.py": …, "feeds.py": …}.
`npx vitest run test/clients/python-modules.test.ts --update` writes both.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent
# Bypasses the package, which may be broken until this has run.
sys.path.insert(0, str(HERE / "sevengate"))

from _names import argument_name, snake_case  # type: ignore[import-not-found]  # noqa: E402

Schema = dict[str, Any]
# Members of a schema that decide its Python type.
SHAPE = ("$ref", "type", "format", "pattern", "enum", "const", "anyOf", "oneOf", "items", "properties", "required",
         "additionalProperties", "patternProperties")
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
         "object": "Dict[str, Any]", "array": "List[Any]"}
WIDTH = 120
# Fields that are money or a quantity even if the document gives no pattern, or says `number`.
MONEY = re.compile(r"(Usd|Price|Notional|Amount|Quantity)$")
# Maximum length of an inline union of words. A longer one gets a name if it is used twice.
INLINE_WORDS = 40

HEADER = '''"""The operations of the API and what they take and answer. Written by generate.py from the API's document; not edited by hand."""
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
# List and Dict, since fields may be named as the built-in types are.
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ._call import Caller, operation
from ._model import Model
from ._pages import Page, Pages

if TYPE_CHECKING:
    from typing_extensions import NotRequired
else:
    NotRequired = Optional

Money = Union[Decimal, int, str]
"""An exact decimal of a request. A float is refused."""
Time = Union[datetime, str]
"""A moment of a request: an aware datetime, or its text in ISO 8601."""
'''

FEEDS_HEADER = '''"""The channels of the feed and what they tell. Written by generate.py from the feed's document; not edited by hand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, List, Literal, Sequence, Union, overload

from ._feed import Feed, Follower
from ._model import Model
'''


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def singular(name: str) -> str:
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name + "Item"


def is_decimal(schema: Schema) -> bool:
    """True if the pattern accepts decimal numbers only."""
    pattern = schema.get("pattern")
    if pattern is None:
        return False
    try:
        takes = re.compile(pattern).search
    except re.error:
        # JavaScript has more syntax, such as classes of letters, which no pattern of a number needs.
        return False
    return bool(takes("1") and not takes("a") and not takes("1.5.5"))


def shape(node: Any) -> Any:
    """Returns the parts of a schema that decide its type. Schemas of the same form share a class."""
    if isinstance(node, list):
        return [shape(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {key: node[key] for key in SHAPE if key in node}
    for key in ("properties", "patternProperties"):
        if key in kept:
            kept[key] = {name: shape(one) for name, one in kept[key].items()}
    return {key: shape(value) if key not in ("properties", "patternProperties") else value for key, value in kept.items()}


class Types:
    """Names a Python type for every schema and collects the classes that this needs."""

    def __init__(self, schemas: dict[str, Schema], is_input: bool, taken: set[str], words: Words) -> None:
        self.schemas = schemas
        self.is_input = is_input
        self.taken = taken
        self.words = words
        self.classes: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.known: dict[str, str] = {}
        self.opened: set[str] = set()

    def of(self, schema: Schema, name: str) -> str:
        if "$ref" in schema:
            target = schema["$ref"].rsplit("/", 1)[1]
            return self.component(target)
        parts = schema.get("anyOf") or schema.get("oneOf")
        if parts is not None:
            return self.union([self.of(part, self.variant(part, at, name)) for at, part in enumerate(parts)], name)
        if "const" in schema or "enum" in schema:
            return self.words.of(schema.get("enum", [schema.get("const")]), name)
        types = schema.get("type")
        if types is None:
            return "Any"
        return self.union([self.plain(schema, one, name) for one in ([types] if isinstance(types, str) else types)], name)

    def variant(self, part: Schema, at: int, name: str) -> str:
        """Returns a name for one of several forms: the constant that distinguishes it."""
        consts = [field["const"] for field in part.get("properties", {}).values() if isinstance(field.get("const"), str)]
        return pascal(consts[0]) if consts else name if at == 0 else f"{name}{at + 1}"

    def component(self, target: str) -> str:
        schema = self.schemas[target]
        if "properties" in schema and schema.get("type") == "object":
            return self.object(schema, target)
        # Recursive types, such as a state value, which contains state values.
        if target in self.opened:
            return "Any"
        self.opened.add(target)
        found = self.of(schema, target)
        self.opened.remove(target)
        return found

    def union(self, parts: list[str], name: str) -> str:
        flat = list(dict.fromkeys(one for part in parts for one in part.split(" | ")))
        if "Any" in flat:
            return "Any"
        if self.is_input and MONEY.search(name) and {"str", "float"} <= set(flat):
            flat.append("Money")
        if self.is_input and "Money" in flat:
            flat = [one for one in flat if one not in ("float", "int", "str")]
        ordered = [one for one in flat if one != "None"] + [one for one in flat if one == "None"]
        text = " | ".join(ordered)
        if len(ordered) <= 4:
            return text
        alias = self.known.get(text)
        if alias is None:
            alias = self.known[text] = self.free(name + "Input" if self.is_input else name)
            self.aliases[alias] = text
        return alias

    def plain(self, schema: Schema, kind: str, name: str) -> str:
        if kind == "string":
            if schema.get("format") == "date-time":
                return "Time" if self.is_input else "datetime"
            if is_decimal(schema) or (MONEY.search(name) and "pattern" not in schema):
                return "Money" if self.is_input else "Decimal"
            return "str"
        if kind == "number" and not self.is_input and MONEY.search(name):
            return "Decimal"
        if kind == "array":
            item = self.of(schema.get("items", {}), singular(name))
            return f"Sequence[{item}]" if self.is_input else f"List[{item}]"
        if kind == "object":
            if schema.get("properties"):
                return self.object(schema, name)
            values = [one for one in (schema.get("additionalProperties"), *schema.get("patternProperties", {}).values())
                      if isinstance(one, dict)]
            value = self.of(values[0], singular(name)) if values else "Any"
            return f"Mapping[str, {value}]" if self.is_input else f"Dict[str, {value}]"
        return PLAIN[kind]

    def object(self, schema: Schema, name: str) -> str:
        # One field alone is too little to borrow another schema's name.
        is_shared = name in self.schemas or len(schema["properties"]) > 1
        key = json.dumps([shape({**schema, "type": "object"}), "" if is_shared else name], sort_keys=True)
        if key in self.known:
            return self.known[key]
        wanted = name if name in self.schemas or not self.is_input else name + "Input"
        class_name = self.known[key] = self.free(wanted)
        self.classes[class_name] = ""
        required = set(schema.get("required", ()))
        fields = [(wire, field, self.of(field, name + pascal(wire)), wire in required)
                  for wire, field in schema["properties"].items()]
        about = sentence(schema.get("description", ""))
        self.classes[class_name] = (self.typed_dict if self.is_input else self.record)(class_name, about, fields)
        return class_name

    def record(self, name: str, about: str, fields: list[tuple[str, Schema, str, bool]]) -> str:
        names = [argument_name(wire) for wire, *_ in fields]
        if len({*names, "to_wire"}) != len(names) + 1:
            raise ValueError(f"{name}: two fields have the same name in Python, or that of a method: {names}")
        lines = ["@dataclass(init=False, repr=False, eq=False)", f"class {name}(Model):"]
        lines += docstring(about, "    ")
        for wire, _, kind, required in sorted(fields, key=lambda field: not field[3]):
            lines.append(f"    {argument_name(wire)}: {kind}" if required else f"    {argument_name(wire)}: {optional(kind)} = None")
        return "\n".join(lines)

    def typed_dict(self, name: str, about: str, fields: list[tuple[str, Schema, str, bool]]) -> str:
        kinds = [(wire, kind if required else f"NotRequired[{kind}]") for wire, _, kind, required in fields]
        for wire, _ in kinds:
            if keyword.iskeyword(wire) or not wire.isidentifier():
                raise ValueError(f"{name}: {wire!r} cannot be the name of a field of a TypedDict")
        return "\n".join([f"class {name}(TypedDict):", *docstring(about, "    "), *(f"    {wire}: {kind}" for wire, kind in kinds)])

    def free(self, name: str) -> str:
        number, found = 2, name
        while found in self.taken:
            found, number = f"{name}{number}", number + 1
        self.taken.add(found)
        return found


class Words:
    """Unions of words. A long one that is used again gets a name."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.names: dict[str, str] = {}
        self.uses: dict[str, int] = {}

    def of(self, values: list[Any], name: str) -> str:
        words = ", ".join(json.dumps(one) if isinstance(one, str) else repr(one) for one in values if one is not None)
        text = f"Literal[{words}]"
        self.uses[text] = self.uses.get(text, 0) + 1
        if len(text) > INLINE_WORDS:
            if text not in self.names:
                self.names[text] = self.free(name)
            text = self.names[text]
        return f"{text} | None" if None in values else text

    def free(self, name: str) -> str:
        number, found = 2, name
        while found in self.taken:
            found, number = f"{name}{number}", number + 1
        self.taken.add(found)
        return found


def optional(kind: str) -> str:
    return kind if kind == "Any" or kind.endswith("| None") else f"{kind} | None"


def sentence(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', "'''").strip()


def docstring(text: str, indent: str) -> list[str]:
    if text == "":
        return []
    paragraphs = text.split("\n\n")
    if len(paragraphs) == 1 and len(text) + len(indent) + 6 <= WIDTH:
        return [f'{indent}"""{text}"""']
    lines = [line for at, one in enumerate(paragraphs) for line in ([""] if at else []) + textwrap.wrap(
        one, WIDTH - len(indent) - 3 * (at == 0), break_long_words=False, break_on_hyphens=False)]
    return [f'{indent}"""{lines[0]}', *(f"{indent}{line}".rstrip() for line in lines[1:]), f'{indent}"""']


def is_feed(operation: Schema) -> bool:
    """True for an operation that is no request with an answer: a websocket, or the event stream of `Client.feed`."""
    media = [one for response in operation["responses"].values() for one in response.get("content", {})]
    return "101" in operation["responses"] or "text/event-stream" in media


class Document:
    def __init__(self, document: Schema) -> None:
        self.document = document
        schemas = document["components"]["schemas"]
        taken = {"Money", "Time", "Model", "Page", "Pages", "Feed", "Feeds", "Follower", "Caller", "Operations", "Any", "Dict", "List", "Literal", "Mapping",
                 "Optional", "Sequence", "Union", "Decimal", "NotRequired", "TypedDict"}
        lost = taken & set(schemas)
        if lost:
            raise ValueError(f"the document has schemas with names that the module needs: {sorted(lost)}")
        self.words = Words(taken)
        self.answers = Types(schemas, False, taken, self.words)
        self.inputs = Types(schemas, True, taken, self.words)

    def resolve(self, node: Schema) -> Schema:
        while "$ref" in node:
            found: Any = self.document
            for part in node["$ref"][2:].split("/"):
                found = found[part]
            node = found
        return node

    def operations(self) -> Iterator[tuple[str, str, Schema]]:
        for path, methods in self.document["paths"].items():
            for method, operation in methods.items():
                if not is_feed(operation):
                    yield method.upper(), path, operation

    def module(self) -> str:
        methods = [self.method(*one) for one in self.operations()]
        # Errors of every operation.
        self.answers.component("Problem")
        types = [*self.inputs.classes.values(), *self.answers.classes.values()]
        words = [folded(f"{name} = {text}") for text, name in self.words.names.items()]
        aliases = [folded(f"{name} = Union[{', '.join(json.dumps(one) for one in text.split(' | '))}]")
                   for kinds in (self.inputs, self.answers) for name, text in kinds.aliases.items()]
        about = '    """Every operation that the API answers over HTTP, under its `operationId` in snake_case."""'
        return "\n".join([HEADER, "\n".join(words), "", "", "\n\n\n".join(types), "", "\n".join(aliases), "", "",
                          f"class Operations(Caller):\n{about}\n", "\n\n".join(methods), ""])

    def feeds(self, asyncapi: Schema) -> str:
        """Returns the module of the feeds. Call it after `module()`, whose classes it shares."""
        known = {*self.answers.classes, *self.words.names.values(), *self.answers.aliases}
        self.answers.schemas = self.inputs.schemas = {**self.answers.schemas, **asyncapi["components"]["schemas"]}
        messages = {name: one["payload"]["properties"] for name, one in asyncapi["components"]["messages"].items()}
        channels = [name.removesuffix("_subscribe") for name in messages if name.endswith("_subscribe")]
        overloads, data = [], []
        for channel in channels:
            title = pascal(channel)
            kinds = {kind: self.answers.of(messages[f"{channel}_{kind}"]["data"], title + pascal(kind))
                     for kind in ("snapshot", "update") if f"{channel}_{kind}" in messages}
            data.append(f'    "{channel}": {{{", ".join(f"{json.dumps(kind)}: {runtime(one)}" for kind, one in kinds.items())}}},')
            params = messages[f"{channel}_subscribe"].get("params", {})
            required = set(params.get("required", ()))
            fields = [(argument_name(wire), self.inputs.of(one, title + pascal(wire)), wire in required)
                      for wire, one in params.get("properties", {}).items()]
            arguments = [f"{name}: {kind}" if needed else f"{name}: {optional(kind)} = None"
                         for name, kind, needed in sorted(fields, key=lambda field: not field[2])]
            answer = f"Feed[{' | '.join(dict.fromkeys(kinds.values()))}]"
            lines = ["        self,", f'        channel: Literal["{channel}"],', "        *,", *(f"        {one}," for one in arguments),
                     "        from_: str | None = None,", f"    ) -> {answer}: ..."]
            overloads.append("\n".join(["    @overload", "    def feed(", *lines]))
        body = "\n\n\n".join(text for name, text in self.answers.classes.items() if name not in known)
        words = [folded(f"{name} = {text}") for text, name in self.words.names.items() if name not in known]
        aliases = [folded(f"{name} = {runtime(text)}") for name, text in self.answers.aliases.items() if name not in known]
        parts = re.sub(r'""".*?"""', "", "\n".join([body, *overloads, *data, *aliases]), flags=re.DOTALL)
        used = sorted(name for name in known if re.search(rf"\b{name}\b", parts))
        imports = "from .api import (\n" + "".join(f"    {name},\n" for name in used) + ")\n"
        table = "\n".join(["# What `data` of a frame is, by channel and type.", "DATA: Dict[str, Dict[str, Any]] = {", *data, "}"])
        follow = '''    def feed(self, channel: str, *, from_: str | None = None, **params: Any) -> Feed[Any]:
        """Opens one channel as an endless iterator of frames. It resumes after a cut, without loss or repetition.

        `from_` is the `cursor` of the last processed frame.
        """
        return self._follow(channel, from_, params, DATA.get(channel, {}))'''
        return "\n".join([FEEDS_HEADER + imports, *words, "", "", body, "", "", *aliases, "", table, "", "",
                          'class Feeds(Follower):\n    """The channels of the feed."""\n', "\n\n".join([*overloads, follow]), ""])

    def method(self, verb: str, path: str, operation: Schema) -> str:
        name = snake_case(operation["operationId"])
        if name in ("close", "feed", "url"):
            raise ValueError(f"{name}: the client has something else of this name")
        title = pascal(operation["operationId"])
        parameters = [self.resolve(one) for one in operation["parameters"]]
        positional, keywords, query = [], [], []
        for one in parameters:
            kind = self.inputs.of(one["schema"], title + pascal(one["name"]))
            if one["in"] == "path":
                positional.append(f"{argument_name(one['name'])}: {kind}")
            elif one["in"] == "query":
                query.append(one["name"])
                keywords.append((one["name"], kind, one.get("required", False)))
        body, whole = self.body(operation, title)
        if whole is not None:
            positional.append(f"{whole[0]}: {whole[1]}")
        keywords += body
        is_keyed = any(one["in"] == "header" and one["name"] == "Idempotency-Key" for one in parameters)
        names = [argument_name(wire) for wire, *_ in keywords]
        if len(set(names)) != len(names):
            raise ValueError(f"{name}: two arguments have the same name: {names}")
        given = [f"{argument_name(wire)}: {kind}" for wire, kind, required in keywords if required]
        given += [f"{argument_name(wire)}: {optional(kind)} = None" for wire, kind, required in keywords if not required]
        if is_keyed:
            given.append("idempotency_key: str | None = None")
        answer = self.answer(operation, title)
        arguments = ["self", *positional, *(["*"] if given else []), *given]
        target = path + ("?" + "&".join(query) if query else "")
        spec = [json.dumps(verb), json.dumps(target)]
        if whole is not None:
            spec.append(f'whole="{whole[0]}"')
        elif body:
            spec.append(f'body="{" ".join(wire for wire, *_ in body)}"')
        if body and operation["requestBody"].get("required"):
            spec.append("needs_body=True")
        if is_keyed:
            spec.append("keyed=True")
        if also := self.answered(operation):
            spec.append(f"also={also}")
        about = "\n\n".join(sentence(operation[key]) for key in ("summary", "description") if operation.get(key))
        lines = [f"    @operation({', '.join(spec)})"]
        head = f"    def {name}({', '.join(arguments)}) -> {answer}:"
        lines += [head] if len(head) <= WIDTH else [f"    def {name}(", *(f"        {one}," for one in arguments), f"    ) -> {answer}:"]
        return "\n".join([*lines, *docstring(about, "        ")])

    def body(self, operation: Schema, title: str) -> tuple[list[tuple[str, str, bool]], tuple[str, str] | None]:
        """Returns the fields of a body as keyword arguments, or the single argument for the whole body."""
        if "requestBody" not in operation:
            return [], None
        content = operation["requestBody"]["content"]
        schema = content["application/json"]["schema"]
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            kind = self.inputs.of(schema, name)
            return [], (snake_case(name), f"{kind} | str" if "application/yaml" in content else kind)
        if "properties" not in schema and schema.get("additionalProperties"):
            return [], ("body", self.inputs.of(schema, title))
        required = set(schema.get("required", ()))
        fields = []
        for wire, field in schema.get("properties", {}).items():
            fields.append((wire, self.inputs.of(field, title + pascal(wire)), wire in required))
        return fields, None

    def answered(self, operation: Schema) -> list[int]:
        """Returns error statuses with a regular answer, such as readiness with 503."""
        bodies = {code: self.resolve(response).get("content", {}).get("application/json", {}).get("schema")
                  for code, response in operation["responses"].items()}
        [good] = [body for code, body in bodies.items() if code.startswith("2")]
        return [int(code) for code, body in bodies.items() if code[0] in "45" and body is not None and body == good]

    def answer(self, operation: Schema, title: str) -> str:
        [response] = [self.resolve(one) for code, one in operation["responses"].items() if code.startswith("2")]
        content = response.get("content")
        if not content:
            return "None"
        [(media, described)] = content.items()
        if not media.endswith("json"):
            return "str"
        schema = described["schema"]
        whole = self.resolve(schema)
        items = whole.get("properties", {}).get("items")
        if items is None or items.get("type") != "array" or "items" not in whole.get("required", ()):
            return self.answers.of(schema, title + "Answer")
        if set(whole["properties"]) > {"items"} and not any(self.resolve(one)["name"] == "cursor" for one in operation["parameters"]):
            return self.answers.of(schema, title + "Answer")
        if set(whole["properties"]) <= {"items", "nextCursor"}:
            item = self.answers.of(items["items"], singular(title.removeprefix("List").removeprefix("Get")))
            return f"Pages[{item}, Page[{item}]]"
        page = self.answers.of(schema, title + "Page")
        item = self.answers.of(items["items"], singular(page + "Items"))
        return f"Pages[{item}, {page}]"


def folded(text: str) -> str:
    """Splits a long alias over several lines."""
    if len(text) <= WIDTH:
        return text
    head, parts = text.rstrip("]").split("[", 1)
    return f"{head}[\n" + "\n".join(f"    {line}" for line in textwrap.wrap(parts + ",", WIDTH - 4)) + "\n]"


def runtime(kind: str) -> str:
    """Returns a type as an expression that Python 3.10 can evaluate."""
    parts = kind.split(" | ")
    return kind if len(parts) == 1 else f"Union[{', '.join(parts)}]"


if __name__ == "__main__":
    given = json.load(sys.stdin)
    document = Document(given["openapi"])
    json.dump({"api.py": document.module(), "feeds.py": document.feeds(given["asyncapi"])}, sys.stdout)
