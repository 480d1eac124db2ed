/**
 * Registers the feeds: one websocket and one stream of server-sent events for all channels, and a websocket with Stately's inspection
 * protocol.
 */
import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import { sendProblem, sendRefusal } from '../problem.ts';
import { createFanOut, type FanOutOptions } from './fan-out.ts';
import type { FeedPorts } from './feed-ports.ts';
import { CLOSE } from './frames.ts';
import { createHub, type HubOptions } from './hub.ts';
import { type InspectedPorts, readInspectionWish, serveInspector } from './inspector.ts';
import { AGREED_DEFLATE, offeredWindowBits, withoutOtherOffers } from './shared-deflate.ts';
import { SOCKET_LIMITS, type SocketLimits, serveSocket } from './socket.ts';
import { serveEvents } from './sse.ts';
import { createWatch, type Watch, type WatchOptions } from './watch.ts';

export interface FeedOptions extends Omit<FanOutOptions, 'clock'>, HubOptions, WatchOptions {
  readonly socketLimits?: Partial<SocketLimits>;
  /** Skips authentication. The server's builder sets the same `request.caller` for everybody. */
  readonly open?: true;
}

/** Statistics for the metrics. */
interface FeedStats {
  readonly connections: number;
  /** Frames times clients since the start. `writes` is the number of writes they took. */
  readonly deliveries: number;
  readonly writes: number;
}

/** Maximum length of a client's message in bytes. */
const MAX_PAYLOAD = 16 * 1024;
const FEEDS_URL = '/v1/feeds';
const ASK_FOR_AN_UPGRADE = 'this route is a WebSocket: send an upgrade request';

/**
 * Adds `GET /v1/feeds`, `GET /v1/feeds/inspector` and `GET /v1/feeds/sse` to a server whose gate sets `request.caller` (`buildApi`). Use it
 * as `extend: [(app) => registerFeeds(app, ports)]`. Closing the server tells every client to reconnect and waits for none.
 */
export async function registerFeeds(app: FastifyInstance, ports: FeedPorts, options: FeedOptions = {}) {
  const fanOut = createFanOut({ clock: ports.pace ?? ports.clock, ...options });
  const hub = createHub(ports, fanOut, options);
  const watch = createWatch(ports, options);
  const limits: SocketLimits = { ...SOCKET_LIMITS, ...options.socketLimits };
  const permission = options.open === true ? 'public' : 'identity';

  await upgradeSockets(app, ports, () => {
    hub.stop();
    fanOut.stop();
    watch.drain();
  });
  app.route({
    method: 'GET',
    url: FEEDS_URL,
    config: { permission, cost: 'read' },
    preValidation: async (request: FastifyRequest, reply: FastifyReply) => refuseOneTooMany(request, reply, watch),
    handler: (_request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(reply, 'malformed', `${ASK_FOR_AN_UPGRADE}, or use /v1/feeds/sse for server-sent events`),
    wsHandler: (socket, request) => {
      const caller = requireCaller(request);
      // Others may have connected between the check and the upgrade.
      if (watch.hasCapacity(caller.subject))
        serveSocket(socket, caller, {
          ports,
          hub,
          watch,
          limits,
          windowBits: offeredWindowBits(request.headers['sec-websocket-extensions']),
        });
      else socket.close(CLOSE.rateLimited, 'too many feed connections');
    },
  });

  if (ports.inspection !== null) addInspector(app, { ...ports, inspection: ports.inspection }, watch);

  app.route({
    method: 'GET',
    url: '/v1/feeds/sse',
    exposeHeadRoute: false,
    config: { permission, cost: 'read' },
    handler: (request: FastifyRequest, reply: FastifyReply) => serveEvents(request, reply, requireCaller(request), { ports, hub, watch }),
  });

  hub.start();
  return {
    stats: (): FeedStats => ({ connections: watch.size, deliveries: fanOut.deliveries, writes: fanOut.writes }),
    /** Sends the whole state to every client of a conflated channel again, because the earlier one is outdated. */
    renew: () => hub.renew(),
  };
}

/** Enables websockets. Calls `stop` when the server closes. */
async function upgradeSockets(app: FastifyInstance, ports: FeedPorts, stop: () => void): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: MAX_PAYLOAD, perMessageDeflate: AGREED_DEFLATE, clientTracking: false },
    // `ws` already closes a socket that broke the protocol. The watch ends it if the peer does not answer.
    errorHandler: (error, socket) => {
      if (socket.readyState !== socket.OPEN) return;
      ports.reportDefect(error, 'feeds: a socket');
      socket.terminate();
    },
    preClose: (done) => {
      stop();
      done();
    },
  });
  endRefusedUpgrades(app);
  agreeOnCompression(app);
}

/**
 * Ends connections whose upgrade was refused before the plugin's own hook ran. The plugin forgets them, so that nothing would read or close
 * them.
 */
function endRefusedUpgrades(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _reply, done) => {
    if (/\bupgrade\b/i.test(request.headers.connection ?? '')) request.raw.socket.destroySoon();
    done();
  });
}

/** Refuses per-message compression by `ws`, which would compress for each client. Frames are compressed once for all. */
function agreeOnCompression(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.url === FEEDS_URL) withoutOtherOffers(request.raw.headers);
    else delete request.raw.headers['sec-websocket-extensions'];
    done();
  });
}

function addInspector(app: FastifyInstance, ports: InspectedPorts, watch: Watch): void {
  app.route({
    method: 'GET',
    url: '/v1/feeds/inspector',
    exposeHeadRoute: false,
    config: { permission: 'agent:read', cost: 'read' },
    preValidation: async (request: FastifyRequest, reply: FastifyReply) => {
      const caller = requireCaller(request);
      if (caller.orgId === null) return sendProblem(reply, 'permission_missing', 'the inspection shows an organization’s own actors');
      const wish = readInspectionWish(request.query as { readonly [name: string]: unknown });
      if (!wish.ok) return sendRefusal(reply, wish.refusal);
      return refuseOneTooMany(request, reply, watch);
    },
    handler: (_request: FastifyRequest, reply: FastifyReply) => sendProblem(reply, 'malformed', ASK_FOR_AN_UPGRADE),
    wsHandler: (socket, request) => {
      const caller = requireCaller(request);
      const wish = readInspectionWish(request.query as { readonly [name: string]: unknown });
      const { orgId } = caller;
      // Others may have connected between the check and the upgrade.
      if (!wish.ok || orgId === null || !watch.hasCapacity(caller.subject)) socket.close(CLOSE.rateLimited, 'too many feed connections');
      else serveInspector(socket, { ...caller, orgId }, wish.value, { ports, watch });
    },
  });
}

/** Refuses an upgrade if the caller has the maximum number of connections. */
function refuseOneTooMany(request: FastifyRequest, reply: FastifyReply, watch: Watch) {
  if (!request.ws || watch.hasCapacity(requireCaller(request).subject)) return;
  return sendProblem(reply, 'rate_limited', `at most ${watch.connectionsPerSubject} feed connections per subject`);
}

/** Returns the caller. @throws Error if no gate has admitted the request, which is a defect. */
function requireCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('the feed request has no verified caller');
  return request.caller;
}
