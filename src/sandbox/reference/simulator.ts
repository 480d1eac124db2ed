/** Simulator of Pyth on loopback: Hermes' latest prices and update stream, and the bar history, over the seeded market. */

import type { Clock } from '../../../streams/clock/clock.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { bendPrice, createFaultSwitch, type FaultSwitch } from '../faults.ts';
import type { Market } from '../market/market.ts';
import { createHttpSimulator, repeat, type SimulatorReply, type SimulatorRequest } from './http-simulator.ts';

/** Feed that the simulator publishes. */
export interface ReferenceSimulatorFeed {
  /** Symbol of the market, e.g. `AAPL`. */
  readonly symbol: string;
  /** Feed id: 64 hexadecimal digits. */
  readonly feedId: string;
  /** Symbol of the feed: `Equity.US.AAPL/USD`. */
  readonly feedSymbol: string;
}

export interface ReferenceSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  readonly feeds: readonly ReferenceSimulatorFeed[];
  /** Bearer token that price routes require; absent if none is required. */
  readonly apiKey?: string;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Interval of the stream in milliseconds. Default 500. */
  readonly paceMs?: number;
  /** Time after which the server closes the stream, in milliseconds. Default 24 h. */
  readonly streamLifeMs?: number;
}

export type ReferenceSimulator = Awaited<ReturnType<typeof createReferenceSimulator>>;

const EXPONENT = -5;
const RESOLUTION_MS: Readonly<Record<string, number>> = {
  '1': MINUTE_MS,
  '2': 120_000,
  '5': 300_000,
  '15': 900_000,
  '30': 1_800_000,
  '60': HOUR_MS,
  '120': 7_200_000,
  '240': 14_400_000,
  '360': 21_600_000,
  '720': 43_200_000,
  D: DAY_MS,
  '1D': DAY_MS,
};

function textReply(status: number, body: string): SimulatorReply {
  return { status, body };
}

/** Opens the simulator. Prices are those of `market.reference`, which freezes outside of sessions. */
export async function createReferenceSimulator(options: ReferenceSimulatorOptions) {
  const { market, clock } = options;
  const faults = options.faults ?? createFaultSwitch();
  const byId = new Map(options.feeds.map((feed) => [feed.feedId.toLowerCase().replace(/^0x/, ''), feed]));
  const cuts = new Set<() => void>();
  let frozenAt: EpochMs | null = null;
  let confidenceFactor = 1;

  function entry(id: string, feed: ReferenceSimulatorFeed): Record<string, unknown> {
    const now = clock.now();
    const { price, confidence, updatedAt } = market.reference(feed.symbol, frozenAt ?? now);
    const { settings } = faults;
    const mantissa = (value: number): string => String(Math.round(value * 10 ** -EXPONENT));
    const bent = bendPrice(faults, price, mantissa);
    const publishTime = Math.floor((updatedAt + settings.clockOffsetMs) / 1000);
    const reported = { price: bent, conf: mantissa(confidence * confidenceFactor), expo: EXPONENT, publish_time: publishTime };
    return {
      id,
      price: reported,
      ema_price: { price: mantissa(price), conf: mantissa(confidence), expo: EXPONENT, publish_time: publishTime },
      metadata: { slot: Math.floor(now / 400), proof_available_time: Math.floor(now / 1000), prev_publish_time: publishTime - 1 },
    };
  }

  function update(ids: readonly string[], parsed: boolean): string {
    const body: Record<string, unknown> = { binary: { encoding: 'hex', data: ['504e4155'] } };
    if (parsed) body['parsed'] = ids.map((id) => entry(id, byId.get(id) as ReferenceSimulatorFeed));
    return JSON.stringify(body);
  }

  /** Returns the requested feed ids, or the real service's plain-text refusal. */
  function wanted(query: URLSearchParams): readonly string[] | SimulatorReply {
    const asked = query.getAll('ids[]').map((id) => id.toLowerCase().replace(/^0x/, ''));
    if (asked.length === 0) return textReply(400, 'Failed to deserialize query string: missing field `ids`');
    const malformed = asked.find((id) => !/^[0-9a-f]{64}$/.test(id));
    if (malformed !== undefined) return textReply(400, 'Failed to deserialize query string: Invalid string length');
    const unknown = asked.filter((id) => !byId.has(id));
    if (unknown.length > 0 && query.get('ignore_invalid_price_ids') !== 'true')
      return textReply(404, `Price ids not found: ${unknown.map((id) => `0x${id}`).join(', ')}`);
    const known = asked.filter((id) => byId.has(id));
    return known.length === 0 ? textReply(404, `Price ids not found: ${unknown.map((id) => `0x${id}`).join(', ')}`) : known;
  }

  /** Streams prices until the client closes or the stream's life ends. */
  function streamed(ids: readonly string[], parsed: boolean): SimulatorReply {
    return {
      stream: (stream) => {
        stream.data(update(ids, parsed));
        const stop = repeat(clock, options.paceMs ?? 500, () => stream.data(update(ids, parsed)));
        const cut = (): void => {
          stop();
          cancelLife();
          cuts.delete(cut);
          stream.end();
        };
        const cancelLife = clock.deadline(clock.now() + (options.streamLifeMs ?? DAY_MS), cut);
        cuts.add(cut);
        return () => {
          stop();
          cancelLife();
          cuts.delete(cut);
        };
      },
    };
  }

  function reply(request: SimulatorRequest): SimulatorReply {
    const { path, query } = request;
    if (path === '/v2/price_feeds') return listing(byId, (query.get('query') ?? '').toLowerCase());
    if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) return textReply(401, 'unauthorized');
    if (/^\/v1\/[^/]+\/history$/.test(path)) return history(options, query);
    if (path !== '/v2/updates/price/latest' && path !== '/v2/updates/price/stream') return textReply(404, 'not found');
    const ids = wanted(query);
    if (!Array.isArray(ids)) return ids as SimulatorReply;
    const parsed = query.get('parsed') !== 'false';
    if (path.endsWith('/latest')) {
      return { status: 200, body: JSON.parse(update(ids as string[], parsed)) };
    }
    return streamed(ids as string[], parsed);
  }

  const server = await createHttpSimulator({ clock, faults, port: options.port, reply });
  return {
    ...server,
    /** Freezes every price at its value of a time, as outside of a session; null ends the freeze. */
    carryForward: (since: EpochMs | null) => {
      frozenAt = since;
    },
    /** Multiplies every confidence interval by a factor. 1 restores the market's own. */
    widenConfidence: (factor: number) => {
      confidenceFactor = factor;
    },
    /** Closes every open stream, as the provider does once a day. */
    cutStreams: () => {
      for (const cut of cuts) cut();
    },
  };
}

