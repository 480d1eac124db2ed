"""Runs a strategy over a blind replay session, with one instance for each path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from .client import FIRST_PAUSE, may_pass
from .errors import SevengateError

if TYPE_CHECKING:
    from .api import ReplaySlot, ReplayStep
    from .client import Client

# Attempts for a step. Repeating one is safe: the same answers are processed once.
ATTEMPTS = 5

Strategy = Callable[["ReplaySlot"], Any]


def run_replay(client: Client, id: str, session_id: str, begin: Callable[[int], Strategy]) -> None:
    """Answers a session to its end. Read the result with `get_replay_session`.

    `begin` creates the instance for a path. It is called with each slot and returns a trade, or None to propose nothing.
    """
    strategies: dict[int, Strategy] = {}
    shown = _sent(client, id, session_id, {})
    while not shown.done:
        answers = []
        for slot in shown.slots:
            if slot.path not in strategies:
                strategies[slot.path] = begin(slot.path)
            answers.append(strategies[slot.path](slot))
        shown = _sent(client, id, session_id, {"step": shown.step, "answers": answers})


def _sent(client: Client, id: str, session_id: str, body: dict[str, Any]) -> ReplayStep:
    """Sends a step, again after transient failures."""
    for failures in range(ATTEMPTS - 1):
        try:
            return client.answer_replay_step(id, session_id, **body)
        except SevengateError as error:
            if not may_pass(error):
                raise
            client._sleep(max(getattr(error, "retry_after", None) or 0.0, FIRST_PAUSE * 2**failures))
    return client.answer_replay_step(id, session_id, **body)
