"""Tests the client against a service that answers correctly and incorrectly."""

from __future__ import annotations

import copy
import gzip
import json
import os
import pickle
import subprocess
import sys
import tempfile
import types
import unittest
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import sevengate
from sevengate import Client
from sevengate.api import Me

from .server import Reply, Server, ok, problem, raw

ME = {"subject": "ada", "name": None, "orgId": "o-1", "permissions": ["agent:read"], "viewerOnly": False,
      "expiresAt": "2026-03-02T15:31:00.250Z"}
ROLE = {"name": "reader", "permissions": [], "builtIn": False}
HTML = raw(502, b"<html><body>Bad gateway</body></html>", {"Content-Type": "text/html"})


class Scripted(unittest.TestCase):
    """Base of tests with a scripted server and a client that does not sleep."""

    def serve(self, *replies: Reply, **options: Any) -> Client:
        self.server = Server(*replies)
        self.addCleanup(self.server.__exit__)
        self.slept: list[float] = []
        self.now = 0.0
        client = Client(self.server.url, token=options.pop("token", "secret-token"), sleep=self.sleep, clock=lambda: self.now, **options)
        self.addCleanup(client.close)
        return client

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Answers(Scripted):
    def test_an_answer_is_typed(self) -> None:
        me = self.serve(ok({**ME, "later": 1})).get_me()
        self.assertEqual(me.expires_at, datetime(2026, 3, 2, 15, 31, 0, 250_000, tzinfo=timezone.utc))
        self.assertEqual((me.subject, me.name, me.viewer_only), ("ada", None, False))
        self.assertEqual(me.to_wire()["later"], 1)
        self.assertEqual(self.server.asked[0].headers["authorization"], "Bearer secret-token")
        with self.assertRaises(AttributeError):
            me.subject = "eve"

    def test_a_field_that_an_older_service_does_not_send_is_named_when_it_is_read(self) -> None:
        me = self.serve(ok({"subject": "ada"})).get_me()
        self.assertEqual(me.subject, "ada")
        with self.assertRaisesRegex(AttributeError, "without `org_id`"):
            me.org_id

    def test_money_is_exact_in_answers(self) -> None:
        quote = {"amount": "0.1", "inAmount": "100000000000000000.000000001"}
        swap = self.serve(raw(200, json.dumps(quote).encode())).quote_swap(instrument="AAPLx", side="buy", amount="0.1")
        values = [value for value in vars(swap).values() if isinstance(value, Decimal)]
        self.assertFalse(any(isinstance(value, float) for value in vars(swap).values()))
        self.assertTrue(all(str(value) in quote.values() for value in values))

    def test_an_answer_of_another_shape_is_named_with_its_place(self) -> None:
        with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "Me.expiresAt|expiresAt: expected a moment"):
            self.serve(ok({**ME, "expiresAt": 5})).get_me()
        with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "expected an object"):
            self.serve(ok([1])).get_me()


