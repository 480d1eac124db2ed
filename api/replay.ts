/** The server of a replayed tape: the feed and the reads that a tape can answer, its controls, and a refusal of everything else. */
import type { TerminalSource } from '../src/adapters/terminal-files.ts';
import { PERMISSIONS } from '../src/domain/agents/agent.ts';
import type { Caller } from './caller.ts';
import { openApiDocument, openApiRoute } from './document/openapi.ts';
import { findChannel } from './feeds/channels/index.ts';
import type { FeedPorts } from './feeds/feed-ports.ts';
import { feedRoutes } from './feeds/feed-routes.ts';
import { registerFeeds } from './feeds/index.ts';
import { health } from './operation/health.ts';
import { VIEWER_PERMISSIONS } from './permission.ts';
import { sendProblem } from './problem.ts';
import type { ApiPorts, Route } from './route.ts';
import { type ApiOptions, buildServer } from './server.ts';
import { registerTerminal } from './terminal.ts';
import { getMe } from './v1/identity.ts';
import { ROUTES } from './v1/index.ts';
import { listCandles } from './v1/market/candles.ts';
import { listCatalog, listSessions } from './v1/market/catalog.ts';
import { listPerps } from './v1/market/perps.ts';
import { listQuotes } from './v1/market/quotes.ts';
import { listVenues } from './v1/market/venues.ts';
import type { ReplayControl } from './v1/replay/replay-routes.ts';
import { loadTape, replayMoves, replayReads } from './v1/replay/replay-routes.ts';

/** Ports of a replay. Its clock is the replayed time. */
export interface ReplayPorts extends Pick<ApiPorts, 'clock' | 'operation' | 'quotes' | 'candles' | 'venues'> {
  readonly catalog: Pick<ApiPorts['catalog'], 'entries'>;
  /** Rate limits only. A replay needs no identity. */
  readonly access: Pick<ApiPorts['access'], 'limits'>;
  readonly replay: ReplayControl;
  readonly feed: Pick<FeedPorts, 'clock' | 'pace' | 'quotes' | 'states' | 'reportDefect'>;
}

/** Channels that a tape can fill. */
const REPLAYED_CHANNELS: readonly string[] = ['quotes', 'perps', 'candles'];

/** Caller of every request on loopback: a tape belongs to anyone who can start the replay. */
const EVERYBODY = {
  subject: 'replay',
  orgId: null,
  name: 'Replay',
  permissions: VIEWER_PERMISSIONS,
  expiresAt: Date.UTC(2100, 0, 1),
  // There is no token that could be revoked.
  claims: { issuedAt: 0, sessionId: null, tokenId: null },
  credential: 'bearer',
} as const satisfies Caller;

/** Caller on the feed. It has every permission, so that missing data is refused as missing and not as forbidden. */
const LISTENER = { ...EVERYBODY, orgId: 'replay', permissions: PERMISSIONS } as const satisfies Caller;

/** Reads that a tape can answer, by the rules of the API. */
const ANSWERED: readonly Route[] = [health, listCandles, listCatalog, listSessions, listPerps, listVenues];

/** Returns the route without its permission: a replay knows no identity. */
const forEverybody = (route: Route): Route => ({ ...route, permission: 'public' });

/** Builds the server. The caller listens, on loopback only. @throws Error if two routes are the same. */
export async function buildReplayApi(ports: ReplayPorts, options: Pick<ApiOptions, 'version'> & { readonly terminal: TerminalSource }) {
  const { state, tapes } = replayReads(ports.replay);
  const me: Route = { ...getMe, handle: () => () => meBody() };
  const own = [...ANSWERED, restrictQuotes(ports.replay), me, state, tapes, ...replayMoves(ports.replay), loadTape(ports.replay)];
  const answered = own.map(forEverybody);
  let text = '';
  const document = openApiRoute(() => text);
  const isAnswered = ({ method, url }: Route): boolean => answered.some((route) => route.method === method && route.url === url);
  const refused = [...ROUTES, ...feedRoutes.routes.filter(({ name }) => name === 'openInspector')].filter((route) => !isAnswered(route));
  const feeds = feedRoutes.routes.filter(({ name }) => name !== 'openInspector').map(forEverybody);
  text = JSON.stringify(openApiDocument([...answered, document, ...feeds], options.version));
  let renew = (): void => {};
  const served = [...answered, document, ...refused.map(refusing)];
  const serverOptions: ApiOptions = {
    version: options.version,
    allowedOrigins: [],
    loopback: true,
    extend: [
      (server) => registerTerminal(server, options.terminal, { isReplay: true }),
      async (server) => {
        server.addHook('onRequest', async (request) => {
          request.caller = LISTENER;
        });
        const registered = await registerFeeds(server, feedPorts(ports), { open: true });
        renew = () => registered.renew();
      },
    ],
  };
  const app = await buildServer(ports as unknown as ApiPorts, serverOptions, () => served);
  return {
    app,
    /** Sends the whole state to every client of the feed again, because the tape has jumped. */
    renew: () => renew(),
  };
}