/** Returns closed bars of a feed in the charting protocol's format: one list per column. */
function history(
  { market, clock, feeds }: Pick<ReferenceSimulatorOptions, 'market' | 'clock' | 'feeds'>,
  query: URLSearchParams,
): SimulatorReply {
  const feed = feeds.find(({ feedSymbol }) => feedSymbol === query.get('symbol'));
  const resolution = RESOLUTION_MS[query.get('resolution') ?? ''];
  const from = Number(query.get('from'));
  const to = Number(query.get('to'));
  if (feed === undefined) return { status: 404, body: { s: 'error', errmsg: 'symbol not found' } };
  if (resolution === undefined || !Number.isInteger(from) || !Number.isInteger(to) || from > to)
    return { status: 400, body: { s: 'error', errmsg: 'invalid resolution, from or to' } };
  const end = Math.min(to * 1000 + 1, clock.now() - resolution + 1);
  const bars = market.candles('reference', feed.symbol, resolution, from * 1000, end);
  if (bars.length === 0) return { status: 200, body: { s: 'no_data', t: [], o: [], h: [], l: [], c: [], v: [] } };
  const column = (pick: (bar: (typeof bars)[number]) => string): number[] => bars.map((bar) => Number(pick(bar)));
  return {
    status: 200,
    body: {
      s: 'ok',
      t: bars.map((bar) => bar.openTime / 1000),
      o: column((bar) => bar.open),
      h: column((bar) => bar.high),
      l: column((bar) => bar.low),
      c: column((bar) => bar.close),
      v: column((bar) => bar.volume),
    },
  };
}

/** Returns the feeds whose names contain a word. */
function listing(feeds: ReadonlyMap<string, ReferenceSimulatorFeed>, word: string): SimulatorReply {
  return {
    status: 200,
    body: [...feeds]
      .filter(([, feed]) => feed.feedSymbol.toLowerCase().includes(word))
      .map(([id, feed]) => ({
        id,
        attributes: {
          symbol: feed.feedSymbol,
          asset_type: 'equity',
          base: feed.symbol,
          quote_currency: 'USD',
          schedule: 'America/New_York;0930-1600,0930-1600,0930-1600,0930-1600,0930-1600,C,C;',
        },
      })),
  };
}