class Arguments(Scripted):
    def test_money_goes_out_exactly_and_never_as_a_float(self) -> None:
        client = self.serve(*[ok({}, 201)] * 3)
        for given in (Decimal("0.10"), "0.10", Decimal("1E+3")):
            client.place_paper_order(instrument="spotexchange:BTCUSDT", side="buy", quantity=given)
        self.assertEqual([one.json()["quantity"] for one in self.server.asked], ["0.10", "0.10", "1000"])
        with self.assertRaisesRegex(TypeError, r"quantity: got the float 0.1, which is not exact; give Decimal\('0.1'\)"):
            client.place_paper_order(instrument="spotexchange:BTCUSDT", side="buy", quantity=0.1)  # type: ignore[arg-type]
        for wrong in (Decimal("NaN"), "ten", True):
            with self.assertRaises((ValueError, TypeError)):
                client.place_paper_order(instrument="x", side="buy", quantity=wrong)
        self.assertEqual(len(self.server.asked), 3)

    def test_a_float_inside_a_manifest_is_refused_where_it_is_money_and_taken_where_it_is_a_number(self) -> None:
        client = self.serve(ok({}, 201), ok({}, 201))
        manifest: Any = {"name": "a", "universe": ["BTCUSDT"], "maxCapitalUsd": Decimal("10000.50"), "stopLossPct": 4.5,
                         "entryConditions": [{"type": "price_above", "instrument": "BTCUSDT", "price": Decimal("1.10")}]}
        client.create_agent(manifest)
        sent = self.server.asked[0].json()
        self.assertEqual((sent["maxCapitalUsd"], sent["stopLossPct"], sent["entryConditions"][0]["price"]), ("10000.50", 4.5, "1.10"))
        with self.assertRaisesRegex(TypeError, r"entryConditions\[0\].price: got the float"):
            client.create_agent({**manifest, "entryConditions": [{"type": "price_above", "price": 1.1}]})
        client.create_agent("name: a\n")
        self.assertEqual(self.server.asked[1].headers["content-type"], "application/yaml")

    def test_moments_need_a_time_zone(self) -> None:
        client = self.serve(ok({"items": [], "nextCursor": None}))
        moment = datetime(2026, 3, 2, 16, 31, tzinfo=timezone(timedelta(hours=2)))
        list(client.list_market_events(from_=moment, confirmed=True))
        self.assertEqual(self.server.asked[0].target, "/v1/intelligence/events?confirmed=true&from=2026-03-02T14%3A31%3A00.000Z")
        with self.assertRaisesRegex(ValueError, "no time zone"):
            client.list_market_events(from_=datetime(2026, 3, 2))

    def test_an_argument_stays_inside_its_place_of_the_path(self) -> None:
        client = self.serve(ok({}))
        client.get_agent("a/../b?c")
        self.assertEqual(self.server.asked[0].target, "/v1/agents/a%2F..%2Fb%3Fc")
        for wrong in ("", ".", ".."):
            with self.assertRaises(ValueError):
                client.get_agent(wrong)

    def test_null_is_sent_where_it_is_an_answer_and_left_out_where_it_is_none(self) -> None:
        client = self.serve(ok({}), ok({}))
        client.rename_wallet("w", label=None)
        client.decline_proposal("p")
        self.assertEqual([one.body for one in self.server.asked], [b'{"label":null}', b""])


class Repeats(Scripted):
    def test_a_read_is_repeated_after_the_pause_that_the_service_asks_for(self) -> None:
        client = self.serve(problem(503, "unavailable", {"Retry-After": "3"}), problem(429, "rate_limited", {"Retry-After": "7"}), ok(ME))
        self.assertEqual(client.get_me().subject, "ada")
        self.assertEqual(self.slept, [3.0, 7.0])

    def test_attempts_are_bounded(self) -> None:
        client = self.serve(*[HTML] * 9, attempts=3)
        with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "502.*text/html.*Bad gateway"):
            client.get_me()
        self.assertEqual((len(self.server.asked), len(self.slept)), (3, 2))

    def test_no_pause_goes_beyond_the_deadline(self) -> None:
        client = self.serve(problem(429, "rate_limited", {"Retry-After": "3600"}), deadline=60)
        with self.assertRaises(sevengate.TooManyRequests) as caught:
            client.get_me()
        self.assertEqual((caught.exception.retry_after, self.slept), (3600.0, []))
        self.assertIn("ask again in 3600 s", caught.exception.way_out)

    def test_a_write_without_a_key_is_sent_once(self) -> None:
        for reply, error in ((problem(503, "unavailable"), sevengate.Unavailable), (raw(201, b'{"a', length=50), sevengate.NetworkError)):
            client = self.serve(reply, ok({}))
            with self.assertRaises(error):
                client.invite_member(name="Ada")
            self.assertEqual(len(self.server.asked), 1)

    def test_a_write_with_a_key_is_repeated_under_the_same_key(self) -> None:
        client = self.serve(raw(200, b'{"na', length=99), problem(409, "idempotency_in_flight"), ok(ROLE))
        self.assertEqual(client.set_role("reader", permissions=[]).name, "reader")
        keys = [one.headers["idempotency-key"] for one in self.server.asked]
        self.assertEqual((len(keys), len(set(keys))), (3, 1))

    def test_another_call_has_another_key_unless_it_is_given(self) -> None:
        client = self.serve(*[ok(ROLE)] * 3)
        client.set_role("reader", permissions=[])
        client.set_role("reader", permissions=[])
        client.set_role("reader", permissions=[], idempotency_key="mine")
        first, second, third = (one.headers["idempotency-key"] for one in self.server.asked)
        self.assertNotEqual(first, second)
        self.assertEqual(third, "mine")

    def test_a_replay_goes_on_after_transient_failures_and_not_after_a_refusal(self) -> None:
        last = {"step": 1, "done": True, "slots": []}
        client = self.serve(problem(503, "unavailable", {"Retry-After": "2"}), raw(200, b'{"st', length=99), ok(last))
        sevengate.run_replay(client, "agent", "session", lambda path: lambda slot: None)
        self.assertEqual((len(self.server.asked), self.slept), (3, [2.0, 0.5]))
        client = self.serve(problem(409, "state_conflict"))
        with self.assertRaises(sevengate.Conflict):
            sevengate.run_replay(client, "agent", "session", lambda path: lambda slot: None)
        self.assertEqual(len(self.server.asked), 1)

    def test_a_refusal_is_not_repeated(self) -> None:
        client = self.serve(problem(409, "state_conflict"))
        with self.assertRaises(sevengate.Conflict):
            client.set_role("reader", permissions=[])
        self.assertEqual(self.slept, [])

    def test_a_kept_connection_that_was_closed_meanwhile_costs_a_read_no_attempt_and_is_no_danger_to_a_write(self) -> None:
        def cut(handler: Any) -> None:
            handler.close_connection = True

        client = self.serve(ok(ME), cut, ok(ME), ok({}), attempts=1)
        client.get_me()
        client.get_me()
        client.invite_member(name="Ada")
        connections = [one.connection for one in self.server.asked]
        self.assertEqual(connections[0], connections[1])
        self.assertEqual(len(set(connections)), 3)


