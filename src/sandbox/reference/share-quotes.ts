/** Simulator of an authenticated share quote service (Finnhub's format) on loopback, over the seeded market. */

import type { Clock } from '../../../streams/clock/clock.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import type { Market } from '../market/market.ts';
import { createHttpSimulator, type HttpSimulator, type SimulatorReply, type SimulatorRequest } from './http-simulator.ts';

export interface ShareQuotesSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  /** Known shares. Other symbols are answered with zeros, like by the real service. */
  readonly symbols: readonly string[];
  readonly apiKey: string;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Requests per key in any 60 s. Default 60. */
  readonly perMinute?: number;
  /** Delay of its prices in milliseconds, as on delayed plans. Default 0. */
  readonly delayMs?: number;
}

const WINDOW_MS = MINUTE_MS;

const NOTHING = { c: 0, d: null, dp: null, h: 0, l: 0, o: 0, pc: 0, t: 0 } as const;

/** Opens the simulator: `GET /api/v1/quote?symbol=`, with the key as `X-Finnhub-Token` or `token`. */
export async function createShareQuotesSimulator(options: ShareQuotesSimulatorOptions): Promise<HttpSimulator> {
  const { market, clock } = options;
  const faults = options.faults ?? createFaultSwitch();
  const known = new Set(options.symbols);
  const perMinute = options.perMinute ?? 60;
  let window: EpochMs[] = [];

  function limit(): { readonly full: boolean; readonly headers: Record<string, string> } {
    const now = clock.now();
    window = window.filter((at) => at > now - WINDOW_MS);
    const full = window.length >= perMinute;
    if (!full) window.push(now);
    const reset = Math.ceil(((window[0] ?? now) + WINDOW_MS) / 1000);
    return {
      full,
      headers: {
        'x-ratelimit-limit': String(perMinute),
        'x-ratelimit-remaining': String(perMinute - window.length),
        'x-ratelimit-reset': String(reset),
        ...(full ? { 'retry-after': String(Math.max(1, Math.ceil(reset - now / 1000))) } : {}),
      },
    };
  }

  function quote(symbol: string): unknown {
    if (!known.has(symbol)) return NOTHING;
    const at = clock.now() - (options.delayMs ?? 0);
    const { price, updatedAt } = market.reference(symbol, at);
    const before = market.reference(symbol, at - DAY_MS).price;
    const { settings } = faults;
    const jumped = faults.happens(settings.priceJump) ? price * 100 : price;
    const c = faults.happens(settings.zeroPrice)
      ? 0
      : faults.happens(settings.negativePrice)
        ? -jumped
        : faults.happens(settings.nanPrice)
          ? null
          : jumped;
    return {
      c,
      d: Math.round((price - before) * 1e4) / 1e4,
      dp: Math.round((price / before - 1) * 1e6) / 1e4,
      h: Math.max(price, before),
      l: Math.min(price, before),
      o: before,
      pc: before,
      t: Math.floor((updatedAt + settings.clockOffsetMs) / 1000),
    };
  }

  function reply({ path, query, headers }: SimulatorRequest): SimulatorReply {
    const key = headers['x-finnhub-token'] ?? query.get('token') ?? '';
    if (key === '') return { status: 401, body: { error: 'Please use an API key.' } };
    if (key !== options.apiKey) return { status: 401, body: { error: 'Invalid API key.' } };
    const { full, headers: limits } = limit();
    if (full) return { status: 429, body: { error: 'API limit reached. Please try again later. Remaining Limit: 0' }, headers: limits };
    if (path !== '/api/v1/quote') return { status: 404, body: { error: 'Not found.' }, headers: limits };
    const symbol = query.get('symbol') ?? '';
    if (symbol === '') return { status: 422, body: { error: 'Missing parameters.' }, headers: limits };
    return { status: 200, body: quote(symbol), headers: limits };
  }

  return createHttpSimulator({ clock, faults, port: options.port, reply });
}
