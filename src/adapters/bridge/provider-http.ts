/** HTTP client of bridge providers, which separates unanswered requests from refusals. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import type { BridgeChain } from '../../domain/bridge/quote.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import { fromBase58 } from '../../domain/solana/base58.ts';
import type { RequestBudget } from '../venues/request-budget.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { createVenueHttp, type VenueHttp } from '../venues/venue-http.ts';

interface ProviderHttpOptions {
  /** Base URL, such as `https://api.relay.link`. Its path prefixes every request. */
  readonly url: string;
  readonly key: string | null;
  readonly clock: Clock;
  /** Random source for jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  /** Requests allowed in any 60 s. */
  readonly perMinute: number;
  readonly budget?: RequestBudget;
  readonly note?: NoteUnknownField;
}

/** Maximum wait of a quote for the budget, in milliseconds: a person waits for it. A provider with a spent budget counts as unavailable. */
const MAX_WAIT_MS = 3_000;

/** Creates the client of one provider; each request has weight 1. @throws TypeError for an invalid address */
export function createProviderHttp({ url, key, clock, random, perMinute, budget, note }: ProviderHttpOptions): VenueHttp {
  return createVenueHttp({
    venue: 'evmvenue',
    baseUrl: url,
    clock,
    random,
    weightPerMinute: perMinute,
    ...(budget === undefined ? {} : { budget }),
    ...(note === undefined ? {} : { note }),
    ...(key === null ? {} : { headers: { 'x-api-key': key } }),
    maxWaitMs: MAX_WAIT_MS,
    attempts: 2,
    limitPauseMs: 10_000,
    readError: (body, status, text) => {
      const { message, error, errorCode, code } = toFields(body);
      const said = [message, error].find((part) => typeof part === 'string') as string | undefined;
      const named = errorCode ?? code;
      return {
        code: typeof named === 'string' || typeof named === 'number' ? String(named).slice(0, 60) : `http_${status}`,
        message: (said ?? text).slice(0, 200),
      };
    },
  });
}

/** Returns the members of an object; an empty object for any other value. */
export function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Thrown if an answer is not plausible. The caller concludes nothing from it. */
export class SenselessAnswer extends Error {}

/** Returns a text member that matches a pattern. @throws SenselessAnswer with the member's name */
export function textIn(fields: Readonly<Record<string, unknown>>, name: string, form: RegExp): string {
  const value = fields[name];
  if (typeof value !== 'string' || !form.test(value))
    throw new SenselessAnswer(`${name} is ${JSON.stringify(value)?.slice(0, 60) ?? 'missing'}`);
  return value;
}

export const RAW_AMOUNT = /^\d{1,30}$/;
export const EVM_HASH = /^0x[0-9a-fA-F]{64}$/;

/** Returns a transaction hash of a chain in its canonical form; null if the value is not one. */
export function readHash(value: unknown, chain: BridgeChain): string | null {
  if (typeof value !== 'string') return null;
  if (chain === 'evmvenue') return EVM_HASH.test(value) ? value.toLowerCase() : null;
  return fromBase58(value)?.length === 64 ? value : null;
}

/** Requests an offer. A refusal, a missing answer or an invalid answer of the provider becomes a refusal with a sentence. */
export async function offered<Value>(provider: string, ask: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SenselessAnswer) return refuse('route_refused', `the answer of ${provider} makes no sense: ${error.message}`);
    if (!(error instanceof VenueError)) throw error;
    return error.status >= 400 && error.status < 500 && error.status !== 429
      ? refuse('route_refused', `${provider} declines: ${error.message}`)
      : refuse('unavailable', `${provider} does not answer at the moment: ${error.message}`);
  }
}
