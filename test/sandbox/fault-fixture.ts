/** Every priced venue's simulator with its adapter and its own pipeline, over sockets, on one manual clock. */
import { webcrypto } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { Observable } from 'rxjs';
import { createEvmVenueFeed } from '../../src/adapters/venues/evmvenue/feed.ts';
import { createKalshiFeed } from '../../src/adapters/venues/prediction/kalshi/feed.ts';
import { createKalshiRest, KALSHI_TOKENS_PER_SECOND } from '../../src/adapters/venues/prediction/kalshi/rest.ts';
import { createPolymarketFeed } from '../../src/adapters/venues/prediction/polymarket/feed.ts';
import { createPolymarketRest, POLYMARKET_LIMITS, POLYMARKET_WINDOW_MS } from '../../src/adapters/venues/prediction/polymarket/rest.ts';
import { createReferenceFeed } from '../../src/adapters/venues/reference/feed.ts';
import { createIssuerMarkFeed } from '../../src/adapters/venues/reference/issuer-marks.ts';
import { createKeyedClient } from '../../src/adapters/venues/reference/keyed-client.ts';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { createSpotchainFeed } from '../../src/adapters/venues/spotchain/feed.ts';
import { fixedMultiplier } from '../../src/adapters/venues/spotchain/multiplier.ts';
import { createSpotExchangeFeed } from '../../src/adapters/venues/spotexchange/feed.ts';
import { createSpotRest } from '../../src/adapters/venues/spotexchange/rest.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import { createEvmVenueSimulator } from '../../src/sandbox/evmvenue/simulator.ts';
import { createFaultSwitch, type FaultSwitch, seededRandom } from '../../src/sandbox/faults.ts';
import type { Market } from '../../src/sandbox/market/market.ts';
import { openAccessKey } from '../../src/sandbox/prediction/access-key.ts';
import { createKalshiSimulator } from '../../src/sandbox/prediction/kalshi-simulator.ts';
import { createPolymarketSimulator } from '../../src/sandbox/prediction/polymarket-simulator.ts';
import { createSeededQuestions } from '../../src/sandbox/prediction/seeded-questions.ts';
import { createIssuerSimulator } from '../../src/sandbox/reference/issuer.ts';
import { createReferenceSimulator } from '../../src/sandbox/reference/simulator.ts';
import { createSpotchainSimulator } from '../../src/sandbox/spotchain/simulator.ts';
import { createSpotExchangeSimulator } from '../../src/sandbox/spotexchange/simulator.ts';
import { createMarketPipeline, type MarketPipeline } from '../../streams/market-pipeline.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/clock/virtual-clock.ts';
import { tinyMarket } from '../adapters/venues/spotexchange/tiny-world.ts';

/** Friday 11:31 in New York: shares trade, and no question is decided within the next 29 minutes. */
export const OPENING: EpochMs = Date.UTC(2026, 10, 20, 16, 31);

