/** A stream of server-sent events: one channel, resumed with Last-Event-ID. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem as InputProblem } from '../../src/domain/values/field.ts';
import type { Caller } from '../caller.ts';
import type { ProblemCode } from '../../src/domain/values/problems.ts';
import { sendProblem } from '../problem.ts';
import type { Channel } from './channels/channel.ts';
import { findChannel } from './channels/index.ts';
import type { FeedClient } from './fan-out.ts';
import type { FeedPorts } from './feed-ports.ts';
import { answerFrame, errorFrame, type FeedErrorCode, sseEvent } from './frames.ts';
import type { Hub } from './hub.ts';
import { readWanted, type Wanted } from './request.ts';
import type { Subscription, SubscriptionEvents } from './subscription.ts';
import { type EndReason, pickToken, UNANSWERED_BEATS, type Watch, type Watched } from './watch.ts';

/** Reconnection delay of a browser, in milliseconds. */
const RETRY_MS = 2_000;

const ENDS: { readonly [reason in EndReason]: readonly [FeedErrorCode, string] } = {
  token_expired: ['token_expired', 'the token has expired; connect again with a new one'],
  token_revoked: ['token_revoked', 'the token was revoked; sign in again'],
  permission_lost: ['permission_missing', 'a permission was withdrawn'],
  unverifiable: ['unavailable', 'permissions could not be read; connect again'],
  restarting: ['unavailable', 'the service restarts; connect again'],
};

/** Problem codes of refused subscriptions. A missing code is `malformed`. */
const PROBLEM_OF: { readonly [code in FeedErrorCode]?: ProblemCode } = {
  permission_missing: 'permission_missing',
  unavailable: 'feature_disabled',
};

/** Answers `GET /v1/feeds/sse?channel=…`. The query also contains the channel's parameters. */
export async function serveEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  deps: { readonly ports: FeedPorts; readonly hub: Hub; readonly watch: Watch },
): Promise<FastifyReply> {
  const { ports, hub, watch } = deps;
  const { clock } = ports;
  const wanted = await readAsked(request, caller, ports);
  if (!wanted.ok) return sendProblem(reply, wanted.code, wanted.detail, wanted.problems === null ? {} : { problems: wanted.problems });
  const { channel, params, from: position } = wanted.value;
  if (!watch.hasCapacity(caller.subject))
    return sendProblem(reply, 'rate_limited', `at most ${watch.connectionsPerSubject} feed connections per subject`);
  // A client that has left meanwhile would never be heard to leave.
  if (reply.raw.destroyed) return reply.hijack();

  const response = openedStream(request, reply);
  let subscription: Subscription | null = null;
  let ended = false;

  const client: FeedClient = {
    wire: 'sse',
    windowBits: null,
    get open() {
      return !ended && !response.destroyed && response.writable;
    },
    bufferedBytes: () => response.writableLength,
    write: (bytes) => void response.write(bytes),
    cork: () => response.cork(),
    uncork: () => response.uncork(),
    memberships: 0,
  };

  function end(code: FeedErrorCode, detail: string): void {
    if (!client.open) return;
    response.write(sseEvent(errorFrame(code, detail, clock.now(), { channel: channel.name }), null));
    finish();
  }

  function finish(): void {
    ended = true;
    subscription?.close();
    response.end();
    watch.terminateSoon(watched);
  }

  const watched: Watched = {
    ...pickToken(caller),
    stand: ({ orgId, permissions }) => orgId === caller.orgId && permissions.includes(channel.permission),
    beat: beatsTo(response, client),
    end: (reason) => end(...ENDS[reason]),
    terminate: () => void response.destroy(),
  };

  const unwatch = watch.add(watched);
  response.on('error', () => {});
  // A stream may be silent for longer than a request. Without a listener the server would close it.
  response.on('timeout', () => {});
  response.on('close', () => {
    ended = true;
    unwatch();
    subscription?.close();
  });

  // A client that is cut off before its snapshot must not resume after it.
  const beginsWithSnapshot = channel.kind === 'announcements' && channel.snapshot !== null && position === null;
  const events: SubscriptionEvents = {
    accepted({ seq, cursor }) {
      const frame = answerFrame(undefined, 'subscribed', clock.now(), { channel: channel.name, seq, cursor });
      response.write(sseEvent(frame, beginsWithSnapshot ? null : cursor));
    },
    lagged: finish,
    failed: () => end('unavailable', `${channel.name} cannot be read at the moment`),
  };
  subscription =
    channel.kind === 'quotes'
      ? hub.subscribeQuotes(channel, client, params, events)
      : channel.kind === 'latest'
        ? hub.subscribeLatest(channel, client, params, events)
        : hub.subscribeAnnouncements(channel, client, caller.orgId as string, params, position, events);
  return reply;
}

