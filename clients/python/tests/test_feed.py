"""Tests that feeds lose and repeat nothing, however the stream is cut."""

from __future__ import annotations

import unittest
from datetime import timedelta
from decimal import Decimal
from typing import Any
from unittest import mock

import sevengate
from sevengate import feeds
from sevengate._feed import _lines

from .server import event, problem, raw, stream
from .test_client import Scripted

HELLO = event("subscribed", 0, "1.0")


class Feeds(Scripted):
    def take(self, feed: sevengate.Feed, count: int) -> list[Any]:
        self.addCleanup(feed.close)
        return [next(feed).data for _ in range(count)]

    def test_a_feed_goes_on_from_its_cursor_after_a_cut(self) -> None:
        second = event("update", 2, "1.2", "b")
        client = self.serve(
            stream(b"retry: 1500\n\n", HELLO, b": heartbeat\n\n", event("update", 1, "1.1", "a"), second[: len(second) // 2]),
            raw(502, b"<html>", {"Content-Type": "text/html"}),
            stream(second, event("update", 3, "1.3", "c")),
        )
        feed = client.feed("agents", agent_id="a-1")
        self.assertEqual(self.take(feed, 3), ["a", "b", "c"])
        self.assertEqual(feed.cursor, "1.3")
        asked = self.server.asked
        self.assertEqual([one.headers.get("last-event-id") for one in asked], [None, "1.1", "1.1"])
        self.assertEqual(asked[0].target, "/v1/feeds/sse?channel=agents&agentId=a-1")
        self.assertEqual(self.slept[0], 1.5)

    def test_a_cut_before_the_first_change_goes_on_from_where_the_feed_began(self) -> None:
        client = self.serve(stream(HELLO), stream(event("update", 1, "1.1", "a")))
        self.assertEqual(self.take(client.feed("agents"), 1), ["a"])
        self.assertEqual(self.server.asked[1].headers["last-event-id"], "1.0")

    def test_a_change_that_comes_again_is_left_out(self) -> None:
        again = event("update", 1, "1.1", "a")
        client = self.serve(stream(HELLO, again), stream(again, event("update", 2, "1.2", "b")))
        self.assertEqual(self.take(client.feed("agents"), 2), ["a", "b"])

    def test_a_client_that_fell_behind_reads_on_from_where_it_was(self) -> None:
        client = self.serve(stream(HELLO, event("lagged", 1, "1.0", {"from": "1.0", "to": "1.9"})), stream(event("update", 1, "1.1", "a")))
        self.assertEqual(self.take(client.feed("agents"), 1), ["a"])
        self.assertEqual(self.server.asked[1].headers["last-event-id"], "1.0")

    def test_a_feed_begins_where_another_one_ended(self) -> None:
        client = self.serve(stream(event("update", 8, "7.8", "a")))
        self.assertEqual(self.take(client.feed("agents", from_="7.7"), 1), ["a"])
        self.assertEqual(self.server.asked[0].headers["last-event-id"], "7.7")
        self.assertNotIn("from", self.server.asked[0].target)

    def test_a_channel_of_states_begins_anew(self) -> None:
        client = self.serve(*[stream(event("snapshot", 0, None, []))] * 2)
        self.assertEqual(self.take(client.feed("quotes", instruments=["a:b", "c:d"]), 2), [[], []])
        self.assertEqual(self.server.asked[0].target, "/v1/feeds/sse?channel=quotes&instruments=a%3Ab%2Cc%3Ad")

    def test_an_expired_token_is_asked_for_again(self) -> None:
        tokens = iter(["one", "two", "three"])
        client = self.serve(stream(HELLO, event("error", 0, None, code="token_expired", detail="connect again")),
                            problem(401, "token_expired"), stream(event("update", 1, "1.1", "a")), token=lambda: next(tokens))
        self.assertEqual(self.take(client.feed("agents"), 1), ["a"])
        self.assertEqual([one.headers["authorization"] for one in self.server.asked], ["Bearer one", "Bearer two", "Bearer three"])

    def test_what_connecting_again_does_not_mend_ends_the_feed(self) -> None:
        client = self.serve(stream(HELLO, event("error", 0, None, code="permission_missing", detail="withdrawn")))
        feed = client.feed("agents")
        with self.assertRaisesRegex(sevengate.FeedError, "permission_missing: withdrawn"):
            next(feed)
        self.assertEqual((list(feed), len(self.server.asked)), ([], 1))

    def test_a_forgotten_cursor_is_an_error_and_no_silent_loss(self) -> None:
        with self.assertRaises(sevengate.BadRequest):
            next(self.serve(problem(400, "malformed")).feed("agents", from_="1.1"))

    def test_patience_ends(self) -> None:
        client = self.serve(*[problem(503, "unavailable", {"Retry-After": "20"})] * 9, feed_patience=50)
        with self.assertRaises(sevengate.Unavailable):
            next(client.feed("agents"))
        self.assertEqual(self.slept, [20.0, 20.0])

    def test_a_redirect_of_a_feed_gives_the_token_to_nobody(self) -> None:
        client = self.serve(raw(307, b"", {"Location": "http://elsewhere.example/"}))
        with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "a redirect to"):
            next(client.feed("agents"))

    def test_what_a_channel_tells_is_typed(self) -> None:
        change = {"what": "recommended", "decisionId": "d", "agentId": "a", "side": "entry", "mode": "paper", "instrument": "BTCUSDT",
                  "quantity": "0.10", "limitPrice": "1.50", "notionalUsd": "0.15"}
        client = self.serve(stream(event("update", 1, "1.1", change)), stream(event("update", 1, "1.1", {**change, "quantity": "much"})))
        frame = next(client.feed("proposals"))
        self.assertIsInstance(frame.data, feeds.TradeRecommended)
        self.assertEqual((frame.data.quantity, frame.at.utcoffset()), (Decimal("0.10"), timedelta(0)))
        with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "proposals.update.quantity: expected a decimal number, got 'much'"):
            next(client.feed("proposals"))

    def test_what_is_no_frame_is_told(self) -> None:
        for wrong in (b"data: {\n\n", b"data: []\n\n", b'data: {"type":"update"}\n\n'):
            with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "no frame"):
                next(self.serve(stream(wrong)).feed("agents"))

    def test_an_unknown_channel_is_refused_by_the_service_and_wrong_arguments_at_once(self) -> None:
        with self.assertRaises(TypeError):
            self.serve().feed()  # type: ignore[call-arg]


class Lines(unittest.TestCase):
    def test_lines_are_parted_by_each_end_of_line_wherever_the_stream_is_parted(self) -> None:
        text = b"a\r\nb\nc\rd\r\n\r\ne\n"
        for at in range(len(text) + 1):
            response = mock.Mock()
            response.read1.side_effect = [part for part in (text[:at], text[at:]) if part] + [b""]
            self.assertEqual(list(_lines(response)), [b"a", b"b", b"c", b"d", b"", b"e"], at)


if __name__ == "__main__":
    unittest.main()