/** Returns the route of quotes, which refuses data that the tape lacks instead of answering with an empty list. */
function restrictQuotes(replay: ReplayControl): Route {
  return {
    ...listQuotes,
    handle(ports, options) {
      const answer = listQuotes.handle(ports, options);
      return (request, reply) => {
        const reason = whyNot('quotes', request.query as { readonly [name: string]: unknown }, replay.state().instruments);
        return reason === null ? answer(request, reply) : sendProblem(reply, 'not_found', reason);
      };
    },
  };
}

function meBody() {
  const { subject, name, orgId, permissions, expiresAt } = EVERYBODY;
  return { subject, name, orgId, permissions, viewerOnly: true, expiresAt: new Date(expiresAt).toISOString() };
}

/** Returns the route with a refusal: an empty answer would claim that there is nothing. */
function refusing(route: Route): Route {
  const detail = `a replay does not serve ${route.method} ${route.url}: a tape holds market data only; GET /v1/openapi.json lists the routes of a replay`;
  return {
    ...route,
    permission: 'public',
    schema: {},
    answers: {},
    handle: () => (_request, reply) => sendProblem(reply, 'feature_disabled', detail),
  };
}

function feedPorts({ feed, candles, replay }: ReplayPorts): FeedPorts {
  const nowhere = { xid: 0, seq: 0 };
  return {
    ...feed,
    candles,
    members: { find: async () => LISTENER },
    // There are no announcements. Their channels are refused.
    announcements: {
      position: () => nowhere,
      subscribe: () => () => {},
      read: async () => ({ rows: [], position: nowhere }),
      isKnown: async () => false,
    },
    rankings: { cuts: rejectEverything('cuts'), basis: rejectEverything('basis') },
    expandDecisions: async () => [],
    agentsNow: async () => [],
    inspection: null,
    unanswerable: (channel, params) => whyNot(channel, params, replay.state().instruments),
  };
}

/** Returns a port that rejects every call, for data that no served channel reads. */
function rejectEverything(what: string): never {
  return new Proxy({}, { get: () => () => Promise.reject(new Error(`the tape has no ${what}`)) }) as never;
}

/** Returns why a channel with these parameters would never send anything, or null if it may. */
function whyNot(channel: string, params: { readonly [name: string]: unknown }, instruments: readonly string[]): string | null {
  if (!REPLAYED_CHANNELS.includes(channel))
    return `${findChannel(channel)?.name ?? channel} is not on a tape; a replay has ${REPLAYED_CHANNELS.join(', ')}`;
  const { venue, instrument, instruments: several } = params as { venue?: string; instrument?: string; instruments?: readonly string[] };
  const isWanted = (key: string): boolean =>
    (venue === undefined || key.startsWith(`${venue}:`)) &&
    (instrument === undefined || key.slice(key.indexOf(':') + 1) === instrument) &&
    (channel !== 'perps' || key.startsWith('evmvenue:'));
  const missing = several?.find((key) => !instruments.includes(key));
  if (missing === undefined && instruments.some(isWanted)) return null;
  const wanted = missing ?? [venue ?? (channel === 'perps' ? 'evmvenue' : null), instrument].filter((part) => part != null).join(':');
  return `${describeMissing(wanted, instruments)}`;
}

/** Describes that a tape lacks an instrument or a venue, and what it has. */
export function describeMissing(wanted: string, instruments: readonly string[]): string {
  const shown = instruments.slice(0, SHOWN);
  const more = instruments.length > SHOWN ? ` and ${instruments.length - SHOWN} more` : '';
  return `the tape has no data for ${wanted === '' ? 'any instrument' : wanted}; it has ${shown.join(', ') || 'none'}${more}`;
}

const SHOWN = 20;