interface Refused {
  readonly ok: false;
  readonly code: ProblemCode;
  readonly detail: string;
  /** Names the cursor if the client has to drop it. */
  readonly problems: readonly InputProblem[] | null;
}
type Asked = { readonly ok: true; readonly value: Wanted } | Refused;

/** Reads channel, parameters and start from the query and `Last-Event-ID`, or returns the problem. */
async function readAsked({ query, headers }: FastifyRequest, caller: Caller, ports: FeedPorts): Promise<Asked> {
  const { channel: name, from, ...rest } = query as { [name: string]: string | string[] | undefined };
  const params = readParams(rest, typeof name === 'string' ? findChannel(name) : null);
  const fields = { channel: name, params, from: headers['last-event-id'] || from };
  const wanted = readWanted(fields, caller.permissions, caller.orgId !== null, ports.unanswerable);
  const place = headers['last-event-id'] ? 'Last-Event-ID' : 'query.from';
  if (!wanted.ok) {
    const { code, detail } = wanted.refusal;
    const problem = { path: place, problem: 'not a cursor', allowed: 'the cursor of the last frame, or none' };
    return { ok: false, code: PROBLEM_OF[code] ?? 'malformed', detail, problems: code === 'invalid_cursor' ? [problem] : null };
  }
  const position = wanted.value.from;
  if (position === null || (await ports.announcements.isKnown(position))) return wanted;
  const problem = { path: place, problem: 'it is in the future or no longer stored', allowed: 'connect without it' };
  return { ok: false, code: 'malformed', detail: `${place}: ${problem.problem}; ${problem.allowed}`, problems: [problem] };
}

/** Returns the response as a started event stream. Fastify sends nothing more of it. */
function openedStream(request: FastifyRequest, reply: FastifyReply): ServerResponse {
  reply.hijack();
  const response = reply.raw;
  request.raw.socket.setNoDelay(true);
  for (const [header, value] of Object.entries(reply.getHeaders())) if (value !== undefined) response.setHeader(header, value);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  response.write(`retry: ${RETRY_MS}\n\n`);
  return response;
}

/** Returns a function that writes a heartbeat, or ends the connection if its peer has read nothing for `UNANSWERED_BEATS` of them. */
function beatsTo(response: ServerResponse, client: FeedClient): () => void {
  let least = 0;
  let stuck = 0;
  return () => {
    if (!client.open) return;
    const buffered = client.bufferedBytes();
    stuck = buffered > 0 && buffered >= least ? stuck + 1 : 0;
    least = buffered;
    if (stuck >= UNANSWERED_BEATS) response.destroy();
    else response.write(': heartbeat\n\n');
  };
}

/** Reads parameters from a query string. `instruments` is a list, separated by commas or repeated. */
function readParams(
  query: { readonly [name: string]: string | string[] | undefined },
  channel: Channel | null,
): { [name: string]: unknown } {
  const fields = (channel?.params.properties ?? {}) as { readonly [name: string]: { readonly type?: string } | undefined };
  const params: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (name === 'instruments') params[name] = [value].flat().flatMap((text) => text.split(','));
    // A query contains only texts. A whole number is converted if the channel expects one.
    else params[name] = fields[name]?.type === 'integer' && typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  }
  return params;
}
