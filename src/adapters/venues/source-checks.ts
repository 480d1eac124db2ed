/** Checks the configured real sources against the catalog before anything is started. */

import { qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { SPOTCHAIN_PER_MINUTE } from './spotchain/access.ts';
import { roundLengthMs, SHORTEST_ROUND_MS } from './spotchain/feed.ts';

/** Addresses of real sources by setting; null for the sandbox. */
export interface NamedSources {
  readonly SPOTCHAIN_URL: string | null;
  readonly SPOTCHAIN_KEY: object | null;
  readonly SPOTCHAIN_CANDLES_URL: string | null;
  readonly REFERENCE_URL: string | null;
}

/** Requests in 60 s by the name of the budget, where settings or catalog state another one than the client assumes. */
type StatedBudgets = Readonly<Record<string, number>>;

/** Number of tokens that a budget can poll so that no quote exceeds its maximum age. */
export interface PollingCapacity {
  /** Requests in 60 s. */
  readonly perMinute: number;
  readonly maxAgeMs: number;
  /** Number of listed tokens. */
  readonly listed: number;
  /** Number of tokens that fit. */
  readonly fits: number;
  /** Duration of a round over all tokens, in milliseconds. */
  readonly roundMs: number;
}

/** Computes the capacity of the primary chain's aggregator from settings and catalog. */
export function pollingCapacity(stated: StatedBudgets): PollingCapacity {
  const perMinute = stated['aggregator'] ?? SPOTCHAIN_PER_MINUTE;
  const { maxAgeMs } = qualityLimits().venues.spotchain;
  const listed = CATALOG.entries.filter(({ token }) => token !== null).length;
  const computeRound = (tokens: number): number => roundLengthMs(tokens, perMinute, SHORTEST_ROUND_MS);
  let fits = 0;
  while (fits < listed && computeRound(fits + 1) <= maxAgeMs) fits++;
  return { perMinute, maxAgeMs, listed, fits, roundMs: computeRound(listed) };
}

/** Returns warnings, one sentence each. @throws Error with a sentence per source that cannot work */
export function checkedSources(sources: NamedSources, stated: StatedBudgets): string[] {
  const refusals: string[] = [];
  const warnings: string[] = [];
  checkPools(sources, refusals, warnings);
  checkFeeds(sources, refusals);
  if (sources.SPOTCHAIN_URL !== null) checkCapacity(pollingCapacity(stated), sources.SPOTCHAIN_KEY !== null, refusals, warnings);
  if (refusals.length > 0) throw new Error(refusals.join('\nsevengate: '));
  return warnings;
}

function checkPools({ SPOTCHAIN_CANDLES_URL: url }: NamedSources, refusals: string[], warnings: string[]): void {
  if (url === null) return;
  const tokens = CATALOG.fixed.entries.filter(({ token }) => token !== null).map(({ instrument }) => instrument);
  const without = tokens.filter((symbol) => CATALOG.poolOf(symbol) === undefined);
  if (tokens.length > 0 && without.length === tokens.length)
    refusals.push(
      'SPOTCHAIN_CANDLES_URL: is set, and the catalog names the pool of no token, so no bar could be asked for: name pools in the catalog file (sevengate catalog export, "pool")',
    );
  else if (without.length > 0)
    warnings.push(`no pool is named of ${without.join(', ')}: indicators of these stay unknown until bars are imported`);
}

function checkFeeds({ REFERENCE_URL: url }: NamedSources, refusals: string[]): void {
  if (url === null) return;
  const invented = CATALOG.feeds.filter(({ feedIdSource }) => feedIdSource === 'sandbox').map(({ instrument }) => instrument);
  if (invented.length > 0)
    refusals.push(
      `REFERENCE_URL: is set, and the feed ids of ${invented.join(', ')} are the sandbox's: put the provider's own ids into the catalog file, with source "published"`,
    );
}

function checkCapacity(
  { perMinute, maxAgeMs, listed, fits, roundMs }: PollingCapacity,
  hasKey: boolean,
  refusals: string[],
  warnings: string[],
): void {
  if (fits >= listed) return;
  const told = `the aggregator of the primary chain may be asked ${perMinute} times a minute${hasKey ? '' : ' without a key'}: ${fits} of the ${listed} tokens of the catalog can be quoted within the age limit of ${maxAgeMs / 1_000} s, and a round over all of them takes ${Math.ceil(roundMs / 1_000)} s`;
  const remedy = 'set SPOTCHAIN_KEY and its budget, list fewer tokens, or raise limits.venues.spotchain.maxAgeMs in the catalog file';
  if (fits === 0) refusals.push(`SPOTCHAIN_URL: ${told}, so every quote would be stale: ${remedy}`);
  else warnings.push(`${told}, so quotes are stale for a part of the time: ${remedy}`);
}