/** Price feeds, each with its simulator and adapter. */
export const PROVIDERS = ['spotexchange', 'evmvenue', 'spotchain', 'reference', 'issuer', 'polymarket', 'kalshi', 'kalshi-polled'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN = 'XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB';
const SHARES = 'PresTj4Yc2bAR197Er7wz4UUKSfqt6FryBEdAriBoQB';
const FEED_ID = 'a'.repeat(64);
const SYMBOL = 'TSLA';

/** Returns the tiny market with an unlisted company added. */
export function stageMarket(): Market {
  const tiny = tinyMarket();
  const own = <Value>(symbol: string, value: Value, listed: () => Value): Value => (symbol === 'SPACEX' ? value : listed());
  return {
    ...tiny,
    assets: [...tiny.assets, { symbol: 'SPACEX', kind: 'pre_ipo' }],
    value: (symbol, at) => own(symbol, 200, () => tiny.value(symbol, at)),
    reference: (symbol, at) => own(symbol, { price: 200, confidence: 0, updatedAt: at }, () => tiny.reference(symbol, at)),
    token: (symbol, at) => own(symbol, { price: 210, liquidityUsd: 1_000_000 }, () => tiny.token(symbol, at)),
  };
}

/** Provider from a test's view. */
export interface Provider {
  readonly name: ProviderName;
  readonly venue: Venue;
  readonly faults: FaultSwitch;
  readonly feed: { readonly venue: Venue; readonly messages: Observable<FeedMessage> };
  /** Returns the true price of an instrument at a time, or null if only its bounds are known. */
  truth(instrument: string, at: EpochMs): number | null;
}

/** Counts the signatures that Web Crypto is verifying on other threads. */
function verificationWatch(): { underWay(): number; close(): void } {
  const subtle = Object.getPrototypeOf(webcrypto.subtle) as webcrypto.SubtleCrypto;
  const { verify } = subtle;
  let underWay = 0;
  subtle.verify = async function (this: webcrypto.SubtleCrypto, ...given: Parameters<typeof verify>) {
    underWay++;
    return verify.apply(this, given).finally(() => underWay--);
  };
  return {
    underWay: () => underWay,
    close() {
      subtle.verify = verify;
    },
  };
}

/** Both ends of a connection within this process, as far as known. */
interface Connection {
  client?: Socket;
  server?: Socket;
  /** Bytes in flight that were not read within the patience. */
  stuck: number;
}

/** Returns the bytes sent by one end and not yet read by the other. An unnoticed closed end counts as one. */
function underWay({ client, server }: Connection): number {
  if (client === undefined || server === undefined) return client?.connecting === true ? 1 : 0;
  if (client.destroyed || server.destroyed) return client.destroyed && server.destroyed ? 0 : 1;
  const written = (socket: Socket): number => (socket.bytesWritten || 0) - socket.writableLength;
  return Math.max(0, written(client) - server.bytesRead) + Math.max(0, written(server) - client.bytesRead);
}

/** Maximum time of bytes on loopback in real milliseconds, which a busy machine may need for its softirqs. */
const PATIENCE_MS = 200;
/** Turns without a movement after which the wait for something in flight leaves the processor to others. */
const SPINNING_TURNS = 50;

/**
 * Waits until no socket of this process has moved a byte, opened or closed for some turns of the event loop, everything sent
 * has arrived, and no signature is being verified on another thread.
 */
export function socketWatch(): { settle(): Promise<void>; dialled(): number; cut(): void; close(): void } {
  const QUIET_TURNS = 5;
  const sockets = new Set<Socket>();
  const accepted = new WeakSet<Socket>();
  const connections = new Map<string, Connection>();
  let dialled = 0;
  let changes = 0;
  const connect = (key: string, ends: Partial<Connection>): void => {
    connections.set(key, { stuck: 0, ...connections.get(key), ...ends });
  };
  const add = (socket: Socket): void => {
    sockets.add(socket);
    changes++;
    socket.once('close', () => {
      sockets.delete(socket);
      changes++;
    });
  };
  const dial = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    dialled++;
    add(socket);
    socket.once('connect', () => connect(`${socket.localPort} ${socket.remotePort}`, { client: socket }));
  };
  const accept = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    accepted.add(socket);
    add(socket);
    connect(`${socket.remotePort} ${socket.localPort}`, { server: socket });
  };
  diagnostics.subscribe('net.client.socket', dial);
  diagnostics.subscribe('net.server.socket', accept);
  const verifying = verificationWatch();
  const moved = (): number => {
    let sum = changes * 1e12;
    for (const socket of sockets) sum += (socket.bytesRead || 0) + (socket.bytesWritten || 0);
    return sum;
  };
  /** True if something is in flight. What has been for longer than the patience is ignored until it changes. */
  const isUnderWay = (isLate: boolean): boolean => {
    let found = false;
    for (const [key, connection] of connections) {
      const { client, server } = connection;
      const bytes = underWay(connection);
      if (bytes === 0 && client?.destroyed === true && server?.destroyed === true) connections.delete(key);
      if (isLate) connection.stuck = bytes;
      else if (bytes !== connection.stuck && bytes > 0) found = true;
    }
    for (const socket of sockets) if (socket.connecting && !isLate) found = true;
    return found;
  };
  return {
    dialled: () => dialled,
    cut() {
      for (const socket of sockets) if (accepted.has(socket)) socket.destroy();
    },
    async settle() {
      let last = -1;
      let movedAt = performance.now();
      let still = 0;
      for (let quiet = 0; quiet < QUIET_TURNS; ) {
        await (still > SPINNING_TURNS ? pause(1) : turn());
        const now = moved();
        if (now !== last) movedAt = performance.now();
        still = now === last ? still + 1 : 0;
        const isOpen = verifying.underWay() > 0 || isUnderWay(performance.now() - movedAt > PATIENCE_MS);
        quiet = now === last && !isOpen ? quiet + 1 : 0;
        last = now;
      }
    },
    close() {
      verifying.close();
      diagnostics.unsubscribe('net.client.socket', dial);
      diagnostics.unsubscribe('net.server.socket', accept);
    },
  };
}