class Hostile(Scripted):
    def test_html_instead_of_json_is_told(self) -> None:
        with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "expected JSON, got text/html; it begins: <html>") as caught:
            self.serve(raw(200, b"<html>login</html>", {"Content-Type": "text/html"})).get_me()
        self.assertEqual(caught.exception.status, 200)

    def test_what_is_no_json_is_told(self) -> None:
        for body in (b"", b"{", b"\xff", b"NaN", b"[" * 200_000):
            with self.assertRaises(sevengate.UnexpectedAnswer):
                self.serve(raw(200, body)).get_me()

    def test_a_cut_body_is_a_failure_of_the_network(self) -> None:
        packed = gzip.compress(json.dumps(ME).encode())
        for cut in (raw(200, b'{"subject":', length=400), raw(200, packed[:-9], {"Content-Encoding": "gzip"})):
            with self.assertRaises(sevengate.NetworkError):
                self.serve(cut, attempts=1).get_me()
            self.assertEqual(self.serve(cut, ok(ME)).get_me().subject, "ada")

    def test_gzip_is_read_and_a_bomb_is_not(self) -> None:
        packed = gzip.compress(json.dumps(ME).encode())
        self.assertEqual(self.serve(raw(200, packed, {"Content-Encoding": "gzip"})).get_me().subject, "ada")
        with mock.patch("sevengate._http.MAX_ANSWER", 1_000), self.assertRaisesRegex(sevengate.UnexpectedAnswer, "larger than"):
            self.serve(raw(200, gzip.compress(b" " * 1_001), {"Content-Encoding": "gzip"})).get_me()

    def test_a_redirect_gives_the_token_to_nobody(self) -> None:
        other = Server(ok(ME))
        self.addCleanup(other.__exit__)
        for status in (301, 302, 307, 308):
            with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "a redirect to"):
                self.serve(raw(status, b"", {"Location": other.url + "/v1/me"})).get_me()
        self.assertEqual(other.asked, [])

    def test_a_service_that_is_not_there_is_a_failure_of_the_network(self) -> None:
        client = self.serve(attempts=2)
        self.server.__exit__()
        with self.assertRaisesRegex(sevengate.NetworkError, "127.0.0.1"):
            client.get_me()
        self.assertEqual(len(self.slept), 1)

    def test_no_message_holds_the_token(self) -> None:
        client = self.serve(problem(403, "permission_missing"))
        with self.assertRaises(sevengate.Forbidden) as caught:
            client.get_me()
        self.assertNotIn("secret-token", repr(client) + str(caught.exception) + repr(vars(caught.exception)))


