"""Finds the service of a state folder, and the tokens of its example members."""

from __future__ import annotations

import ipaddress
import json
import os
from pathlib import Path
from typing import Callable, Union
from urllib.parse import urlsplit

from .errors import ServiceNotFound

TokenSource = Union[str, Callable[[], str], None]


def state_folder(home: str | os.PathLike[str] | None) -> Path:
    return Path(home if home is not None else os.environ.get("SEVENGATE_HOME") or ".sevengate")


def running_service(folder: Path) -> str:
    """Returns the address of the running service of a state folder. @raises ServiceNotFound"""
    try:
        noted = json.loads((folder / "service.json").read_text(encoding="utf-8"))
        url, pid = noted["url"], noted["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        url, pid = None, None
    if not isinstance(url, str) or not isinstance(pid, int) or not _is_alive(pid):
        raise ServiceNotFound(f"no service runs on the state folder {folder}: start one with `npm start`, set SEVENGATE_HOME to its "
                              "folder, or give Client(url=...)")
    return url


def _is_alive(pid: int) -> bool:
    if os.name == "nt":  # On Windows signal 0 would end the process.
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def member_token(folder: Path, member: str) -> Callable[[], str]:
    """Returns a function that reads a member's token each time: the service renews the file."""
    if not member or any(letter in member for letter in "/\\\0") or member.startswith("."):
        raise ValueError(f"member: {member!r} is no name of a token file")
    file = folder / "tokens" / f"{member}.token"

    def read() -> str:
        try:
            return file.read_text(encoding="utf-8")
        except OSError as error:
            there = sorted(one.stem for one in file.parent.glob("*.token"))
            raise ServiceNotFound(f"no token in {file} (there are: {', '.join(there) or 'none'}); give Client(token=...)") from error

    return read


class Token:
    """Token of a client. A source that is a function is called once, and again after a 401."""

    def __init__(self, source: TokenSource) -> None:
        self._source = source
        self._value: str | None = None

    def value(self) -> str | None:
        if self._value is None and self._source is not None:
            self._value = self._read()
        return self._value

    def renew(self, refused: str | None) -> bool:
        """Asks for another token after a refusal. Returns False if there is none."""
        # Another thread may have renewed it.
        if callable(self._source) and self._value == refused:
            self._value = self._read()
        return self._value != refused

    def _read(self) -> str:
        token = self._source() if callable(self._source) else self._source
        if not isinstance(token, str):
            raise TypeError(f"token: expected a text or a function that gives one, got {type(token).__name__}")
        token = token.strip()
        if not token or not all("!" <= letter <= "~" for letter in token):
            raise ValueError("token: it is empty or has characters that no token has")
        return token