/** Virtual time between two checks of the sockets: what is sent within it arrives at its end. */
const STEP_MS = 100;

export interface FaultFixture {
  readonly clock: VirtualClock;
  readonly providers: readonly Provider[];
  /** Creates and starts a pipeline that receives one provider. */
  listen(provider: Provider): MarketPipeline;
  /** Returns the number of connections attempted so far in this process. */
  dialled(): number;
  /** Closes every connection at the server's side, like a crashed machine. */
  cutConnections(): void;
  /** Advances virtual time and lets everything on the sockets arrive; `look` is called at every step. */
  run(ms: number, look?: () => void, stepMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Shared parts of the providers. */
interface Surroundings {
  readonly clock: VirtualClock;
  readonly market: Market;
  readonly questions: ReturnType<typeof createSeededQuestions>;
  readonly key: ReturnType<typeof openAccessKey>;
}

const SHARE_FEEDS = [{ symbol: SYMBOL, feedId: FEED_ID, feedSymbol: `Equity.US.${SYMBOL}/USD` }];
const STABLE = { mint: USDC, decimals: 6 };
const SPOT_TOKEN = { symbol: `${SYMBOL}x`, mint: TOKEN, decimals: 8 };
const socketUrl = (url: string): string => url.replace(/^http/, 'ws');

type Simulator = { readonly url: string; close(): Promise<void> };
const SIMULATORS: Readonly<Record<ProviderName, (surroundings: Surroundings, faults: FaultSwitch) => Promise<Simulator>>> = {
  spotexchange: ({ clock, market }, faults) => createSpotExchangeSimulator({ market, clock, faults, port: 0, seed: 3 }),
  evmvenue: ({ clock, market }, faults) => createEvmVenueSimulator({ market, clock, faults, port: 0, seed: 3 }),
  spotchain: ({ clock, market }, faults) => {
    const multiplier = { multiplier: 1, newMultiplier: 1, newMultiplierEffectiveAt: 0 };
    const tokens = [{ ...SPOT_TOKEN, ...multiplier, underlying: SYMBOL }];
    return createSpotchainSimulator({ market, clock, faults, stable: STABLE, tokens, port: 0, keylessPerMinute: 600 });
  },
  reference: ({ clock, market }, faults) => createReferenceSimulator({ market, clock, faults, feeds: SHARE_FEEDS, port: 0 }),
  issuer: ({ clock, market }, faults) =>
    createIssuerSimulator({ market, clock, faults, tokens: [{ symbol: 'SPACEX', mint: SHARES }], port: 0 }),
  polymarket: ({ clock, questions }, faults) => createPolymarketSimulator({ questions, clock, faults, port: 0 }),
  kalshi: ({ clock, questions, key }, faults) => createKalshiSimulator({ questions, clock, key, faults, port: 0 }),
  'kalshi-polled': ({ clock, questions, key }, faults) => createKalshiSimulator({ questions, clock, key, faults, port: 0 }),
};

const FEEDS: Readonly<Record<ProviderName, (surroundings: Surroundings, url: string, random: () => number) => Provider['feed']>> = {
  spotexchange({ clock }, url, random) {
    const rest = createSpotRest({ baseUrl: url, clock, random });
    return createSpotExchangeFeed({ streamUrl: socketUrl(url), rest, clock, random, instruments: ['BTCUSDT', 'ETHUSDT'], tickers: true });
  },
  evmvenue: ({ clock }, url, random) =>
    createEvmVenueFeed({ socketUrl: `${socketUrl(url)}/ws`, clock, random, instruments: ['BTC', 'ETH'] }),
  spotchain({ clock }, url, random) {
    const client = createKeyedClient({ venue: 'spotchain', baseUrl: url, clock, random, perMinute: 600 });
    return createSpotchainFeed({ client, tokens: [{ ...SPOT_TOKEN, scaledUi: fixedMultiplier('1') }], stable: STABLE, clock, random });
  },
  reference: ({ clock }, url, random) => createReferenceFeed({ baseUrl: url, instruments: SHARE_FEEDS, clock, random }),
  issuer({ clock }, url, random) {
    const client = createKeyedClient({ venue: 'reference', baseUrl: url, clock, random, perMinute: 30 });
    return createIssuerMarkFeed({ client, mints: new Map([['SPACEX', SHARES]]), clock, random });
  },
  polymarket({ clock }, url, random) {
    const rest = createPolymarketRest({
      gammaUrl: `${url}/gamma`,
      clobUrl: `${url}/clob`,
      dataUrl: `${url}/data`,
      clock,
      random,
      budgets: {
        gamma: new WeightBudget(POLYMARKET_LIMITS.gamma, POLYMARKET_WINDOW_MS),
        clob: new WeightBudget(POLYMARKET_LIMITS.clob, POLYMARKET_WINDOW_MS),
        data: new WeightBudget(POLYMARKET_LIMITS.data, POLYMARKET_WINDOW_MS),
      },
    });
    return createPolymarketFeed({ streamUrl: `${socketUrl(url)}/ws/market`, rest, clock, random, maxStreamed: 2 });
  },
  kalshi: (surroundings, url, random) => kalshiFeed(surroundings, url, random, true),
  'kalshi-polled': (surroundings, url, random) => kalshiFeed(surroundings, url, random, false),
};

function kalshiFeed({ clock, key }: Surroundings, url: string, random: () => number, signed: boolean): Provider['feed'] {
  const budget = new WeightBudget(KALSHI_TOKENS_PER_SECOND, 1_000);
  const rest = createKalshiRest({ baseUrl: `${url}/trade-api/v2`, clock, random, budget });
  const streamUrl = `${socketUrl(url)}/trade-api/ws/v2`;
  return createKalshiFeed({ streamUrl, key: signed ? key : null, rest, clock, random, maxStreamed: 2 });
}

/** Returns the true price of an instrument by the market itself. */
function truthOf(market: Market, name: ProviderName, instrument: string, at: EpochMs): number | null {
  switch (name) {
    case 'spotexchange':
      return market.spot(instrument.replace('USDT', ''), at);
    case 'evmvenue':
      return market.perp(instrument, at).mark;
    case 'spotchain':
      return market.token(SYMBOL, at).price;
    case 'reference':
    case 'issuer':
      return market.reference(instrument, at).price;
    default:
      return null;
  }
}

/**
 * Opens the simulators of the named providers and creates their adapters. Equal seeds give equal runs. With `deadUrl` there
 * are no simulators, and every adapter uses that address. `met`: those that are opened; random draws are as if all were.
 */
export async function openFaultFixture(
  names: readonly ProviderName[] = PROVIDERS,
  seed = 1,
  deadUrl: string | null = null,
  met: readonly ProviderName[] = names,
): Promise<FaultFixture> {
  const clock = createVirtualClock(OPENING);
  const market = stageMarket();
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const surroundings: Surroundings = { clock, market, questions: createSeededQuestions({ seed, market }), key: openAccessKey(folder) };
  const watch = socketWatch();
  const opened: Simulator[] = [];
  const pipelines: MarketPipeline[] = [];
  const providers: Provider[] = [];
  for (const [index, name] of names.entries()) {
    if (!met.includes(name)) continue;
    const faults = createFaultSwitch(seed + index);
    const simulator = deadUrl === null ? await SIMULATORS[name](surroundings, faults) : null;
    if (simulator !== null) opened.push(simulator);
    const feed = FEEDS[name](surroundings, simulator?.url ?? (deadUrl as string), seededRandom(seed * 100 + index));
    providers.push({ name, venue: feed.venue, faults, feed, truth: (instrument, at) => truthOf(market, name, instrument, at) });
  }
  return {
    clock,
    providers,
    listen({ feed }) {
      const pipeline = createMarketPipeline({
        clock,
        random: () => 0.5,
        feeds: [feed],
        instruments: () => [],
        needs: () => [],
        onCut: () => {},
        onFailure: (error) => {
          throw error;
        },
      });
      pipelines.push(pipeline);
      pipeline.start();
      return pipeline;
    },
    dialled: watch.dialled,
    cutConnections: watch.cut,
    async run(ms, look = () => {}, stepMs = STEP_MS) {
      for (const end = clock.now() + ms; clock.now() < end; ) {
        clock.advanceTo(Math.min(clock.now() + stepMs, end));
        await watch.settle();
        look();
      }
    },
    async close() {
      for (const pipeline of pipelines) pipeline.stop();
      await Promise.all(opened.map((one) => one.close()));
      watch.close();
      rmSync(folder, { recursive: true });
    },
  };
}