class Identity(Scripted):
    def test_a_token_is_asked_for_again_after_a_401_and_the_list_goes_on(self) -> None:
        tokens = iter(["old", "new"])
        pages = [ok({"items": [ROLE], "nextCursor": "c1"}), problem(401, "token_expired"), ok({"items": [ROLE], "nextCursor": None})]
        client = self.serve(*pages, token=lambda: next(tokens))
        self.assertEqual(len(list(client.list_invitations(limit=1))), 2)
        self.assertEqual([one.headers["authorization"] for one in self.server.asked], ["Bearer old", "Bearer old", "Bearer new"])
        self.assertEqual(self.slept, [])

    def test_a_write_goes_on_too_since_a_refused_token_has_done_nothing(self) -> None:
        tokens = iter(["old", "new"])
        self.serve(problem(401, "token_expired"), ok({}, 201), token=lambda: next(tokens)).invite_member(name="Ada")
        self.assertEqual(len(self.server.asked), 2)

    def test_a_token_that_stays_refused_is_an_error(self) -> None:
        for token in ("fixed", lambda: "same"):
            with self.assertRaises(sevengate.Unauthenticated):
                self.serve(problem(401, "unauthenticated"), token=token).get_me()
            self.assertEqual(len(self.server.asked), 1)

    def test_the_service_and_the_token_are_found_in_the_state_folder(self) -> None:
        with tempfile.TemporaryDirectory() as home, Server(ok(ME)) as server:
            with self.assertRaisesRegex(sevengate.ServiceNotFound, "npm start"):
                Client(home=home)
            Path(home, "tokens").mkdir()
            Path(home, "tokens", "viewer.token").write_text("of-the-viewer\n")
            ended = subprocess.Popen([sys.executable, "-c", ""])
            ended.wait()
            Path(home, "service.json").write_text(json.dumps({"url": server.url, "pid": ended.pid}))
            with self.assertRaisesRegex(sevengate.ServiceNotFound, "no service runs"):
                Client(home=home)
            Path(home, "service.json").write_text(json.dumps({"url": server.url, "pid": os.getpid()}))
            with mock.patch.dict(os.environ, {"SEVENGATE_HOME": home}), Client(member="viewer") as client:
                client.get_me()
            self.assertEqual(server.asked[0].headers["authorization"], "Bearer of-the-viewer")
            with self.assertRaisesRegex(sevengate.ServiceNotFound, "there are: viewer"):
                Client(home=home).get_me()
            with self.assertRaises(ValueError):
                Client(home=home, member="../viewer")
            # A token of this machine is not sent to other machines.
            self.assertIsNone(Client("https://elsewhere.example", home=home)._token.value())

    def test_an_address_is_checked(self) -> None:
        for wrong in ("ftp://a", "127.0.0.1:8080", "http://user:word@host", "http://host/?a=1"):
            with self.assertRaises(ValueError):
                Client(wrong, token="t")
        with self.assertRaises(ValueError):
            Client("http://127.0.0.1:1", token="a\r\nb").get_me()


class Problems(Scripted):
    def test_a_problem_is_typed_and_names_the_way_out(self) -> None:
        fields = [{"path": "$.stopLossPct", "problem": "is missing", "allowed": "a number above 0"}]
        client = self.serve(problem(400, "manifest_invalid", problems=fields))
        with self.assertRaises(sevengate.BadRequest) as caught:
            client.create_agent("name: a")
        error = caught.exception
        self.assertEqual((error.code, error.status, error.detail, error.request_id), ("manifest_invalid", 400, "manifest_invalid it is", "r-1"))
        self.assertEqual(error.fields[0].allowed, "a number above 0")
        self.assertEqual(error.way_out, ["$.stopLossPct: is missing; allowed: a number above 0"])
        self.assertIn("$.stopLossPct", str(error))

    def test_a_code_and_a_status_of_later_are_problems_all_the_same(self) -> None:
        with self.assertRaises(sevengate.ApiError) as caught:
            self.serve(problem(418, "new_code", problems="later")).get_me()
        self.assertEqual((type(caught.exception), caught.exception.code), (sevengate.ApiError, "new_code"))

    def test_a_service_that_is_not_ready_answers_in_parts(self) -> None:
        parts = {"ready": False, "parts": [{"name": "database", "ok": False, "detail": "away"}]}
        self.assertEqual(self.serve(ok(parts, 503)).get_readiness().parts[0].name, "database")


class Lists(Scripted):
    def test_a_list_is_walked_through_page_by_page(self) -> None:
        client = self.serve(ok({"items": [ROLE, ROLE], "nextCursor": "c 1"}), ok({"items": [ROLE], "nextCursor": None}))
        roles = client.list_invitations(limit=2)
        self.assertEqual(self.server.asked, [])
        self.assertEqual([role.name for role in roles], ["reader"] * 3)
        self.assertEqual([one.target for one in self.server.asked], ["/v1/invitations?limit=2", "/v1/invitations?limit=2&cursor=c+1"])

    def test_a_page_that_names_itself_ends_the_walk(self) -> None:
        client = self.serve(*[ok({"items": [], "nextCursor": "c"})] * 2)
        with self.assertRaisesRegex(sevengate.UnexpectedAnswer, "names itself"):
            list(client.list_invitations())

    def test_a_page_keeps_what_it_holds_beside_its_items(self) -> None:
        page = self.serve(ok({"items": [], "nextCursor": None, "asOf": "2026-03-02T15:31:00.000Z"})).list_basis().first()
        self.assertEqual((page.items, page.as_of), ([], datetime(2026, 3, 2, 15, 31, tzinfo=timezone.utc)))

    def test_to_pandas_gives_rows_with_nested_columns(self) -> None:
        pandas: Any = types.ModuleType("pandas")
        pandas.DataFrame = list
        book = {"id": "b", "equityUsd": "10.50"}
        with mock.patch.dict(sys.modules, {"pandas": pandas}):
            rows = self.serve(ok({"items": [book], "nextCursor": None})).list_books().to_pandas()
        self.assertEqual(rows[0]["id"], "b")
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(ImportError, "pip install pandas"):
            self.serve().list_books().to_pandas()


class Errors(Scripted):
    def test_a_write_that_failed_names_its_key_so_that_it_can_be_repeated(self) -> None:
        client = self.serve(raw(200, b"{", length=9), ok(ROLE), attempts=1)
        with self.assertRaises(sevengate.NetworkError) as caught:
            client.set_role("reader", permissions=[])
        client.set_role("reader", permissions=[], idempotency_key=caught.exception.idempotency_key)
        first, second = (one.headers["idempotency-key"] for one in self.server.asked)
        self.assertEqual(first, second)

    def test_errors_and_answers_go_from_one_process_to_another(self) -> None:
        errors = []
        for reply in (problem(404, "not_found"), raw(200, b"<", {"Content-Type": "text/html"})):
            try:
                self.serve(reply).get_me()
            except sevengate.SevengateError as error:
                errors.append(error)
        errors.append(sevengate.FeedError("permission_missing", "withdrawn"))
        for error in errors:
            copied = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copied), str(copied)), (type(error), str(error)))
        self.assertEqual(pickle.loads(pickle.dumps(Me(ME))), Me(ME))
        self.assertEqual(copy.deepcopy(Me(ME)).expires_at, Me(ME).expires_at)


class Models(unittest.TestCase):
    def test_answers_compare_by_what_they_hold_and_show_it(self) -> None:
        self.assertEqual(Me(ME), Me(dict(ME)))
        self.assertNotEqual(Me(ME), Me({**ME, "subject": "eve"}))
        self.assertTrue(repr(Me(ME)).startswith("Me(subject='ada', name=None"))


if __name__ == "__main__":
    unittest.main()
